import { settingRows } from '../config/settingRows.ts';
import type { Io } from './io.ts';

type Columns = readonly [name: string, value: string, env: string];

const table = (): string => {
  const rows = settingRows().map(({ name, default: value, env, meaning }) => ({ columns: [name, value, env] satisfies Columns, meaning }));
  const head: Columns = ['SETTING', 'DEFAULT', 'ENVIRONMENT VARIABLE'];
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map(({ columns }) => columns[i]?.length ?? 0)));
  const line = (columns: Columns): string =>
    columns
      .map((text, i) => text.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(head), ...rows.flatMap(({ columns, meaning }) => [line(columns), `    ${meaning}`])].join('\n');
};

/** `heating2mqtt settings`: every setting with its meaning below it, or an example file. */
export const settings = async (options: { readonly yaml: boolean }, io: Pick<Io, 'out'>): Promise<number> => {
  if (options.yaml) {
    const { exampleYaml } = await import('../config/exampleYaml.ts');
    io.out(exampleYaml().trimEnd());
  } else io.out(table());
  return 0;
};
