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
    return `${read.originOf(leaf).where}${inFile ? `, which overrides ${inFile.where}` : ''}`;
  };
  return new Map(LEAVES.map((leaf) => [leaf.key, placeOf(leaf)] as const).filter(([, where]) => where !== ''));
};

type Row = ReturnType<typeof settingRows>[number];

const INDENT = '    ';

/** The name, default and variable of each setting: in columns, or below each other for a narrow terminal. */
const headsOf = (rows: readonly Row[], isTTY: boolean): readonly (readonly string[])[] =>
  isTTY
    ? rows.map(({ name, default: value, env }) => [name, ...wrapText(`default: ${value}`, INDENT), ...(env === '' ? [] : [INDENT + env])])
    : inColumns(rows.map(({ name, default: value, env }) => [name, value, env])).map((line) => [line]);

const HEADING: Row = { name: 'SETTING', default: 'DEFAULT', env: 'ENVIRONMENT VARIABLE', meaning: '' };

const table = (sources: Sources, isTTY: boolean): string => {
  const places = setBy(sources);
  const rows = [...(isTTY ? [] : [HEADING]), ...settingRows()];
  const heads = headsOf(rows, isTTY);
  const texts = rows.flatMap(({ name, meaning }, index) => {
    const place = places.get(name);
    const below = [...(meaning === '' ? [] : [meaning]), ...(place === undefined ? [] : [`Set by ${place}.`])];
    return [...(heads[index] ?? []), ...below.flatMap((text) => (isTTY ? wrapText(text, INDENT) : [INDENT + text]))];
  });
  return texts.join('\n');
};

/** `heating2mqtt settings`: table of meanings and sources, short or full settings file, or JSON Schema. */
export const settings = (shape: 'table' | 'yaml' | 'all' | 'schema', sources: Sources, io: Pick<Io, 'out' | 'isTTY'>): number => {
  const shapes = { table: () => table(sources, io.isTTY), yaml: shortYaml, all: exampleYaml, schema: settingsSchema };
  io.out(shapes[shape]().trimEnd());
  return 0;
};
