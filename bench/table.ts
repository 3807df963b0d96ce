import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { amount, beside, isMet, limitText, type Measured, type Report } from './figures.ts';

/** `npm run bench:table`: puts the figures of bench/figures.json into docs/decisions/speed.md, between two comments. */

const PAGE = join(import.meta.dirname, '../docs/decisions/speed.md');
const BEGIN = '<!-- written by npm run bench:table -->';
const END = '<!-- end of the figures -->';

const { commit, at, machine, figures, failed }: Report = JSON.parse(readFileSync(join(import.meta.dirname, 'figures.json'), 'utf8'));

const brokers = [...new Set(figures.map(({ broker }) => broker))];
const names = [...new Set(figures.map(({ name }) => name))];

const cell = (figure: Measured | undefined): string => {
  if (!figure) return '';
  const value = amount(figure, figure.value);
  const text = figure.floor === 0 ? value : `${beside(figure)} (${value})`;
  return figure.limit !== undefined && isMet(figure) ? `**${text}**` : text;
};
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const rows = names.map((name) => {
  const found = brokers.map((broker) => figures.find((one) => one.name === name && one.broker === broker));
  const first = found.find((figure) => figure !== undefined);
  return row([name, first ? limitText(first) : '', ...found.map(cell)]);
});

const { cpu, cores, memoryGb, system, node, loadBefore, loadAfter } = machine;
const text = [
  BEGIN,
  `Measured at ${commit.slice(0, 12)}, ${at.slice(0, 10)}, with Node ${node.slice(1)} on ${cpu}, ${cores} cores, ${memoryGb} GB, ${system}; load of the machine ${loadBefore} before and ${loadAfter} after. What is within its limit is bold; in brackets the figure itself.`,
  '',
  row(['figure', 'at most', ...brokers]),
  row(['---', '---', ...brokers.map(() => '---')]),
  ...rows,
  ...(failed.length > 0 ? ['', `Not measured: ${failed.map(({ row: name, why }) => `${name} (${why})`).join('; ')}.`] : []),
  END,
].join('\n');

const page = readFileSync(PAGE, 'utf8');
const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
if (from < 0 || to < from) throw new Error(`${PAGE} has no place for the figures`);
writeFileSync(PAGE, page.slice(0, from) + text + page.slice(to + END.length));
