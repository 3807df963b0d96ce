import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BROKER_NAME,
  type Broker,
  cpuMs,
  dataDir,
  gatewaysOf,
  listen,
  makeFloor,
  median,
  type Platform,
  quantile,
  type Recorder,
  residentMb,
  type Subject,
  settingsFor,
  startBridge,
  startBroker,
  startPlatform,
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

type Figure = {
  readonly name: string;
  readonly bridge: number;
  readonly floor: number;
  readonly most: number | { readonly plus: number };
  readonly unit: string;
};

const dir = mkdtempSync(join(tmpdir(), 'h2m-bench-'));
const startFloor = await makeFloor(dir);
const words = process.argv.slice(2);
const figures: Figure[] = [];

const isMet = ({ bridge, floor, most }: Figure): boolean =>
  typeof most === 'number' ? bridge / floor <= most : bridge - floor <= most.plus;

const show = (one: Figure): void => {
  const { name, bridge, floor, most, unit } = one;
  const digits = (value: number): string => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
  const how =
    typeof most === 'number'
      ? `${(bridge / floor).toFixed(2)} × (at most ${most} ×)`
      : `${(bridge - floor).toFixed(0)} ${unit} more (at most ${most.plus})`;
  console.log(`${isMet(one) ? 'yes' : 'NO '}  ${name}: ${digits(bridge)} ${unit}, floor ${digits(floor)} ${unit}: ${how}`);
};

const figure = (one: Figure): void => {
  figures.push(one);
  show(one);
};

const isWanted = (name: string): boolean => words.length === 0 || words.some((word) => name.includes(word));

const msBetween = (from: bigint, to: bigint): number => Number(to - from) / 1e6;

/** A platform for one figure, and whatever runs beside it, all ended afterwards. */
const withPlatform = async (features: number, measure: (platform: Platform) => Promise<void>): Promise<void> => {
  const platform = await startPlatform(features);
  try {
    await measure(platform);
  } finally {
    await platform.stop();
  }
};

const withBroker = async <T>(measure: (broker: Broker, recorder: Recorder) => Promise<T>): Promise<T> => {
  const broker = await startBroker(dir);
  const recorder = await listen(broker);
  try {
    return await measure(broker, recorder);
  } finally {
    await recorder.close();
    await broker.stop();
  }
};

/** Runs both, alternately, after one round each that does not count; gives the values of each. */
const alternate = async (
  rounds: number,
  bridge: () => Promise<number>,
  floor: () => Promise<number>,
): Promise<readonly [number[], number[]]> => {
  const values: readonly [number[], number[]] = [[], []];
  for (let round = -1; round < rounds; round += 1) {
    for (const [at, run] of [bridge, floor].entries()) {
      const value = await run();
      if (round >= 0) values[at]?.push(value);
    }
  }
  return values;
};

const ONLINE = (payload: string): boolean => payload === 'online';

/** What a bridge has retained of its devices, with a broker that knew nothing. */
const publishedBy = (platform: Platform, gateways: readonly string[]): Promise<readonly (readonly [string, string])[]> =>
  withBroker(async (broker, recorder) => {
    const folder = await dataDir(dir);
    const bridge = startBridge(folder, settingsFor(platform, broker, folder, gateways));
    await recorder.next('bench/bridge/state', ONLINE);
    await recorder.quiet(1500);
    const all = [...recorder.topics].filter(([topic]) => !topic.startsWith('bench/bridge/') && !topic.endsWith('/result'));
    await bridge.stop();
    return all;
  });

/** From the start of the process to the last of the topics heard. */
const startUp = async (name: string, features: number, gateways: readonly string[]): Promise<void> => {
  if (!isWanted(name)) return;
  await withPlatform(features, async (platform) => {
    const messages = await publishedBy(platform, gateways);
    const file = join(dir, 'messages.json');
    writeFileSync(file, JSON.stringify(messages));
    const topics = new Set(messages.map(([topic]) => topic));
    const timed = (start: (broker: Broker) => Promise<Subject>) => (): Promise<number> =>
      withBroker(async (broker, recorder) => {
        const all = recorder.all(topics);
        const before = process.hrtime.bigint();
        const subject = await start(broker);
        const time = msBetween(before, await all);
        await subject.stop();
        return time;
      });
    const folders: string[] = [];
    for (let i = 0; i <= ROUNDS; i += 1) folders.push(await dataDir(dir));
    const [bridge, floor] = await alternate(
      ROUNDS,
      timed(async (broker) => {
        const folder = folders.pop() ?? '';
        return startBridge(folder, settingsFor(platform, broker, folder, gateways));
      }),
      timed(async (broker) => startFloor({ broker: broker.url, platform: platform.url, gateways, messages: file })),
    );
    figure({ name: `${name} (${topics.size} topics)`, bridge: median(bridge), floor: median(floor), most: 1.5, unit: 'ms' });
  });
};

/** The same with everything known, to `online`, which says that commands are heard. */
const warmStart = async (name: string): Promise<void> => {
  if (!isWanted(name)) return;
  await withPlatform(CHANGED_FEATURES - 2, (platform) =>
    withBroker(async (broker, recorder) => {
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
      figure({ name, bridge: median(bridge), floor: median(floor), most: 1.5, unit: 'ms' });
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
    withBroker(async (broker, recorder) => {
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
    figure({ name, bridge: median(bridge), floor: median(floor), most, unit: 'ms' });
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
    if (isWanted(name)) figure({ name, bridge: median(bridge.slice(-30)), floor: median(floor.slice(-30)), most: 1.25, unit: 'ms' });
    if (isWanted(memory)) {
      figure({ name: memory, bridge: residentMb(pair.bridge), floor: residentMb(pair.floor), most: { plus: 25 }, unit: 'MB' });
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
    figure({ name: `${name}, p50`, bridge: median(bridge), floor: median(bare), most: 1.5, unit: 'ms' });
    figure({ name: `${name}, p99`, bridge: quantile(bridge, 0.99), floor: quantile(bare, 0.99), most: 2, unit: 'ms' });
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
  figure({ name, bridge: all, floor: one, most: 1.2, unit: 'ms' });
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
  console.log(`${figures.filter(isMet).length} of ${figures.length} figures as promised`);
} finally {
  rmSync(dir, { recursive: true, force: true });
}
