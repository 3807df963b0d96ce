import { isDeepStrictEqual } from 'node:util';
import { type Clock, wakeLoop } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import { bridgeTopic } from '../../../topics/topicNames.ts';
import type { RetainedPublisher } from '../broker/retainedPublisher.ts';
import type { Sources } from './reportSources.ts';

const EVERY_MS = 60_000;
/** A bridge without changes still reports: some brokers lose a retained will. */
const SILENT_MS = 600_000;

type Leaf = 'info' | 'auth' | 'quota' | 'plan' | 'problems';

/** Publishes the `bridge/…` reports, each at most once a minute; `auth` and its consequences at once. */
export const statusPublisherOf = (base: string, publisher: RetainedPublisher, sources: Sources, clock: Clock, log: Log) => {
  let health: ReturnType<Sources['health']> | undefined;
  const loop = wakeLoop(clock);
  let healthAtMs = Number.NEGATIVE_INFINITY;
  /** When each of these topics was last published. */
  const shownMs = new Map<Leaf, number>();

  /** Reports once a minute until the signal is aborted, and after each connect. */
  const run = (signal: AbortSignal): Promise<void> =>
    loop.run(signal, async () => {
      // No new reports within the minute after a reconnect. `info` includes schedule zones learned since.
      for (const leaf of ['quota', 'info', 'plan', 'problems'] as const)
        if (clock.elapsedMs() - (shownMs.get(leaf) ?? Number.NEGATIVE_INFINITY) >= EVERY_MS) show(leaf);
      await publisher.flushed();
      await reportHealth(false);
      return EVERY_MS;
    });

  /** Publishes all of them again with current values. */
  const again = (): void => {
    health = undefined;
    shownMs.clear();
    show('info');
    show('auth');
    loop.wake();
  };

  /** Sets a checkpoint if something was published since, so the next start knows the broker's content. */
  const setCheckpoint = async (): Promise<void> => {
    if (publisher.isCheckpointOutdated()) await reportHealth(true);
  };

  const reportHealth = async (always: boolean): Promise<void> => {
    const now = clock.elapsedMs();
    const report = sources.health();
    const isSame = health && isDeepStrictEqual(withoutNoise(health), withoutNoise(report));
    if (!always && isSame && !publisher.isCheckpointOutdated() && now - healthAtMs < SILENT_MS) return;
    try {
      if (!(await publisher.setCheckpoint(bridgeTopic(base, 'health'), (beat) => JSON.stringify({ beat, ...report })))) return;
      health = report;
      healthAtMs = now;
    } catch (cause) {
      log.debug({ why: String(cause) }, 'the health report did not reach the broker; the next one is sent as usual');
    }
  };

  const show = (leaf: Leaf): void => {
    shownMs.set(leaf, clock.elapsedMs());
    const payload = JSON.stringify(sources[leaf]());
    publisher.assign(`bridge ${leaf}`, [{ topic: bridgeTopic(base, leaf), payload, retain: true }]);
    if (leaf === 'auth') show('problems');
  };

  for (const leaf of ['state', 'health']) publisher.adopt(`bridge ${leaf}`, bridgeTopic(base, leaf));

  return {
    ...{ status: sources.status, run, again, setCheckpoint, show },
    /** Connected: reports and sets a checkpoint without waiting for the end of the minute. */
    connected: loop.wake,
  };
};

/** The changes worth a new report: no timestamps, memory or counters that the reports raise themselves. */
const withoutNoise = ({ poll_seconds, failures, commands, answers_dropped }: ReturnType<Sources['health']>): object => ({
  poll_seconds,
  failures,
  commands,
  answers_dropped,
});
