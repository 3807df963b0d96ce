import { exampleYaml, settingRows, settingsSchema, shortYaml } from '../config/documentation.ts';
import { overruled, readSettings, type Sources } from '../config/load.ts';
import { LEAVES, type Leaf } from '../config/schema.ts';
import type { Io } from './terminal/io.ts';
import { inColumns } from './terminal/terminalText.ts';

/** The source of each setting, by key; defaults are absent. */
const setBy = (sources: Sources): ReadonlyMap<string, string> => {
  const read = readSettings(sources);
  const placeOf = (leaf: Leaf): string => {
    const inFile = overruled(read, leaf);
    return `${read.originOf(leaf).where}${inFile ? `, and otherwise by ${inFile.where}` : ''}`;
  };
  return new Map(LEAVES.map((leaf) => [leaf.key, placeOf(leaf)] as const).filter(([, where]) => where !== ''));
};

const table = (sources: Sources): string => {
  const places = setBy(sources);
  const head = ['SETTING', 'DEFAULT', 'ENVIRONMENT VARIABLE'];
  const rows = settingRows();
  const [first = '', ...lines] = inColumns([head, ...rows.map(({ name, default: value, env }) => [name, value, env])]);
  return [
    first,
    ...rows.flatMap(({ name, meaning }, index) => {
      const place = places.get(name);
      return [lines[index] ?? '', `    ${meaning}`, ...(place === undefined ? [] : [`    Set by ${place}.`])];
    }),
  ].join('\n');
};

/** `heating2mqtt settings`: table of meanings and sources, short or full settings file, or JSON Schema. */
export const settings = (shape: 'table' | 'yaml' | 'all' | 'schema', sources: Sources, io: Pick<Io, 'out'>): number => {
  const shapes = { table, yaml: () => shortYaml(), all: () => exampleYaml(), schema: () => settingsSchema() };
  io.out(shapes[shape](sources).trimEnd());
  return 0;
};
