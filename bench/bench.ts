import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../test/support/network/freePort.ts';
import { BROKER_NAMES, type Broker, type BrokerKind, brokersHere } from './brokers.ts';
import { alternate, Figures } from './figures.ts';
import { openPage } from './openPage.ts';
import { cpuMs, DISK, endAll, highestMb, residentMb, type Subject } from './processes.ts';
import { deviceTopics, type Message, msBetween, ONLINE, pageAnswers, publishedBy, startTime, withBroker, withPlatform } from './start.ts';
import { DISK_NAMES, FIRST_MINUTE, firstMinute, IDLE, idle, writtenToDisk } from './waiting.ts';
import {
  dataDir,
  gatewaysOf,
  makeFloor,
  measureRelease,
  median,
  type Platform,
  quantile,
  type Recorder,
  releaseFile,
  settingsFor,
  startBridge,
} from './world.ts';

/**
 * `npm run bench [words]`: the release beside a floor (bench/floor.ts), both measured alternately in the same run, on loopback.
 * With words, only the rows whose names hold one of them. Fails when something that is waited for does not come.
 */
const HELP = `npm run bench -- [words] [--json [--out FILE]] [--dist FOLDER] [--tuned]
  words         only the rows whose names hold one of them
  --json        writes the figures, too
  --out FILE    where; the default is bench/figures.json
  --dist FOLDER the release that is measured; the default is dist
  --tuned       also with a broker that is tuned for it`;

const ROUNDS = 5;
/** Of what takes seconds. */
const FEW_ROUNDS = 3;
const FEATURES = 323;
const CHANGED_FEATURES = 300;
const READS = 10;
const WARM_READS = 30;
const COUNTED_READS = 20;
const PAIRS_FOR_MEMORY = 3;
const WRITES = 200;
/** Between an answer and the next write: nobody sends the next one within milliseconds. */
const WRITE_PAUSE_MS = 100;
const GATEWAYS = 100;
/** Sensors have two properties and a record each. */
const SENSORS_OF_480_TOPICS = 156;

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    out: { type: 'string', default: join(import.meta.dirname, 'figures.json') },
    dist: { type: 'string', default: 'dist' },
    tuned: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(HELP);
  process.exit(0);
}
measureRelease(options.dist);
if (!existsSync(releaseFile())) {
  console.error('the release is measured, and it is not built: npm run build');
  process.exit(1);
}

const dir = mkdtempSync(join(DISK, 'h2m-bench-'));
process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
const startFloor = await makeFloor(dir);
const figures = new Figures(dirname(resolve(options.dist)));

/** A bridge with its page, as users have it. */
type Prepared = { readonly port: number; start(): Subject };
const prepare = async (platform: Platform, broker: Broker, gateways: readonly string[]): Promise<Prepared> => {
  const folder = await dataDir(dir);
  const port = await freePort();
  const settings = settingsFor(platform, broker, folder, gateways, port);
  return { port, start: () => startBridge(folder, settings) };
};

type StartRow = {
  readonly name: string;
  readonly features: number;
  readonly gateways: readonly string[];
  readonly limit: number;
  readonly rounds: number;
};

/** From the start of the process to the last of the topics heard. */
const startUp =
  ({ name, features, gateways, limit, rounds }: StartRow) =>
  (kind: BrokerKind): Promise<void> =>
    withPlatform(features, async (platform) => {
      const bridgeOf = async (broker: Broker): Promise<() => Subject> => (await prepare(platform, broker, gateways)).start;
      const messages: readonly Message[] = await publishedBy(
        kind,
        dir,
        async (broker) => (await bridgeOf(broker))(),
        1500 + gateways.length * 50,
      );
      const file = join(dir, 'messages.json');
      writeFileSync(file, JSON.stringify(messages));
      const [bridge, floor] = await alternate(
        rounds,
        () => startTime(kind, dir, messages, bridgeOf),
        () =>
          startTime(
            kind,
            dir,
            messages,
            async ({ url }) =>
              () =>
                startFloor({ broker: url, platform: platform.url, gateways, messages: file }),
          ),
      );
      const of = (key: 'ms' | 'documentsMs') => ({
        value: median(bridge.map((one) => one[key])),
        floor: median(floor.map((one) => one[key])),
        unit: 'ms' as const,
      });
      figures.add({ name: `${name} of ${deviceTopics(messages).size}`, ...of('ms'), limit });
      figures.add({ name: `${name.replace(/, to .*/, '')}, to the last document`, ...of('documentsMs'), limit: undefined });
    });

/** The same with everything known, to `online`, which says that commands are heard. */
const warmStart =
  (name: string) =>
  (kind: BrokerKind): Promise<void> =>
    withPlatform(CHANGED_FEATURES - 2, (platform) =>
      withBroker(kind, dir, async (broker, recorder) => {
        const gateways = gatewaysOf(1);
        const { start } = await prepare(platform, broker, gateways);
        const first = start();
        await recorder.next('bench/bridge/state', ONLINE);
        await recorder.quiet(1500);
        await first.stop();
        const timed = (topic: string, begin: () => Subject) => async (): Promise<number> => {
          const online = recorder.next(topic, ONLINE);
          const before = process.hrtime.bigint();
          const subject = begin();
          const time = msBetween(before, await online);
          await recorder.quiet(500);
          await subject.stop();
          return time;
        };
        const [bridge, floor] = await alternate(
          ROUNDS,
          timed('bench/bridge/state', start),
          timed('bench/floor/state', () => startFloor({ broker: broker.url, platform: platform.url, gateways })),
        );
        figures.add({ name, value: median(bridge), floor: median(floor), limit: 1.5, unit: 'ms' });
      }),
    );

type Pair = {
  readonly platform: Platform;
  readonly recorder: Recorder;
  readonly bridge: Subject;
  readonly floor: Subject;
  readonly startFloor: (options: { readonly isSmall: boolean }) => Promise<Subject>;
  /** Where the page of the bridge is. */
  readonly port: number;
  readonly gateways: readonly string[];
  /** The topics of the values of sensors. */
  readonly sensors: ReadonlySet<string>;
};

/** A bridge and a floor side by side, both warm. */
const withPair = (kind: BrokerKind, features: number, gateways: readonly string[], measure: (pair: Pair) => Promise<void>): Promise<void> =>
  withPlatform(features, (platform) =>
    withBroker(kind, dir, async (broker, recorder) => {
      const { port, start } = await prepare(platform, broker, gateways);
      const floorOnline = async (isSmall: boolean): Promise<Subject> => {
        const online = recorder.next('bench/floor/state', ONLINE);
        const started = startFloor({ broker: broker.url, platform: platform.url, gateways }, { isSmall });
        await online;
        return started;
      };
      const online = recorder.next('bench/bridge/state', ONLINE);
      const subjects = [start()];
      try {
        await online;
        await pageAnswers(port);
        await recorder.quiet(1500);
        const sensors = new Set([...recorder.topics.keys()].filter((topic) => /sensors\/\d+\/value$/.test(topic)));
        // The states of many topics are published once more some seconds after a start; those of many gateways after minutes.
        const [repeated] = sensors;
        if (repeated !== undefined && gateways.length === 1) {
          await recorder.next(repeated);
          await recorder.quiet(1500);
        }
        const floor = await floorOnline(false);
        subjects.push(floor);
        const startAnother = async ({ isSmall }: { readonly isSmall: boolean }): Promise<Subject> => {
          const another = await floorOnline(isSmall);
          subjects.push(another);
          return another;
        };
        const [bridge] = subjects;
        if (bridge) await measure({ platform, recorder, bridge, floor, startFloor: startAnother, port, gateways, sensors });
      } finally {
        for (const subject of subjects) await subject.stop();
      }
    }),
  );

const pollBridge = ({ recorder }: Pair): Promise<unknown> => recorder.client.publishAsync('bench/bridge/poll/set', 'all', { qos: 1 });
const pollFloor = ({ recorder }: Pair, sensors: number): Promise<unknown> =>
  recorder.client.publishAsync('bench/floor/read', String(sensors), { qos: 1 });

/** Time that a read has at least, for what follows it. */
const SETTLED_MS = 40;

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** CPU of a read of one gateway, over some reads. */
const cpuOfReads = async (
  { platform, recorder, gateways }: Pair,
  subject: Subject,
  reads: number,
  poll: () => Promise<unknown>,
): Promise<number> => {
  const before = cpuMs(subject);
  for (let i = 0; i < reads; i += 1) {
    const got = platform.next('got', gateways.length);
    await poll();
    await got;
    await recorder.quiet(SETTLED_MS);
    await pause(SETTLED_MS);
  }
  return (cpuMs(subject) - before) / (reads * gateways.length);
};

const cpuOfRead =
  (name: string, changed: number, limit: number) =>
  (kind: BrokerKind): Promise<void> =>
    withPair(kind, FEATURES, gatewaysOf(1), async (pair) => {
      await pair.platform.change(changed);
      await cpuOfReads(pair, pair.bridge, WARM_READS, () => pollBridge(pair));
      await cpuOfReads(pair, pair.floor, WARM_READS, () => pollFloor(pair, changed));
      const [bridge, floor] = await alternate(
        ROUNDS,
        () => cpuOfReads(pair, pair.bridge, READS, () => pollBridge(pair)),
        () => cpuOfReads(pair, pair.floor, READS, () => pollFloor(pair, changed)),
      );
      figures.add({ name, value: median(bridge), floor: median(floor), limit, unit: 'ms' });
    });

/** What a read with all values changed takes: from the GET to the last topic heard, and the CPU. */
type ReadCost = { readonly ms: number; readonly cpu: number };

const timeOfRead = async ({ platform, recorder, sensors }: Pair, subject: Subject, poll: () => Promise<unknown>): Promise<ReadCost> => {
  recorder.clear();
  const all = recorder.all(sensors);
  const got = platform.next('got');
  const before = cpuMs(subject);
  await poll();
  const ms = msBetween(await got, await all);
  await recorder.quiet(SETTLED_MS);
  return { ms, cpu: cpuMs(subject) - before };
};

const ALL_CHANGED = 'GET to published, all changed';
const CPU_ALL_CHANGED = 'CPU of a read of 302 features, 300 changed';

const allChanged = (kind: BrokerKind): Promise<void> =>
  withPair(kind, CHANGED_FEATURES, gatewaysOf(1), async (pair) => {
    await pair.platform.change(CHANGED_FEATURES);
    const [bridge, floor] = await alternate(
      WARM_READS + COUNTED_READS,
      () => timeOfRead(pair, pair.bridge, () => pollBridge(pair)),
      () => timeOfRead(pair, pair.floor, () => pollFloor(pair, CHANGED_FEATURES)),
    );
    const of = (reads: readonly ReadCost[], key: keyof ReadCost): number => median(reads.slice(-COUNTED_READS).map((one) => one[key]));
    figures.add({ name: ALL_CHANGED, value: of(bridge, 'ms'), floor: of(floor, 'ms'), limit: 2, unit: 'ms' });
    figures.add({ name: CPU_ALL_CHANGED, value: of(bridge, 'cpu'), floor: of(floor, 'cpu'), limit: 2, unit: 'ms' });
  });

const MEMORY = 'memory after reads with all changed, page not opened';
const MEMORY_HIGHEST = 'highest memory until then';
const MEMORY_OPEN = 'memory with the page open (floor: not opened)';

/** Of several bridges and floors, as the memory of one and the same program differs from start to start. */
const memory = async (kind: BrokerKind): Promise<void> => {
  const found: { readonly [K in 'closed' | 'open' | 'floor' | 'highest' | 'highestFloor']: number }[] = [];
  // The first one compiles its code and keeps it for the others; it does not count.
  for (let i = -1; i < PAIRS_FOR_MEMORY; i += 1) {
    await withPair(kind, CHANGED_FEATURES, gatewaysOf(1), async (pair) => {
      await pair.platform.change(CHANGED_FEATURES);
      // With V8's flags of the release, with which a program takes less memory and more CPU.
      await pair.floor.stop();
      const floor = await pair.startFloor({ isSmall: true });
      const readAll = (reads: number) =>
        alternate(
          reads,
          () => timeOfRead(pair, pair.bridge, () => pollBridge(pair)),
          () => timeOfRead(pair, floor, () => pollFloor(pair, CHANGED_FEATURES)),
        );
      await readAll(WARM_READS);
      const highest = { highest: highestMb(pair.bridge), highestFloor: highestMb(floor) };
      const before = { closed: residentMb(pair.bridge), floor: residentMb(floor), ...highest };
      const page = await openPage(pair.port);
      try {
        await readAll(COUNTED_READS);
        if (i >= 0) found.push({ ...before, open: residentMb(pair.bridge) });
      } finally {
        page.close();
      }
    });
  }
  const of = (key: keyof (typeof found)[number]): number => median(found.map((one) => one[key]));
  figures.add({ name: MEMORY, value: of('closed'), floor: of('floor'), limit: { plus: 20 }, unit: 'MB' });
  figures.add({ name: MEMORY_HIGHEST, value: of('highest'), floor: of('highestFloor'), limit: { plus: 20 }, unit: 'MB' });
  const grown = median(found.map(({ open, closed }) => open - closed));
  figures.add({ name: MEMORY_OPEN, value: of('closed') + grown, floor: of('closed'), limit: { plus: 6 }, unit: 'MB' });
};

const day = (end: string): object => [{ start: '06:00', end, mode: 'normal', position: 0 }];
const WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const weekUntil = (end: string, monday = end): string =>
  JSON.stringify(Object.fromEntries(WEEK.map((name) => [name, day(name === 'mon' ? monday : end)])));

const SCHEDULE = 'heating/circuits/0/heating/schedule';
const COMFORT = 'heating/circuits/0/operating/programs/comfort';

type Write = {
  readonly name: string;
  readonly topic: string;
  readonly floor: string;
  readonly payload: (i: number) => readonly [bridge: string, floor: string];
};
const WRITES_OF: readonly Write[] = [
  {
    name: 'message to POST, one value',
    topic: `bench/gateway0/${COMFORT}/temperature`,
    floor: 'value',
    payload: (i) => [String(20 + (i % 5)), String(20 + (i % 5))],
  },
  {
    name: 'message to POST, whole week',
    topic: `bench/gateway0/${SCHEDULE}`,
    floor: 'week',
    payload: (i) => [weekUntil(`2${i % 3}:00`), weekUntil(`2${i % 3}:00`)],
  },
  {
    name: 'message to POST, one day',
    topic: `bench/gateway0/${SCHEDULE}`,
    floor: 'day',
    // Both send the same week: after a change of another day the bridge would wait until a read has told what the change replaced.
    payload: (i) => [JSON.stringify({ mon: day(`2${i % 3}:00`) }), weekUntil('22:00', `2${i % 3}:00`)],
  },
];

const messageToPost =
  ({ name, topic, floor, payload }: Write) =>
  (kind: BrokerKind): Promise<void> =>
    withPair(kind, FEATURES, gatewaysOf(1), async ({ platform, recorder }) => {
      const timed = async (at: string, text: string, answer: string): Promise<number> => {
        const posted = platform.next('posted');
        const answered = recorder.next(answer, (result) => /accepted|done/.test(result));
        const before = process.hrtime.bigint();
        recorder.client.publish(at, text, { qos: 1 });
        const time = msBetween(before, await posted);
        await answered;
        await pause(WRITE_PAUSE_MS);
        return time;
      };
      let writes = 0;
      const [bridge, bare] = await alternate(
        WRITES,
        () => timed(`${topic}/set`, payload(++writes)[0], 'bench/gateway0/result'),
        () => timed(`bench/floor/${floor}`, payload(writes)[1], 'bench/floor/result'),
      );
      figures.add({ name: `${name}, p50`, value: median(bridge), floor: median(bare), limit: 1.6, unit: 'ms' });
      figures.add({ name: `${name}, p99`, value: quantile(bridge, 0.99), floor: quantile(bare, 0.99), limit: 2, unit: 'ms' });
    });

/** CPU of a read of one of many gateways, beside that of the only one. */
const manyGateways =
  (name: string) =>
  async (kind: BrokerKind): Promise<void> => {
    const cpuWith = async (gateways: number): Promise<number> => {
      const values: number[] = [];
      await withPair(kind, FEATURES, gatewaysOf(gateways), async (pair) => {
        const rounds = Math.max(1, Math.round(GATEWAYS / 4 / gateways));
        for (let i = -1; i < ROUNDS; i += 1) {
          const value = await cpuOfReads(pair, pair.bridge, rounds, () => pollBridge(pair));
          if (i >= 0) values.push(value);
        }
      });
      return median(values);
    };
    const [one, all] = [await cpuWith(1), await cpuWith(GATEWAYS)];
    figures.add({ name, value: all, floor: one, limit: 1.2, unit: 'ms' });
  };

/** A row gives one figure or more. `atEach`: also at the other brokers, as it depends on them. */
type Row = { readonly names: readonly string[]; readonly atEach?: boolean; readonly measure: (kind: BrokerKind) => Promise<void> };

const start = (row: Omit<StartRow, 'rounds' | 'limit'> & Partial<StartRow>, atEach = false): Row => ({
  names: [row.name],
  atEach,
  measure: startUp({ rounds: ROUNDS, limit: 1.5, ...row }),
});
const named = (name: string, measure: (name: string) => Row['measure'], atEach = false): Row => ({
  names: [name],
  atEach,
  measure: measure(name),
});

const ROWS: readonly Row[] = [
  start({ name: 'start, nothing kept, to the last topic', features: CHANGED_FEATURES - 2, gateways: gatewaysOf(1) }, true),
  start({ name: 'start, 240 features, to the last topic', features: 238, gateways: gatewaysOf(1), limit: 1.3 }),
  named('start, everything kept, to ready for commands', warmStart, true),
  named(`CPU of an unchanged read of ${FEATURES + 2} features`, (name) => cpuOfRead(name, 0, 2)),
  named(`CPU of a read of ${FEATURES + 2} features, 30 changed`, (name) => cpuOfRead(name, 30, 2.2)),
  { names: [ALL_CHANGED, CPU_ALL_CHANGED], atEach: true, measure: allChanged },
  { names: [MEMORY, MEMORY_HIGHEST, MEMORY_OPEN], measure: memory },
  { names: DISK_NAMES, measure: writtenToDisk(dir, figures) },
  { names: [FIRST_MINUTE], measure: firstMinute(dir, figures) },
  { names: [IDLE], measure: idle(dir, figures) },
  ...WRITES_OF.map((write, at) => ({ names: [write.name], atEach: at === 0, measure: messageToPost(write) })),
  named(`CPU of a read, ${GATEWAYS} gateways beside 1`, manyGateways),
  start({
    name: 'start with 60 gateways, to the last topic',
    features: SENSORS_OF_480_TOPICS,
    gateways: gatewaysOf(60),
    rounds: FEW_ROUNDS,
  }),
  start({
    name: `start with ${GATEWAYS} gateways, to the last topic`,
    features: SENSORS_OF_480_TOPICS,
    gateways: gatewaysOf(GATEWAYS),
    rounds: FEW_ROUNDS,
  }),
];

/** The last lines of the log that was written last, which may say why a row could not be measured. */
const endOfLog = (): string => {
  const logs = readdirSync(dir).filter((name) => name.endsWith('.log'));
  const [newest] = logs.map((name) => join(dir, name)).toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  return newest ? readFileSync(newest, 'utf8').split('\n').slice(-10).join('\n') : '';
};

const isWanted = ({ names }: Row): boolean => words.length === 0 || words.some((word) => names.some((name) => name.includes(word)));

const tuned: readonly BrokerKind[] = options.tuned ? ['tuned'] : [];
for (const [at, kind] of brokersHere(['debian', 'home-assistant', ...tuned]).entries()) {
  const rows = ROWS.filter((row) => isWanted(row) && (at === 0 || row.atEach));
  if (rows.length > 0) figures.atBroker(BROKER_NAMES[kind]);
  for (const [number, row] of rows.entries()) {
    // Compiled code is kept for each row by itself, as for the home of a user, and not in that of who measures.
    process.env['CACHE_DIRECTORY'] = join(dir, `cache-${at}-${number}`);
    try {
      await row.measure(kind);
    } catch (cause) {
      figures.failed(row.names.join(', '), cause);
      await endAll();
      console.error(endOfLog());
    }
  }
}
figures.end();
if (options.json) {
  writeFileSync(options.out, `${JSON.stringify(figures.report(), undefined, 2)}\n`);
  console.log(`written: ${options.out}`);
}
// What a row that failed still waits for does not keep the bench from its end.
process.exit();
