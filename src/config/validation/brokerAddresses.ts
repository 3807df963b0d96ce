/** The addresses in `mqtt://a:1883, mqtt://b:1883`. A comma inside an address has no protocol after it. */
export const addressesIn = (text: string): readonly [string, ...string[]] => {
  const [first = '', ...others] = text.trim().split(/\s*,\s*(?=[a-z][a-z0-9+.-]*:\/\/)/i);
  return [first, ...others];
};

/** Applies `change` to each address and joins the results, which `addressesIn` can split again. */
export const eachAddress = (text: string, change: (address: string) => string): string => addressesIn(text).map(change).join(', ');
