import type { SettingRow } from '../../api/answers.ts';
import { isRecord } from '../../shared/json.ts';
import { overruled, type SettingsRead } from '../load.ts';
import { LEAVES, type Leaf, valueAt } from '../schema.ts';
import { eachAddress } from '../validation/brokerAddresses.ts';
import { fixedBy } from './settingsStore.ts';

const formatOf = ({ key, setting }: Leaf): SettingRow['format'] => {
  if (key === 'devices') return 'devices';
  if (setting.takesKeys) return 'profiles';
  if (setting.choices) return 'choice';
  if (Array.isArray(setting.default)) return 'list';
  if (typeof setting.default === 'number') return 'number';
  return typeof setting.default === 'boolean' ? 'flag' : 'text';
};

/** An address may contain a password. */
const withoutPassword = (value: unknown): unknown =>
  typeof value === 'string' ? eachAddress(value, (address) => address.replace(/^([a-z][a-z0-9+.-]*:\/\/).*@/is, '$1')) : value;

/** Only part of an account row: the rest may be secret. */
export const shownAccounts = (rows: unknown): readonly object[] =>
  (Array.isArray(rows) ? rows.filter(isRecord) : []).map(({ name, client_id }) => ({
    name,
    ...(client_id === undefined ? {} : { client_id }),
  }));

/** The value as sent to the page. */
const shownValue = (key: string, format: SettingRow['format'], held: unknown): unknown => {
  if (key === 'accounts') return shownAccounts(held);
  return format === 'profiles' && Array.isArray(held) ? Object.fromEntries(held) : withoutPassword(held);
};

/** Every setting in schema order, with its current value and the layer that sets it. */
export const settingsList = (read: SettingsRead): readonly SettingRow[] =>
  LEAVES.map((leaf) => {
    const { key, path, setting } = leaf;
    const format = formatOf(leaf);
    const held = valueAt(read.loaded, path);
    const origin = read.originOf(leaf);
    // The Supervisor of Home Assistant provides it at each connection.
    const isElsewhere = origin.kind === 'app' && path[0] === 'mqtt';
    const inFile = overruled(read, leaf);
    const hint = setting.defaultText ?? setting.example;
    return {
      path: key,
      ...(setting.sensitive ? {} : { value: isElsewhere ? null : shownValue(key, format, held) }),
      default: setting.default,
      origin,
      ...(inFile && { inFile: { ...(setting.sensitive ? {} : { value: shownValue(key, format, inFile.value) }), where: inFile.where } }),
      fixed: fixedBy(read, leaf) !== undefined,
      secret: setting.sensitive === true,
      isSet: held !== null && held !== '' && held !== undefined,
      doc: setting.doc,
      format,
      ...(setting.choices ? { choices: setting.choices } : {}),
      ...(setting.min === undefined ? {} : { min: setting.min }),
      ...(setting.max === undefined ? {} : { max: setting.max }),
      ...(setting.example === undefined ? {} : { example: setting.example }),
      ...(hint === undefined ? {} : { hint }),
    };
  });
