import { isRecord } from '../../shared/json.ts';
import { type Check, shown, under, wrong } from './checks.ts';
import type { Problem } from './mistake.ts';
import { asJsonList, rowsOf, SCALAR } from './rows.ts';

/** An entry of `accounts`: its name, its client id, and the settings that differ. */
export type AccountEntry = { readonly name: string } & Readonly<Record<string, unknown>>;

export const ACCOUNT_NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;
const ACCOUNT_EXAMPLE = '- { name: parents, client_id: their-client-id }';

/** Discovered devices without a name have this topic level: gateway serial number and device id. */
const FOUND_DEVICE = /^\d{16}-/;

/** The name is a topic level, a folder and part of a page URL; `bridge` and `calendar` are reserved. */
export const checkAccountName: Check = (name) => {
  if (name === undefined || name === null) return wrong('required', 'is missing', ACCOUNT_EXAMPLE);
  if (typeof name !== 'string') return wrong('type', `${shown(name)} is not an account name`, ACCOUNT_EXAMPLE);
  if (name === 'bridge' || name === 'calendar')
    return wrong('reserved', `"${name}" is reserved for the bridge's own topics`, 'another name');
  if (FOUND_DEVICE.test(name)) return wrong('reserved', `"${name}" can be the topic of a discovered device`, 'another name');
  return ACCOUNT_NAME.test(name)
    ? []
    : wrong('name', `${shown(name)} is not an account name`, 'at most 40 characters of a to z, 0 to 9, _ and -; first a letter or digit');
};

/** A list or an entry with a mistake may contain passwords. */
const HIDDEN = { sensitive: true } as const;

const checkEntry = (entry: unknown): readonly Problem[] =>
  isRecord(entry)
    ? under(['name'], checkAccountName(entry['name'], {}))
    : wrong('type', `${shown(entry, HIDDEN)} is not an account`, ACCOUNT_EXAMPLE);

const checkAccounts: Check = (value) => {
  if (!Array.isArray(value)) return wrong('type', `${shown(value, HIDDEN)} is not a list of accounts`, ACCOUNT_EXAMPLE);
  const names = value.map((entry) => (isRecord(entry) ? entry['name'] : undefined));
  return value.flatMap((entry, index) => {
    const isTwice = names.indexOf(names[index]) < index && names[index] !== undefined;
    return under(
      [index],
      isTwice ? under(['name'], wrong('twice', `${shown(names[index])} is already the name of another account`)) : checkEntry(entry),
    );
  });
};

/** The row for `accounts`. The settings of an entry are checked later, when its account is read. */
export const accounts = rowsOf<readonly AccountEntry[]>(
  checkAccounts,
  () => ({
    type: ['array', 'string', 'null'],
    items: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string', pattern: ACCOUNT_NAME.source }, client_id: { type: SCALAR } },
    },
    pattern: '^\\s*\\[',
  }),
  { coerce: asJsonList },
);
