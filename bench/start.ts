import { type Broker, cpuMs, listen, type Platform, type Recorder, type Subject, startBroker, startPlatform, within } from './world.ts';

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
export const withBroker = async <T>(dir: string, measure: (broker: Broker, recorder: Recorder) => Promise<T>): Promise<T> => {
  const broker = await startBroker(dir);
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

/** What a bridge has retained of its devices, with a broker that knew nothing. `settled` is waited for before it is stopped. */
export const publishedBy = (
  dir: string,
  start: (broker: Broker) => Promise<Subject>,
  settled: () => Promise<void> = async () => {},
): Promise<readonly (readonly [string, string])[]> =>
  withBroker(dir, async (broker, recorder) => {
    const online = recorder.next('bench/bridge/state', ONLINE);
    const bridge = await start(broker);
    try {
      await online;
      await recorder.quiet(1500);
      await settled();
      return [...recorder.topics].filter(([topic]) => !topic.startsWith('bench/bridge/') && !topic.endsWith('/result'));
    } finally {
      await bridge.stop();
    }
  });

/** How long a start took, and the CPU time of its process until then (NaN where the system does not tell), in milliseconds. */
export type StartTime = { readonly ms: number; readonly cpu: number };

/** From the start of a process to the last of these topics, with a broker that knew nothing. What `prepare` does does not count. */
export const startTime = (
  dir: string,
  topics: ReadonlySet<string>,
  prepare: (broker: Broker) => Promise<() => Subject>,
): Promise<StartTime> =>
  withBroker(dir, async (broker, recorder) => {
    const start = await prepare(broker);
    const all = recorder.all(topics);
    const before = process.hrtime.bigint();
    const subject = start();
    try {
      const ms = msBetween(before, await all);
      return { ms, cpu: cpuMs(subject) };
    } finally {
      await subject.stop();
    }
  });
