import { readFileSync } from 'node:fs';
import { amount, beside, type Measured, type Report } from './figures.ts';

/**
 * `node bench/compare.ts BASE HEAD`: two files of `npm run bench -- --json`, measured on one machine. Prints the figures that became worse as
 * Markdown, and nothing where none did.
 */

/** So much worse a ratio has to be before it is said: single runs on shared machines differ by less. */
const MOST = 1.2;

const [base = '', head = ''] = process.argv.slice(2);
const read = (file: string): Report => JSON.parse(readFileSync(file, 'utf8'));
const before = read(base);
const after = read(head);

const keyOf = ({ broker, name }: Measured): string => `${broker} ${name.replace(/ of \d+$/, '')}`;
const known = new Map(before.figures.map((figure) => [keyOf(figure), figure]));

/** How many times worse: of the ratio to the floor, or of the memory itself where the limit is a difference. */
const growth = (was: Measured, is: Measured): number => {
  const of = ({ value, floor, limit }: Measured): number => (typeof limit === 'object' ? value : value / floor);
  return of(is) / of(was);
};

const worse = after.figures.flatMap((is) => {
  const was = known.get(keyOf(is));
  return was && growth(was, is) > MOST ? [{ was, is }] : [];
});
const lost = after.failed.filter(({ row }) => !before.failed.some((one) => one.row === row));

const percent = (times: number): string => `${Math.round((times - 1) * 100)} %`;

if (worse.length > 0) {
  console.log(`These figures of \`npm run bench\` are worse by more than ${percent(MOST)} (${before.commit} → ${after.commit}):\n`);
  console.log('| figure | before | now | worse by |\n|---|---|---|---|');
  for (const { was, is } of worse) {
    const cell = (figure: Measured): string => `${beside(figure)} (${amount(figure, figure.value)})`.trim();
    console.log(`| ${is.name}<br>${is.broker} | ${cell(was)} | ${cell(is)} | ${percent(growth(was, is))} |`);
  }
}
for (const { row, why } of lost) console.log(`\nNot measured any more: ${row}: ${why}`);
