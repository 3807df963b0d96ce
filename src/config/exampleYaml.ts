import { stringify } from 'yaml';
import { LEAVES, type Leaf } from './schema.ts';
import { meaningOf } from './settingRows.ts';
import { DEVICE_EXAMPLE, DEVICE_KEYS } from './validation/deviceEntries.ts';

const WIDTH = 110;

/** Names the JSON Schema for editors, by its place beside the file. */
const SCHEMA_LINE = '# yaml-language-server: $schema=schema.json';

const HEAD = [
  'Settings of heating2mqtt. Copy this file to config/local.yaml, or name it with --config.',
  'Lines without # are required settings. The others show the default, or an example where there is no default.',
  'The environment variable in brackets overrides the file. Unknown keys are mistakes.',
];

/** A text as comment lines of at most WIDTH characters. */
const comment = (text: string, indent: string): readonly string[] => {
  const start = `${indent}# `;
  const lines = new RegExp(`\\S.{0,${WIDTH - start.length - 1}}(?= |$)|\\S+`, 'g');
  return [...text.matchAll(lines)].map(([line]) => start + line);
};

/** The default, or the example where there is no default or it is determined at the start. */
const writtenValue = ({ setting: { default: value, defaultText, example } }: Leaf): string =>
  (value === '' || value === null || defaultText !== undefined) && example !== undefined
    ? example
    : stringify(value, { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: false }).trim();

const deviceLines: readonly string[] = [
  ...Object.entries(DEVICE_KEYS).flatMap(([name, { doc }]) => comment(`- ${name}: ${doc}`, '')),
  'devices:',
  `  ${DEVICE_EXAMPLE}`,
];

const settingLines = (leaf: Leaf, indent: string): readonly string[] => {
  const { key, path, env, setting } = leaf;
  const secret = setting.sensitive ? `, or the file named by ${env}_FILE` : '';
  const about = comment(`${meaningOf(setting)} [${env}${secret}]`, indent);
  if (key === 'devices') return [...about, ...deviceLines];
  return [...about, `${indent}${setting.default === '' ? '' : '# '}${path.at(-1)}: ${writtenValue(leaf)}`];
};

/** A settings file with every setting and its meaning; the required settings are active, the others are comments with their default. */
export const exampleYaml = (): string => {
  const lines = [SCHEMA_LINE, ...HEAD.flatMap((text) => comment(text, ''))];
  let before: readonly string[] = [];
  for (const leaf of LEAVES) {
    const sections = leaf.path.slice(0, -1);
    if (leaf.path[0] !== before[0]) lines.push('');
    for (const [depth, section] of sections.entries()) {
      if (section !== before[depth]) lines.push(`${'  '.repeat(depth)}${section}:`);
    }
    lines.push(...settingLines(leaf, '  '.repeat(sections.length)));
    before = leaf.path;
  }
  return `${lines.join('\n')}\n`;
};
