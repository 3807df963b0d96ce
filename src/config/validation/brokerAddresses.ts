/** The addresses in `mqtt://a:1883, mqtt://b:1883`. A comma within an address, as in a password, has no protocol behind it. */
export const addressesIn = (text: string): readonly [string, ...string[]] => {
  const [first = '', ...others] = text.trim().split(/\s*,\s*(?=[a-z][a-z0-9+.-]*:\/\/)/i);
  return [first, ...others];
};

/** The text with `change` made of each of its addresses; `addressesIn` is the inverse. */
export const eachAddress = (text: string, change: (address: string) => string): string => addressesIn(text).map(change).join(', ');
