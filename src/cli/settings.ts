import { exampleYaml, settingRows, settingsSchema, shortYaml } from '../config/documentation.ts';
import { overruled, readSettings, type Sources } from '../config/load.ts';
import { LEAVES, type Leaf } from '../config/schema.ts';
import type { Io } from './terminal/io.ts';
import { inColumns, wrapText } from './terminal/terminalText.ts';

/** The source of each setting, by key; defaults are absent. */
const setBy = (sources: Sources): ReadonlyMap<string, string> => {
  const read = readSettings(sources);
  const placeOf = (leaf: Leaf): string => {
    const inFile = overruled(read, leaf);
    return `${read.originOf(leaf).where}${inFile ? `, and otherwise by ${inFile.where}` : ''}`;
  };
  return new Map(LEAVES.map((leaf) => [leaf.key, placeOf(leaf)] as const).filter(([, where]) => where !== ''));
};

type Row = ReturnType<typeof settingRows>[number];

/** The name, default and variable of each setting in columns. */
const columns = (rows: readonly Row[]): readonly string[] =>
  inColumns([['SETTING', 'DEFAULT', 'ENVIRONMENT VARIABLE'], ...rows.map(({ name, default: value, env }) => [name, value, env])]);

/** The same below each other: columns are wider than most terminals. */
const block = ({ name, default: value, env }: Row): readonly string[] => [
  name,
  ...wrapText(`default: ${value}`, INDENT),
  ...(env === '' ? [] : [INDENT + env]),
];

const INDENT = '    ';

const table = (sources: Sources, isTTY: boolean): string => {
  const places = setBy(sources);
  const rows = settingRows();
  const [head = '', ...lines] = isTTY ? [] : columns(rows);
  const below = (text: string): readonly string[] => (isTTY ? wrapText(text, INDENT) : [INDENT + text]);
  const texts = rows.flatMap((row, index) => {
    const place = places.get(row.name);
    const first = isTTY ? block(row) : [lines[index] ?? ''];
    return [...first, ...below(row.meaning), ...(place === undefined ? [] : below(`Set by ${place}.`))];
  });
  return [...(isTTY ? [] : [head]), ...texts].join('\n');
};

/** `heating2mqtt settings`: table of meanings and sources, short or full settings file, or JSON Schema. */
export const settings = (shape: 'table' | 'yaml' | 'all' | 'schema', sources: Sources, io: Pick<Io, 'out' | 'isTTY'>): number => {
  const shapes = { table: () => table(sources, io.isTTY), yaml: shortYaml, all: exampleYaml, schema: settingsSchema };
  io.out(shapes[shape]().trimEnd());
  return 0;
};
