import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  accountsOf,
  allStarted,
  cpuOfReads,
  FEATURES,
  FILTERS,
  onlineOf,
  pause,
  READS,
  SENSORS,
  SETTLED_MS,
  settingsOf,
  timeToAnswer,
} from './accounts.ts';
import { BROKER_NAMES, startBroker, USERS_BROKER } from './brokers.ts';
import { measureDay } from './day.ts';
import { Figures } from './figures.ts';
import { cpuMs, DISK, endAll, highestMb, residentMb } from './processes.ts';
import { msBetween, withPlatform } from './start.ts';
import { measureWorkers } from './workers.ts';
import { listen, median, quantile, startBridge } from './world.ts';

/**
 * `npm run build && npm run bench:fleet`: many accounts in one process of the release, each by a file in `accounts.d`, with an own client id,
 * login, device, folder and connection to the broker. The floor of a figure is the same figure with the first number of accounts, which is one.
 * And accounts that several workers share over NATS, all on this machine.
 */
const HELP = `npm run bench:fleet -- [numbers of accounts] [--workers N] [--json [--out FILE]]
  numbers     the default is 1 10 100 300, and 1000 of three workers
  --day       what a day asks of the first number of accounts, 10 without one, of three workers; nothing else
  --workers N each number is shared by so many workers, at least three, at three nodes of NATS
  --json      writes the figures, too
  --out FILE  where; the default is bench/fleetFigures.json`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    workers: { type: 'string' },
    day: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    out: { type: 'string', default: join(import.meta.dirname, 'fleetFigures.json') },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(HELP);
  process.exit(0);
}
const GIVEN = positionals.map(Number);
const COUNTS = GIVEN.length > 0 ? GIVEN : [1, 10, 100, 300];
const SHARED = GIVEN.length > 0 ? GIVEN : [1000];
const WORKERS = Number(options.workers ?? 3);

const MOST_MB = 350;
const MOST_START_MS = 60_000;
/** Of one account until all are started: what the platform allows in ten minutes. */
const MOST_CALLS = 120;
const MOST_STOP_MS = 10_000;
/** After the death of a worker. */
const MOST_TAKE_OVER_MS = 45_000;

const dir = mkdtempSync(join(DISK, 'h2m-fleet-'));
process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
process.env['CACHE_DIRECTORY'] = join(dir, 'cache');
mkdirSync(process.env['CACHE_DIRECTORY']);

type Found = {
  readonly startMs: number;
  readonly startCpuMs: number;
  readonly startedMb: number;
  readonly polledMb: number;
  readonly highestMb: number;
  readonly unchangedMs: number;
  readonly changedMs: number;
  readonly answerMs: readonly number[];
  readonly files: number;
  readonly calls: number;
  readonly stopMs: number;
};

const measure = (count: number): Promise<Found> =>
  withPlatform(SENSORS, async (platform) => {
    const broker = await startBroker(USERS_BROKER, dir);
    const recorder = await listen(broker, FILTERS);
    const folder = mkdtempSync(join(dir, 'data-'));
    const names = accountsOf(count);
    const settings = await settingsOf(platform, broker, folder, names);
    const before = process.hrtime.bigint();
    const all = allStarted(recorder, names);
    const subject = startBridge(folder, settings);
    const fleet = { recorder, subjects: [subject], names };
    try {
      const startMs = msBetween(before, await all);
      await pause(SETTLED_MS);
      const startCpuMs = cpuMs(subject);
      const calls = await platform.mostCalls();
      const startedMb = residentMb(subject);
      const unchangedMs = await cpuOfReads(fleet, platform, READS, false);
      await platform.change(SENSORS);
      // Every account is read with all changed; and V8 compiles what is called often, with one account as with many.
      await cpuOfReads(fleet, platform, Math.max(READS, count), true);
      const changedMs = await cpuOfReads(fleet, platform, READS, true);
      const files = readdirSync(`/proc/${subject.pid}/fd`).length;
      const polledMb = residentMb(subject);
      const highest = highestMb(subject);
      const answerMs = await timeToAnswer(fleet);
      if (onlineOf(recorder) !== count) throw new Error(`${onlineOf(recorder)} of ${count} accounts are online`);
      const beforeStop = process.hrtime.bigint();
      await subject.stop();
      return {
        startMs,
        startCpuMs,
        startedMb,
        unchangedMs,
        changedMs,
        polledMb,
        highestMb: highest,
        files,
        calls,
        answerMs,
        stopMs: msBetween(beforeStop, process.hrtime.bigint()),
      };
    } finally {
      // Past its time it is ended by force.
      await subject.stop().catch(() => undefined);
      await recorder.close();
      await broker.stop();
      rmSync(folder, { recursive: true });
    }
  });

const figures = new Figures('.');
figures.atBroker(BROKER_NAMES[USERS_BROKER]);
let first: Found | undefined;
for (const count of options.workers === undefined && !options.day ? COUNTS : []) {
  try {
    const found = await measure(count);
    first ??= found;
    const of = `${count} × ${FEATURES}`;
    figures.add({ name: `${of}: memory at the start`, value: found.startedMb, floor: 0, limit: undefined, unit: 'MB' });
    figures.add({ name: `${of}: memory after reads`, value: found.polledMb, floor: 0, limit: { most: MOST_MB }, unit: 'MB' });
    figures.add({ name: `${of}: highest memory`, value: found.highestMb, floor: 0, limit: undefined, unit: 'MB' });
    const ms = (name: string, value: number, floor: number, limit: Parameters<typeof figures.add>[0]['limit']): void =>
      figures.add({ name: `${of}: ${name}`, value, floor, limit, unit: 'ms' });
    ms('start, to the last value of the last account', found.startMs, 0, { most: MOST_START_MS });
    ms('CPU of the start', found.startCpuMs, 0, undefined);
    ms('CPU of an unchanged read', found.unchangedMs, first.unchangedMs, 1.2);
    ms('CPU of a read, all changed', found.changedMs, first.changedMs, 1.2);
    ms('write to answer, p50', median(found.answerMs), median(first.answerMs), undefined);
    ms('write to answer, p99', quantile(found.answerMs, 0.99), quantile(first.answerMs, 0.99), undefined);
    ms('stop of all', found.stopMs, 0, { most: MOST_STOP_MS });
    if (found.calls > MOST_CALLS) throw new Error(`an account has called the platform ${found.calls} times at its start`);
    console.log(
      `     ${found.files} open files, at most ${found.calls} calls of an account at the start, load ${loadavg()[0]?.toFixed(1)}`,
    );
  } catch (cause) {
    figures.failed(`${count} accounts`, cause);
    await endAll();
  }
}
for (const count of options.day || (options.workers === undefined && GIVEN.length > 0) ? [] : SHARED) {
  try {
    const found = await measureWorkers(dir, WORKERS, count);
    const of = `${count} × ${FEATURES}, ${WORKERS} workers`;
    const add = (name: string, value: number, unit: 'MB' | 'ms', most?: number): void =>
      figures.add({ name: `${of}: ${name}`, value, floor: 0, limit: most === undefined ? undefined : { most }, unit });
    add('memory of the largest after reads', Math.max(...found.polledMb), 'MB');
    add('highest memory', Math.max(...found.highestMb), 'MB');
    add('start, to the last value of the last account', found.startMs, 'ms');
    add('CPU of the start', found.startCpuMs, 'ms');
    add('CPU of an unchanged read', found.unchangedMs, 'ms');
    add('CPU of a read, all changed', found.changedMs, 'ms');
    add('write to answer, p50', median(found.answerMs), 'ms');
    add('write to answer, p99', quantile(found.answerMs, 0.99), 'ms');
    add('a worker hands over', found.handOverMs, 'ms');
    add('a worker is killed, until all are served', found.takeOverMs, 'ms', MOST_TAKE_OVER_MS);
    console.log(`     at most ${found.calls} calls of an account at the start, load ${loadavg()[0]?.toFixed(1)}`);
  } catch (cause) {
    figures.failed(`${count} accounts, ${WORKERS} workers`, cause);
    await endAll();
  }
}
if (options.day) {
  const [count = 10] = GIVEN;
  const found = await measureDay(dir, WORKERS, count);
  const add = (name: string, value: number, unit: 'MB' | 'ms' | 'kB', floor = 0): void =>
    figures.add({ name: `${count} × ${FEATURES}, ${WORKERS} workers, a day: ${name}`, value, floor, limit: undefined, unit });
  add('CPU of all workers for an account', found.cpuMs, 'ms');
  add('memory of the largest, floor: after an hour', found.lastMb, 'MB', found.firstMb);
  add('files of a node, floor: after an hour', found.lastKb, 'kB', found.firstKb);
  add('write to answer, p50', median(found.answerMs), 'ms');
  add('write to answer, p99', quantile(found.answerMs, 0.99), 'ms');
  console.log(`     ${found.answerMs.length} writes; the day took ${Math.round(found.tookMs / 1000)} s, load ${loadavg()[0]?.toFixed(1)}`);
}
figures.end();
if (options.json) {
  writeFileSync(options.out, `${JSON.stringify(figures.report(), undefined, 2)}\n`);
  console.log(`written: ${options.out}`);
}
process.exit();
