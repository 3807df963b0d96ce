import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alternate, Figures } from './figures.ts';
import { msBetween, ONLINE, publishedBy, startTime, withBroker, withPlatform } from './start.ts';
import {
  BROKER_NAME,
  type Broker,
  cpuMs,
  dataDir,
  gatewaysOf,
  makeFloor,
  median,
  type Platform,
  quantile,
  type Recorder,
  residentMb,
  type Subject,
  settingsFor,
  startBridge,
} from './world.ts';

/**
 * `npm run bench [words]`: the release beside a floor (bench/floor.ts), both measured alternately in the same run, on loopback.
 * With words, only the figures whose names hold one of them. Fails when something that is waited for does not come.
 */
const ROUNDS = 7;
const FEATURES = 323;
const CHANGED_FEATURES = 300;
const READS = 20;
const WARM_READS = 60;
const WRITES = 300;
const GATEWAYS = 100;
/** Sensors have two properties and a record each. */
const SENSORS_OF_480_TOPICS = 156;

const dir = mkdtempSync(join(tmpdir(), 'h2m-bench-'));
const startFloor = await makeFloor(dir);
const words = process.argv.slice(2);
const figures = new Figures();

const isWanted = (name: string): boolean => words.length === 0 || words.some((word) => name.includes(word));

/** From the start of the process to the last of the topics heard. */
const startUp = async (name: string, features: number, gateways: readonly string[]): Promise<void> => {
  if (!isWanted(name)) return;
  await withPlatform(features, async (platform) => {
    const prepare = async (broker: Broker): Promise<() => Subject> => {
      const folder = await dataDir(dir);
      return () => startBridge(folder, settingsFor(platform, broker, folder, gateways));
    };
    const messages = await publishedBy(dir, async (broker) => (await prepare(broker))());
    const file = join(dir, 'messages.json');
    writeFileSync(file, JSON.stringify(messages));
    const topics = new Set(messages.map(([topic]) => topic));
    const [bridge, floor] = await alternate(
      ROUNDS,
      () => startTime(dir, topics, prepare),
      () =>
        startTime(
          dir,
          topics,
          async ({ url }) =>
            () =>
              startFloor({ broker: url, platform: platform.url, gateways, messages: file }),
        ),
    );
    figures.add({
      name: `${name} (${topics.size} topics)`,
      value: median(bridge.map(({ ms }) => ms)),
      floor: median(floor.map(({ ms }) => ms)),
      limit: 1.5,
      unit: 'ms',
    });
  });
};

/** The same with everything known, to `online`, which says that commands are heard. */
const warmStart = async (name: string): Promise<void> => {
  if (!isWanted(name)) return;
  await withPlatform(CHANGED_FEATURES - 2, (platform) =>
    withBroker(dir, async (broker, recorder) => {
      const folder = await dataDir(dir);
      const gateways = gatewaysOf(1);
      const settings = settingsFor(platform, broker, folder, gateways);
      const first = startBridge(folder, settings);
      await recorder.next('bench/bridge/state', ONLINE);
      await recorder.quiet(1500);
      await first.stop();
      const timed = (start: () => Subject) => async (): Promise<number> => {
        const online = recorder.next('bench/bridge/state', ONLINE);
        const before = process.hrtime.bigint();
        const subject = start();
        const time = msBetween(before, await online);
        await recorder.quiet(500);
        await subject.stop();
        return time;
      };
      const [bridge, floor] = await alternate(
        ROUNDS,
        timed(() => startBridge(folder, settings)),
        timed(() => startFloor({ broker: broker.url, platform: platform.url, gateways })),
      );
      figures.add({ name, value: median(bridge), floor: median(floor), limit: 1.5, unit: 'ms' });
    }),
  );
};

type Pair = {
  readonly platform: Platform;
  readonly recorder: Recorder;
  readonly bridge: Subject;
  readonly floor: Subject;
  readonly gateways: readonly string[];
};

/** A bridge and a floor side by side, both warm. */
const withPair = (features: number, gateways: readonly string[], measure: (pair: Pair) => Promise<void>): Promise<void> =>
  withPlatform(features, (platform) =>
    withBroker(dir, async (broker, recorder) => {
      const folder = await dataDir(dir);
      const bridge = startBridge(folder, settingsFor(platform, broker, folder, gateways));
      await recorder.next('bench/bridge/state', ONLINE);
      await recorder.quiet(1500);
      const floor = startFloor({ broker: broker.url, platform: platform.url, gateways });
      await recorder.next('bench/bridge/state', ONLINE);
      try {
        await measure({ platform, recorder, bridge, floor, gateways });
      } finally {
        await bridge.stop();
        await floor.stop();
      }
    }),
  );

const pollBridge = ({ recorder }: Pair): Promise<unknown> => recorder.client.publishAsync('bench/bridge/poll/set', 'all', { qos: 1 });
const pollFloor = ({ recorder }: Pair, sensors: number): Promise<unknown> =>
  recorder.client.publishAsync('bench/floor/read', String(sensors), { qos: 1 });

/** Time that a read has at least, for what follows it. */
const SETTLED_MS = 40;

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
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
  }
  return (cpuMs(subject) - before) / (reads * gateways.length);
};

const cpuOfRead = async (name: string, changed: number, most: number): Promise<void> => {
  if (!isWanted(name)) return;
  await withPair(FEATURES, gatewaysOf(1), async (pair) => {
    await pair.platform.change(changed);
    await cpuOfReads(pair, pair.bridge, WARM_READS, () => pollBridge(pair));
    await cpuOfReads(pair, pair.floor, WARM_READS, () => pollFloor(pair, changed));
    const [bridge, floor] = await alternate(
      ROUNDS,
      () => cpuOfReads(pair, pair.bridge, READS, () => pollBridge(pair)),
      () => cpuOfReads(pair, pair.floor, READS, () => pollFloor(pair, changed)),
    );
    figures.add({ name, value: median(bridge), floor: median(floor), limit: most, unit: 'ms' });
  });
};

/** From the GET to the last topic heard, all values changed; then the memory of both. */
const throughput = async (name: string, memory: string): Promise<void> => {
  if (!isWanted(name) && !isWanted(memory)) return;
  await withPair(CHANGED_FEATURES, gatewaysOf(1), async (pair) => {
    await pair.platform.change(CHANGED_FEATURES);
    const sensors = new Set([...pair.recorder.topics.keys()].filter((topic) => /sensors\/\d+\/value$/.test(topic)));
    const round = async (poll: () => Promise<unknown>): Promise<number> => {
      pair.recorder.clear();
      const all = pair.recorder.all(sensors);
      const got = pair.platform.next('got');
      await poll();
      const time = msBetween(await got, await all);
      await pair.recorder.quiet(SETTLED_MS);
      return time;
    };
    const [bridge, floor] = await alternate(
      WARM_READS,
      () => round(() => pollBridge(pair)),
      () => round(() => pollFloor(pair, CHANGED_FEATURES)),
    );
    if (isWanted(name)) figures.add({ name, value: median(bridge.slice(-30)), floor: median(floor.slice(-30)), limit: 1.25, unit: 'ms' });
    if (isWanted(memory)) {
      figures.add({ name: memory, value: residentMb(pair.bridge), floor: residentMb(pair.floor), limit: { plus: 25 }, unit: 'MB' });
    }
  });
};

const day = (end: string): object => [{ start: '06:00', end, mode: 'normal', position: 0 }];
const WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const weekUntil = (end: string): string => JSON.stringify(Object.fromEntries(WEEK.map((name) => [name, day(end)])));

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
    payload: (i) => [JSON.stringify({ mon: day(`2${i % 3}:00`) }), weekUntil(`2${i % 3}:00`)],
  },
];

const messageToPost = async ({ name, topic, floor, payload }: Write): Promise<void> => {
  if (!isWanted(name)) return;
  await withPair(FEATURES, gatewaysOf(1), async ({ platform, recorder }) => {
    const timed = async (at: string, text: string, answer: string): Promise<number> => {
      const posted = platform.next('posted');
      const answered = recorder.next(answer, (result) => /accepted|done/.test(result));
      const before = process.hrtime.bigint();
      recorder.client.publish(at, text, { qos: 1 });
      const time = msBetween(before, await posted);
      await answered;
      return time;
    };
    let writes = 0;
    const [bridge, bare] = await alternate(
      WRITES,
      () => timed(`${topic}/set`, payload(++writes)[0], 'bench/gateway0/result'),
      () => timed(`bench/floor/${floor}`, payload(writes)[1], 'bench/floor/result'),
    );
    figures.add({ name: `${name}, p50`, value: median(bridge), floor: median(bare), limit: 1.5, unit: 'ms' });
    figures.add({ name: `${name}, p99`, value: quantile(bridge, 0.99), floor: quantile(bare, 0.99), limit: 2, unit: 'ms' });
  });
};

/** CPU of a read of one of many gateways, beside that of the only one. */
const manyGateways = async (name: string): Promise<void> => {
  if (!isWanted(name)) return;
  const cpuWith = async (gateways: number): Promise<number> => {
    const values: number[] = [];
    await withPair(FEATURES, gatewaysOf(gateways), async (pair) => {
      const rounds = Math.max(1, Math.round(100 / gateways));
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

if (!existsSync('dist/heating2mqtt.js')) {
  console.error('the release is measured, and it is not built: npm run build');
  process.exit(1);
}
console.log(`broker: ${BROKER_NAME}; medians of ${ROUNDS} or more`);
try {
  await startUp('start, nothing kept, to the last topic', CHANGED_FEATURES - 2, gatewaysOf(1));
  await warmStart('start, everything kept, to ready for commands');
  await cpuOfRead(`CPU of an unchanged read of ${FEATURES + 2} features`, 0, 2);
  await cpuOfRead(`CPU of a read of ${FEATURES + 2} features, 30 changed`, 30, 2.5);
  await throughput('GET to published, 300 changed', 'memory after reads with all changed');
  for (const write of WRITES_OF) await messageToPost(write);
  await manyGateways(`CPU of a read, 100 gateways beside 1`);
  await startUp(`start with ${GATEWAYS} gateways, to the last topic`, SENSORS_OF_480_TOPICS, gatewaysOf(GATEWAYS));
  figures.end();
} finally {
  rmSync(dir, { recursive: true, force: true });
}
