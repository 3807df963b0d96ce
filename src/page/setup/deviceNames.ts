import type { AccountDevice } from '../../api/answers.ts';

/** A device of the account, with the features to read if the entry must list them. */
export type Found = AccountDevice & { readonly features?: readonly string[] };

/** An entry of the setting `devices`; keys that the page does not show are kept. */
export type Entry = Readonly<Record<string, unknown>>;

/** A device, whether it is chosen, and its name. */
export type Choice = { readonly found: Found; readonly isChosen: boolean; readonly name: string };

const isSame = ({ gateway, device }: Found, entry: Entry): boolean =>
  String(entry['gateway']) === gateway && String(entry['device']) === device;

/** A short lower-case name from a model such as `E3_Vitocal_250A`. */
const nameOf = ({ model, device }: Found): string =>
  (model ?? '')
    .replace(/^E\d+_/i, '')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 30) || `device-${device}`;

/** The name, with the first number that makes it unique if necessary. */
const unlike = (name: string, taken: ReadonlySet<string>): string => {
  if (!taken.has(name)) return name;
  for (let n = 2; ; n += 1) if (!taken.has(`${name}-${n}`)) return `${name}-${n}`;
};

/** The devices with their current or suggested names. Without entries all but gateways are chosen. */
export const choicesOf = (devices: readonly Found[], entries: readonly Entry[]): readonly Choice[] => {
  const taken = new Set(['bridge', ...entries.flatMap(({ name }) => (typeof name === 'string' ? [name] : []))]);
  return devices.map((found) => {
    const entry = entries.find((one) => isSame(found, one));
    if (entry)
      return { found, isChosen: true, name: typeof entry['name'] === 'string' ? entry['name'] : `${found.gateway}-${found.device}` };
    const name = unlike(nameOf(found), taken);
    taken.add(name);
    return { found, isChosen: entries.length === 0 && found.device !== 'gateway', name };
  });
};

/** The setting `devices` for these choices. Entries for other devices (globs) are kept. */
export const entriesOf = (choices: readonly Choice[], entries: readonly Entry[]): readonly Entry[] => {
  const others = entries.filter((entry) => !choices.some(({ found }) => isSame(found, entry)));
  const chosen = choices.flatMap(({ found, isChosen, name }) => {
    const { installation, gateway, device, features } = found;
    const before = entries.find((entry) => isSame(found, entry));
    return isChosen ? [{ ...(features && { features }), ...before, name: name.trim(), installation, gateway, device }] : [];
  });
  return [...chosen, ...others];
};

/** The index of a choice among the written entries: errors refer to entries. */
export const placeOf = (choices: readonly Choice[], at: number): number => choices.slice(0, at).filter(({ isChosen }) => isChosen).length;
