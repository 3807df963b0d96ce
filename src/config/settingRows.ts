import { LEAVES } from './schema.ts';
import { DEVICE_KEYS } from './validation/deviceEntries.ts';
import type { Setting } from './validation/formats.ts';

/** The default as it is written in YAML, `required`, or `not set`. */
const defaultOf = ({ default: value, defaultText }: Setting): string => {
  if (defaultText !== undefined) return defaultText;
  if (value === '') return 'required';
  if (value === null) return 'not set';
  return typeof value === 'string' ? value : JSON.stringify(value).replaceAll(',', ', ');
};

/** The meaning of a setting with its choices. */
export const meaningOf = ({ doc, choices }: Setting): string => (choices ? `${doc} One of ${choices.join(', ')}.` : doc);

/** Every setting in the order of the schema, and the keys of a device, for documentation. Keys of a device have no variable: `env` is empty. */
export const settingRows = () =>
  LEAVES.flatMap(({ key, env, setting }) => {
    const secret = setting.sensitive ? ` ${env}_FILE names a file that holds it.` : '';
    const row = { name: key, default: defaultOf(setting), env, meaning: meaningOf(setting) + secret };
    if (key !== 'devices') return [row];
    const ofDevice = Object.entries(DEVICE_KEYS).map(([name, { doc, required }]) => ({
      name: `devices[].${name}`,
      default: required ? 'required with v1' : 'not set',
      env: '',
      meaning: doc,
    }));
    return [row, ...ofDevice];
  });
