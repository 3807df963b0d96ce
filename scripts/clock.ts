/** Runs the tests at other hours, in other zones and over changes of the clock, under the clock of faketime: `npm run test:clock`. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Disambiguation, instantOf, localAt } from '../src/schedule/zone.ts';
import { neededProgram } from '../test/support/programs.ts';

/** A moment at which the tests begin: what the clock on the wall shows (`2027-03-28 01:58`), where, and which of two where it shows that twice. */
export type Start = { readonly local: string; readonly zone: string; readonly which?: Disambiguation };

// Far from each other, one of them always on another day than UTC.
const ZONES = ['Europe/Berlin', 'America/St_Johns'];

// At the ends of a year and of a month, on a leap day, and just before the simulated home's schedules change their mode.
const HOURS = [
  '2026-12-31 23:57',
  '2027-01-01 00:01',
  '2032-02-29 03:00',
  '2027-04-05 05:28',
  '2027-05-31 10:00',
  '2027-07-17 15:58',
  '2026-11-29 18:00',
  '2027-09-30 21:58',
];

// Two minutes before: the tests run over the change.
const CHANGES: readonly Start[] = [
  { local: '2027-03-28 01:58', zone: 'Europe/Berlin' },
  { local: '2027-10-31 02:58', zone: 'Europe/Berlin', which: 'earlier' },
];

/** Every start, those of one day of the year apart from each other. */
export const STARTS: readonly Start[] = [...HOURS.flatMap((local) => ZONES.map((zone) => ({ local, zone }))), ...CHANGES];

/** Epoch milliseconds. */
export const instantOfStart = ({ local, zone, which }: Start): number => {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = local.split(/\D/u).map(Number);
  return instantOf({ year, month, day, hour, minute }, zone, which);
};

const DAY_MS = 86_400_000;

/** The start whose turn it is on the day of this instant (epoch milliseconds): another one each day, until all have had theirs. */
export const startOfTheDay = (atMs: number): Start => {
  const start = STARTS[Math.floor(atMs / DAY_MS) % STARTS.length];
  if (!start) throw new Error('there is no start');
  return start;
};

const nameOf = ({ local, zone }: Start): string => `${local} ${zone}`;

const USAGE = `npm run test:clock [-- [--today | --at "<part of a start>"] [what vitest takes]]
Runs the tests with their clock at each of these starts, at the one of this day, or at those that contain a text:
${STARTS.map((start) => `  ${nameOf(start)}`).join('\n')}`;

/** Runs a command with the clock of this start; monotonic clocks go on as they are, for timers. */
const runAt = (start: Start, command: readonly string[], stdio: 'inherit' | 'pipe') => {
  const ahead = Math.round((instantOfStart(start) - Date.now()) / 1000);
  const args = ['-m', '--exclude-monotonic', '-f', `${ahead < 0 ? '' : '+'}${ahead}s`, ...command];
  return spawnSync(neededProgram('faketime'), args, { stdio, encoding: 'utf8', env: { ...process.env, TZ: start.zone } });
};

/** Throws where the clock would stay as it is: the tests would then be green for nothing. */
const expectShifted = (start: Start): void => {
  const { stdout } = runAt(start, ['node', '-p', 'Date.now()'], 'pipe');
  const { zone } = start;
  const awayMs = Math.abs(Number(stdout) - instantOfStart(start));
  if (!(awayMs < 60_000))
    throw new Error(`faketime does not shift the clock of this Node: it shows ${JSON.stringify(localAt(Number(stdout), zone))}`);
};

const main = (args: readonly string[]): number => {
  if (args[0] === '--help') return print(USAGE);
  const [starts, rest] = chosen(args);
  const failed = starts.filter((start) => {
    print(`\n== the tests at ${nameOf(start)}`);
    expectShifted(start);
    return runAt(start, ['npm', 'test', '--', ...rest], 'inherit').status !== 0;
  });
  if (failed.length > 0) print(`\nred at: ${failed.map(nameOf).join(', ')}`);
  return failed.length === 0 ? 0 : 1;
};

const chosen = (args: readonly string[]): readonly [starts: readonly Start[], rest: readonly string[]] => {
  const [option, text = '', ...rest] = args;
  if (option === '--today') return [[startOfTheDay(Date.now())], args.slice(1)];
  if (option !== '--at') return [STARTS, args];
  const fitting = STARTS.filter((start) => nameOf(start).includes(text));
  if (fitting.length === 0) throw new Error(`no start contains ${JSON.stringify(text)}\n${USAGE}`);
  return [fitting, rest];
};

const print = (text: string): 0 => {
  console.log(text);
  return 0;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    process.exitCode = main(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 2;
  }
}
