import { type Broker, type BrokerKind, startBroker } from './brokers.ts';
import { cpuMs, type Subject, within } from './processes.ts';
import { listen, type Platform, type Recorder, startPlatform } from './world.ts';

/** The start of a process, measured from outside: until the last of its topics is heard. */

export const ONLINE = (payload: string): boolean => payload === 'online';

export const msBetween = (from: bigint, to: bigint): number => Number(to - from) / 1e6;

/** A platform for one figure, and whatever runs beside it, all ended afterwards. */
export const withPlatform = async <T>(features: number, measure: (platform: Platform) => Promise<T>): Promise<T> => {
  const platform = await startPlatform(features);
  try {
    return await measure(platform);
  } finally {
    await platform.stop();
  }
};

/** A broker that knows nothing, and a client of it that hears all. */
export const withBroker = async <T>(
  kind: BrokerKind,
  dir: string,
  measure: (broker: Broker, recorder: Recorder) => Promise<T>,
): Promise<T> => {
  const broker = await startBroker(kind, dir);
  const recorder = await listen(broker);
  try {
    return await measure(broker, recorder);
  } finally {
    await recorder.close();
    await broker.stop();
  }
};

/** Resolves when the page of this port answers. */
export const pageAnswers = (port: number): Promise<void> => {
  const ask = async (): Promise<void> => {
    for (;;) {
      const isAnswered = await fetch(`http://127.0.0.1:${port}/health`).then(
        () => true,
        () => false,
      );
      if (isAnswered) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return within('the page', ask());
};

export type Message = readonly [topic: string, payload: string];

/** What a bridge has retained, with a broker that knew nothing, when nothing has come for so long and `settled` has ended. */
export const publishedBy = (
  kind: BrokerKind,
  dir: string,
  start: (broker: Broker) => Promise<Subject>,
  quietMs = 1500,
  settled: () => Promise<void> = async () => {},
): Promise<readonly Message[]> =>
  withBroker(kind, dir, async (broker, recorder) => {
    const online = recorder.next('bench/bridge/state', ONLINE);
    const bridge = await start(broker);
    try {
      await online;
      await recorder.quiet(quietMs);
      await settled();
      return [...recorder.topics].filter(([topic]) => !topic.endsWith('/result'));
    } finally {
      await bridge.stop();
    }
  });

const topicsOf = (messages: readonly Message[], isOne: (topic: string) => boolean): ReadonlySet<string> =>
  new Set(messages.map(([topic]) => topic).filter(isOne));

/** The topics of devices among these messages, and those of the documents for Home Assistant. */
export const deviceTopics = (messages: readonly Message[]): ReadonlySet<string> =>
  topicsOf(messages, (topic) => topic.startsWith('bench/') && !topic.startsWith('bench/bridge/'));
export const documentTopics = (messages: readonly Message[]): ReadonlySet<string> =>
  topicsOf(messages, (topic) => topic.startsWith('homeassistant/'));

/**
 * How long a start took until the last topic of a device, until the last document, and the CPU time of its process until the former (NaN
 * where the system does not tell), in milliseconds.
 */
export type StartTime = { readonly ms: number; readonly documentsMs: number; readonly cpu: number };

/** From the start of a process to the last of these messages, with a broker that knew nothing. What `prepare` does does not count. */
export const startTime = (
  kind: BrokerKind,
  dir: string,
  messages: readonly Message[],
  prepare: (broker: Broker) => Promise<() => Subject>,
): Promise<StartTime> =>
  withBroker(kind, dir, async (broker, recorder) => {
    const start = await prepare(broker);
    const all = recorder.all(deviceTopics(messages));
    const documents = recorder.all(documentTopics(messages));
    const before = process.hrtime.bigint();
    const subject = start();
    try {
      const ms = msBetween(before, await all);
      const cpu = cpuMs(subject);
      return { ms, cpu, documentsMs: msBetween(before, await documents) };
    } finally {
      await subject.stop();
    }
  });
