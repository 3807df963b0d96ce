import { LEAVES, type Leaf } from './schema.ts';
import { DEVICE_KEYS } from './validation/deviceEntries.ts';
import type { Setting } from './validation/formats.ts';

/** A setting in the documentation. */
export type SettingRow = {
  readonly name: string;
  /** The default as it is written in YAML, `required`, or `not set`. */
  readonly default: string;
  /** The environment variable; empty for the keys of a device, which have none. */
  readonly env: string;
  readonly meaning: string;
};

const defaultOf = ({ default: value, defaultText }: Setting): string => {
  if (defaultText !== undefined) return defaultText;
  if (value === '') return 'required';
  if (value === null) return 'not set';
  return typeof value === 'string' ? value : JSON.stringify(value).replaceAll(',', ', ');
};

const meaningOf = ({ env, setting: { doc, choices, sensitive } }: Leaf): string =>
  [
    doc,
    ...(choices === undefined || choices.length < 2 ? [] : [`One of ${choices.join(', ')}.`]),
    ...(sensitive ? [`${env}_FILE names a file that holds it.`] : []),
  ].join(' ');

/** Every setting in the order of the schema, and the keys of a device. */
export const settingRows = (): readonly SettingRow[] =>
  LEAVES.flatMap((leaf) => {
    const { key, env, setting } = leaf;
    const row = { name: key, default: defaultOf(setting), env, meaning: meaningOf(leaf) };
    if (key !== 'devices') return [row];
    const ofDevice = Object.entries(DEVICE_KEYS).map(([name, { doc, required }]) => ({
      name: `devices[].${name}`,
      default: required ? 'required with v1' : 'not set',
      env: '',
      meaning: doc,
    }));
    return [row, ...ofDevice];
  });

const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (text: string): string => (text === '' || text.startsWith('required') || text === 'not set' ? text : `\`${cell(text)}\``);

/** Every setting as a Markdown table. */
export const settingsTable = (): string =>
  [
    '| Setting | Default | Environment variable | Meaning |',
    '|---|---|---|---|',
    ...settingRows().map(({ name, default: value, env, meaning }) => `| \`${name}\` | ${code(value)} | ${code(env)} | ${cell(meaning)} |`),
  ].join('\n');
