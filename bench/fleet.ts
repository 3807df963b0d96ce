import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeTokens } from '../src/platform/auth/tokenFile.ts';
import { BROKER_NAMES, type Broker, startBroker, USERS_BROKER } from './brokers.ts';
import { Figures } from './figures.ts';
import { cpuMs, DISK, endAll, highestMb, residentMb, type Subject } from './processes.ts';
import { msBetween, withPlatform } from './start.ts';
import { listen, median, type Platform, quantile, type Recorder, settingsFor, startBridge } from './world.ts';

/**
 * `npm run build && npm run bench:fleet`: many accounts in one process of the release, each by a file in `accounts.d`, with an own client id,
 * login, device, folder and connection to the broker. The floor of a figure is the same figure with the first number of accounts, which is one.
 */
const HELP = `npm run bench:fleet -- [numbers of accounts] [--json [--out FILE]]
  numbers     the default is 1 10 100 300
  --json      writes the figures, too
  --out FILE  where; the default is bench/fleetFigures.json`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    out: { type: 'string', default: join(import.meta.dirname, 'fleetFigures.json') },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(HELP);
  process.exit(0);
}
const COUNTS = positionals.length > 0 ? positionals.map(Number) : [1, 10, 100, 300];

/** With the schedule and the program that the platform adds. */
const FEATURES = 110;
const SENSORS = FEATURES - 2;
/** Of all accounts together. */
const READS = 150;
const WRITES = 60;
const SETTLED_MS = 2000;
const PAUSE_MS = 10;

const MOST_MB = 350;
const MOST_START_MS = 60_000;
/** Of one account until all are started: what the platform allows in ten minutes. */
const MOST_CALLS = 120;
const MOST_STOP_MS = 10_000;

const dir = mkdtempSync(join(DISK, 'h2m-fleet-'));
process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
process.env['CACHE_DIRECTORY'] = join(dir, 'cache');
mkdirSync(process.env['CACHE_DIRECTORY']);

const accountsOf = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `home${i}`);

/** Writes the files of these accounts. Gives the settings of the process, which has no account beside them, and no page. */
const settingsOf = async (platform: Platform, broker: Broker, folder: string, names: readonly string[]): Promise<object> => {
  mkdirSync(join(folder, 'accounts.d'));
  const now = Date.now();
  const { devices: _, platform: all, ...settings } = settingsFor(platform, broker, folder, []);
  for (const name of names) {
    const row = { client_id: `client-of-${name}`, devices: settingsFor(platform, broker, folder, [`gateway-${name}`]).devices };
    writeFileSync(join(folder, 'accounts.d', `${name}.yaml`), JSON.stringify(row));
    const own = join(folder, 'accounts', name);
    mkdirSync(own, { recursive: true, mode: 0o700 });
    await writeTokens(own, { access_token: `token-of-${name}`, expires_at: now + 86_400_000, scope: 'IoT User', consent_at: now });
  }
  const { client_id: __, ...shared } = all;
  return { ...settings, platform: shared };
};

const deviceOf = (name: string): string => `bench/${name}/gateway-${name}`;
/** The last topic that a read publishes of what changes. */
const lastTopic = (name: string): string => `${deviceOf(name)}/heating/bench/sensors/${SENSORS - 1}/value`;
const FILTERS = ['bench/+/bridge/state', 'bench/+/+/result', `bench/+/+/heating/bench/sensors/${SENSORS - 1}/value`];

/** A start may take longer than anything is waited for; it is printed, then, beside its limit. */
const allHeard = (recorder: Recorder, topics: ReadonlySet<string>): Promise<bigint> => {
  const heard = (): Promise<bigint> => recorder.all(topics);
  return heard().catch(heard).catch(heard);
};

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

type Fleet = { readonly recorder: Recorder; readonly subject: Subject; readonly names: readonly string[] };

/** CPU of a read in milliseconds, by one account after another. */
const cpuOfReads = async ({ recorder, subject, names }: Fleet, platform: Platform, reads: number, isChanged: boolean): Promise<number> => {
  await pause(SETTLED_MS);
  const before = cpuMs(subject);
  for (let read = 0; read < reads; read += 1) {
    const name = names[read % names.length] ?? '';
    const done = isChanged ? recorder.next(lastTopic(name)) : platform.next('got');
    await recorder.client.publishAsync(`bench/${name}/bridge/poll/set`, 'all', { qos: 1 });
    await done;
    await pause(PAUSE_MS);
  }
  await pause(PAUSE_MS);
  return (cpuMs(subject) - before) / reads;
};

/** From a write to the answer that the platform has accepted it, in milliseconds. */
const timeToAnswer = async ({ recorder, names }: Fleet): Promise<readonly number[]> => {
  const times: number[] = [];
  for (let write = 0; write < WRITES; write += 1) {
    const name = names[Math.floor((write * names.length) / WRITES) % names.length] ?? '';
    const answered = recorder.next(`${deviceOf(name)}/result`, (result) => /accepted|done/.test(result));
    const before = process.hrtime.bigint();
    const topic = `${deviceOf(name)}/heating/circuits/0/operating/programs/comfort/temperature/set`;
    recorder.client.publish(topic, String(21 + (write % 5)), { qos: 1 });
    times.push(msBetween(before, await answered));
    await pause(PAUSE_MS);
  }
  return times;
};

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
    const all = allHeard(recorder, new Set(names.flatMap((name) => [`bench/${name}/bridge/state`, lastTopic(name)])));
    const subject = startBridge(folder, settings);
    const fleet = { recorder, subject, names };
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
      const online = [...recorder.topics].filter(([topic, payload]) => topic.endsWith('/bridge/state') && payload === 'online').length;
      if (online !== count) throw new Error(`${online} of ${count} accounts are online`);
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
for (const count of COUNTS) {
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
figures.end();
if (options.json) {
  writeFileSync(options.out, `${JSON.stringify(figures.report(), undefined, 2)}\n`);
  console.log(`written: ${options.out}`);
}
process.exit();
