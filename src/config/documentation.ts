import { parse, stringify } from 'yaml';
import { DEVELOPER_PORTAL } from './profiles.ts';
import { foldSchema, LEAVES, type Leaf, SCHEMA } from './schema.ts';
import { DEVICE_EXAMPLE, DEVICE_KEYS } from './validation/deviceEntries.ts';
import { type JsonSchema, objectShape, type Setting } from './validation/rows.ts';

/** True for a setting that each settings file needs. */
const isRequired = ({ default: value, defaultText }: Setting): boolean => value === '' && defaultText === undefined;

/** The default in YAML, `required`, or `not set`. */
const defaultOf = ({ default: value, defaultText }: Setting): string => {
  if (defaultText !== undefined) return defaultText;
  if (value === '') return 'required';
  if (value === null) return 'not set';
  return typeof value === 'string' ? value : JSON.stringify(value).replaceAll(',', ', ');
};

/** The meaning of a setting with its choices. */
const meaningOf = ({ doc, choices }: Setting): string => (choices ? `${doc} One of ${choices.join(', ')}.` : doc);

/** All settings in schema order, and the device keys, for documentation. Device keys have no `env`. */
export const settingRows = () =>
  LEAVES.flatMap(({ key, env, setting }) => {
    const secret = setting.sensitive ? ` ${env}_FILE names a file that contains it.` : '';
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

const WIDTH = 110;

/** Points editors to the JSON Schema, relative to the file. */
const SCHEMA_LINE = '# yaml-language-server: $schema=schema.json';

const HEAD = [
  'Settings of heating2mqtt. Copy this file to config/local.yaml, or name it with --config.',
  'The line without # is required. The others show the default, or an example where there is no default.',
  'The environment variable in brackets overrides the file. Unknown keys are errors.',
];

/** A text as comment lines of at most WIDTH characters. */
const comment = (text: string, indent: string): readonly string[] => {
  const start = `${indent}# `;
  const lines = new RegExp(`\\S.{0,${WIDTH - start.length - 1}}(?= |$)|\\S+`, 'g');
  return [...text.matchAll(lines)].map(([line]) => start + line);
};

/** The default, or the example if there is no default or the start determines it. */
const writtenValue = ({ setting: { default: value, defaultText, example } }: Leaf): string =>
  (value === '' || value === null || defaultText !== undefined) && example !== undefined
    ? example
    : stringify(value, { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: false }).trim();

const deviceLines: readonly string[] = [
  ...Object.entries(DEVICE_KEYS).flatMap(([name, { doc }]) => comment(`- ${name}: ${doc}`, '')),
  '# devices:',
  `#   ${DEVICE_EXAMPLE}`,
];

const settingLines = (leaf: Leaf, indent: string): readonly string[] => {
  const { key, path, env, setting } = leaf;
  const secret = setting.sensitive ? `, or the file named by ${env}_FILE` : '';
  const about = comment(`${meaningOf(setting)} [${env}${secret}]`, indent);
  if (key === 'devices') return [...about, ...deviceLines];
  return [...about, `${indent}${isRequired(setting) ? '' : '# '}${path.at(-1)}: ${writtenValue(leaf)}`];
};

/** A file of these settings, each section under its key. */
const yamlOf = (head: readonly string[], leaves: readonly Leaf[], linesOf: (leaf: Leaf, indent: string) => readonly string[]): string => {
  const lines = [...head];
  let before: readonly string[] = [];
  for (const leaf of leaves) {
    const sections = leaf.path.slice(0, -1);
    if (leaf.path[0] !== before[0]) lines.push('');
    for (const [depth, section] of sections.entries()) {
      if (section !== before[depth]) lines.push(`${'  '.repeat(depth)}${section}:`);
    }
    lines.push(...linesOf(leaf, '  '.repeat(sections.length)));
    before = leaf.path;
  }
  return `${lines.join('\n')}\n`;
};

/** A settings file with every setting: the required one is active, the others are comments with defaults. */
export const exampleYaml = (): string => yamlOf([SCHEMA_LINE, ...HEAD.flatMap((text) => comment(text, ''))], LEAVES, settingLines);

/** The settings file that most homes need. */
export const shortYaml =
  (): string => `# Settings of heating2mqtt. Write your client id below, and save this as config/local.yaml, or name it with --config.
# Devices are found automatically. \`heating2mqtt settings --all\` prints every other setting.
platform:
  # Id of the client that you registered at ${DEVELOPER_PORTAL}
  client_id: ${SCHEMA.platform.client_id.example}
mqtt:
  # Address of the broker; with TLS mqtts://…
  url: ${SCHEMA.mqtt.url.example}
  # username: ${SCHEMA.mqtt.username.example}
  # password: ${SCHEMA.mqtt.password.example}
`;

const HEAD_OF_PAGE = [
  'Settings made on the page of heating2mqtt. The page rewrites this file at each change, without its comments and order.',
  'They override the settings file. The environment variable in brackets overrides them.',
];

/** A setting's YAML value, below its key. Texts that YAML readers may parse as another type are quoted. */
const valueLines = ({ path }: Leaf, value: unknown, indent: string): readonly string[] =>
  stringify({ [path.at(-1) ?? '']: value }, { lineWidth: 0, blockQuote: false })
    .slice(0, -'\n'.length)
    .split('\n')
    .map((line) => (line === '' ? '' : indent + line));

/** The page's file: each of these settings with its meaning. */
export const pageYaml = (values: ReadonlyMap<string, unknown>): string =>
  yamlOf(
    HEAD_OF_PAGE.flatMap((text) => comment(text, '')),
    LEAVES.filter(({ key }) => values.has(key)),
    (leaf, indent) => [...comment(`${meaningOf(leaf.setting)} [${leaf.env}]`, indent), ...valueLines(leaf, values.get(leaf.key), indent)],
  );

const shapeOf = ({ setting }: Leaf): JsonSchema => {
  const { doc, default: value, defaultText, example, shape } = setting;
  return {
    description: doc,
    ...(value === '' || value === null || defaultText !== undefined ? {} : { default: value }),
    ...(example === undefined ? {} : { examples: [parse(example)] }),
    ...shape(setting),
  };
};

/** A JSON Schema of the settings file, for editors. */
export const settingsSchema = (): string => {
  const schema = foldSchema<JsonSchema>(shapeOf, (entries) => objectShape(Object.fromEntries(entries)));
  const head = { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Settings of heating2mqtt' };
  return `${JSON.stringify({ ...head, ...schema }, null, 2)}\n`;
};
