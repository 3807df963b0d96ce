import { exampleYaml, settingRows, settingsSchema, shortYaml } from '../config/documentation.ts';
import type { Io } from './terminal/io.ts';

const table = (): string => {
  const head = ['SETTING', 'DEFAULT', 'ENVIRONMENT VARIABLE'];
  const rows = settingRows().map(({ name, default: value, env, meaning }) => ({ columns: [name, value, env], meaning }));
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map(({ columns }) => columns[i]?.length ?? 0)));
  const line = (columns: readonly string[]): string => {
    const padded = columns.map((text, i) => text.padEnd(widths[i] ?? 0));
    return padded.join('  ').trimEnd();
  };
  return [line(head), ...rows.flatMap(({ columns, meaning }) => [line(columns), `    ${meaning}`])].join('\n');
};

/** `heating2mqtt settings`: every setting with its meaning below it, a short or a whole settings file, or a JSON Schema of the file. */
export const settings = async (shape: 'table' | 'yaml' | 'all' | 'schema', io: Pick<Io, 'out'>): Promise<number> => {
  const shapes = { table, yaml: shortYaml, all: exampleYaml, schema: settingsSchema };
  io.out(shapes[shape]().trimEnd());
  return 0;
};
