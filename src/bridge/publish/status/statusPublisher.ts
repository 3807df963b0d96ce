import { isDeepStrictEqual } from 'node:util';
import type { Pace } from '../../../language/answers/pace.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import { bridgeTopic } from '../../../topics/topicNames.ts';
import type { AuthReport } from '../../ports.ts';
import type { RetainedPublisher } from '../broker/retainedPublisher.ts';
import type { bridgeProblems } from './problems.ts';
import type { ReadingStatus } from './reading.ts';
import type { HealthReport, QuotaReport } from './reportSources.ts';

const EVERY_MS = 60_000;
/** A bridge without changes still shows that it runs: some brokers lose a retained will. */
const SILENT_MS = 600_000;

type Leaf = 'info' | 'auth' | 'quota' | 'plan' | 'problems';

export type Sources = {
  readonly info: () => object;
  readonly auth: () => AuthReport;
  readonly quota: () => QuotaReport;
  readonly plan: () => object;
  readonly problems: () => ReturnType<typeof bridgeProblems>;
  /** The calls of the last 24 hours by cause, and why it is read as often as it is; for the page alone. */
  readonly calls: () => { readonly causes: Readonly<Record<string, number>>; readonly pace: Pace };
  readonly health: () => HealthReport;
  readonly status: () => ReadingStatus;
};

/** Publishes `bridge/info`, `auth`, `quota`, `plan`, `problems` and `health`: each at most once a minute, `auth` and what follows from it at once. */
export class StatusPublisher {
  readonly #base: string;
  readonly #publisher: RetainedPublisher;
  readonly #sources: Sources;
  readonly #clock: Clock;
  readonly #log: Log;
  #health: HealthReport | undefined;
  #wake = new AbortController();
  #healthAtMs = Number.NEGATIVE_INFINITY;
  /** When `info`, `auth` and `quota` were published last. */
  readonly #shownMs = new Map<Leaf, number>();

  constructor(base: string, publisher: RetainedPublisher, sources: Sources, clock: Clock, log: Log) {
    this.#base = base;
    this.#publisher = publisher;
    this.#sources = sources;
    this.#clock = clock;
    this.#log = log;
    for (const leaf of ['state', 'health']) publisher.adopt(`bridge ${leaf}`, bridgeTopic(base, leaf));
  }

  /** What `check` asks for, but for the connection to the broker. */
  status(): ReadingStatus {
    return this.#sources.status();
  }

  /** Reports once a minute until the signal is aborted, and whenever the broker was found (again). */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#wake = new AbortController();
      // A broker that was found again is no reason for newer ones within the minute. `info` has what was learnt since: the zones of schedules.
      for (const leaf of ['quota', 'info', 'plan', 'problems'] as const)
        if (this.#clock.elapsedMs() - (this.#shownMs.get(leaf) ?? Number.NEGATIVE_INFINITY) >= EVERY_MS) this.show(leaf);
      await this.#publisher.flushed();
      await this.#reportHealth(false);
      await this.#clock.sleep(EVERY_MS, AbortSignal.any([signal, this.#wake.signal])).catch(() => undefined);
    }
  }

  /** The broker was found: what it gets now is reported, and a checkpoint set, without waiting for the minute's end. */
  connected(): void {
    this.#wake.abort();
  }

  /** All of them once more, as things stand now. */
  again(): void {
    this.#health = undefined;
    this.#shownMs.clear();
    this.show('info');
    this.show('auth');
    this.#wake.abort();
  }

  /** Sets a checkpoint where something was published since the last one, so that the next start knows what the broker holds. */
  async setCheckpoint(): Promise<void> {
    if (this.#publisher.isCheckpointOutdated()) await this.#reportHealth(true);
  }

  async #reportHealth(always: boolean): Promise<void> {
    const now = this.#clock.elapsedMs();
    const report = this.#sources.health();
    const isSame = this.#health && isDeepStrictEqual(withoutNoise(this.#health), withoutNoise(report));
    if (!always && isSame && !this.#publisher.isCheckpointOutdated() && now - this.#healthAtMs < SILENT_MS) return;
    try {
      if (!(await this.#publisher.setCheckpoint(bridgeTopic(this.#base, 'health'), (beat) => JSON.stringify({ beat, ...report })))) return;
      this.#health = report;
      this.#healthAtMs = now;
    } catch (cause) {
      this.#log.debug({ why: String(cause) }, 'the health report did not reach the broker; the next one will');
    }
  }

  show(leaf: Leaf): void {
    this.#shownMs.set(leaf, this.#clock.elapsedMs());
    const payload = JSON.stringify(this.#sources[leaf]());
    this.#publisher.assign(`bridge ${leaf}`, [{ topic: bridgeTopic(this.#base, leaf), payload, retain: true }]);
    if (leaf === 'auth') this.show('problems');
  }
}

/** What of a health report is worth another one: no timestamps, no memory, and not the count that the reports themselves raise. */
const withoutNoise = ({ poll_seconds, failures, commands, answers_dropped }: HealthReport): object => ({
  poll_seconds,
  failures,
  commands,
  answers_dropped,
});
