import { isRecord } from '../../shared/json.ts';
import type { Origin, SettingsRead } from '../load.ts';
import { LEAVES, type Leaf } from '../schema.ts';
import { fixedBy, type Target } from './settingsStore.ts';

/** A setting as the page shows it. A secret has no `value`. */
export type SettingRow = {
  readonly path: string;
  readonly value?: unknown;
  readonly default: unknown;
  readonly origin: Origin;
  readonly fixed: boolean;
  readonly secret: boolean;
  readonly isSet: boolean;
  readonly doc: string;
  readonly format: 'text' | 'number' | 'flag' | 'choice' | 'list' | 'profiles' | 'devices';
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly example?: string;
  /** A right value, or how a default is found. */
  readonly hint?: string;
};

const formatOf = ({ key, setting }: Leaf): SettingRow['format'] => {
  if (key === 'devices') return 'devices';
  if (setting.takesKeys) return 'profiles';
  if (setting.choices) return 'choice';
  if (Array.isArray(setting.default)) return 'list';
  if (typeof setting.default === 'number') return 'number';
  return typeof setting.default === 'boolean' ? 'flag' : 'text';
};

/** An address may hold a password. */
const withoutPassword = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/^([a-z][a-z0-9+.-]*:\/\/).*@/is, '$1') : value;

const valueAt = (tree: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((node, key) => (isRecord(node) ? node[key] : undefined), tree);

/** Every setting in the order of the schema, with its value in force and the layer that decides it. */
export const settingsList = (read: SettingsRead, target: Target | undefined): readonly SettingRow[] =>
  LEAVES.map((leaf) => {
    const { key, path, setting } = leaf;
    const format = formatOf(leaf);
    const held = valueAt(read.loaded, path);
    const origin = read.originOf(leaf);
    // The Supervisor of Home Assistant says it at each connection.
    const isElsewhere = origin.kind === 'app' && path[0] === 'mqtt';
    const value = format === 'profiles' && Array.isArray(held) ? Object.fromEntries(held) : withoutPassword(held);
    const hint = setting.defaultText ?? setting.example;
    return {
      path: key,
      ...(setting.sensitive ? {} : { value: isElsewhere ? null : value }),
      default: setting.default,
      origin,
      fixed: fixedBy(read, target, leaf) !== undefined,
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
