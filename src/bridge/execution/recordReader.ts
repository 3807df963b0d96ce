import type { Clock } from '../../shared/clock.ts';
import type { CommandResult } from '../commands/commandRequest.ts';
import type { DeviceState } from '../devices/deviceState.ts';
import type { Needs } from '../devices/pendingWrites.ts';
import type { FeatureReader } from '../polling/featureReader.ts';
import type { PlannedReads } from '../polling/plannedReads.ts';
import type { Poller } from '../polling/poller.ts';
import type { ReadTarget } from '../polling/readTarget.ts';
import type { RateLimiter } from '../quota/rateLimiter.ts';
import { failed, NO_CALL, NO_QUOTA, STOPPING } from './results.ts';

/** Reads single features for commands: what a write has to know first, and what confirms it. Each of these reads stands for a poll. */
export class RecordReader {
  readonly #reader: Pick<FeatureReader, 'read'>;
  readonly #reads: Pick<PlannedReads, 'showing'>;
  readonly #poller: Pick<Poller, 'counted'>;
  readonly #quota: RateLimiter;
  readonly #confirmS: readonly number[];
  readonly #clock: Clock;
  readonly #signal: AbortSignal;

  constructor(
    reader: Pick<FeatureReader, 'read'>,
    reads: Pick<PlannedReads, 'showing'>,
    poller: Pick<Poller, 'counted'>,
    quota: RateLimiter,
    confirmS: readonly number[],
    clock: Clock,
    signal: AbortSignal,
  ) {
    this.#reader = reader;
    this.#reads = reads;
    this.#poller = poller;
    this.#quota = quota;
    this.#confirmS = confirmS;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** The planned read that shows the feature. */
  showing(state: DeviceState, feature: string): ReadTarget {
    return this.#reads.showing(state, feature);
  }

  /** Reads with a call that polling may use; false where there is none. */
  async readAsPoll(read: ReadTarget): Promise<boolean> {
    if (!this.#quota.mayRead(this.#clock.elapsedMs())) return false;
    this.#poller.counted(read);
    await this.#reader.read(read);
    return true;
  }

  /**
   * True where the record comes from a read of this run that began at `notBeforeMs` or later, and the effect of earlier writes is known as far
   * as `needs` says.
   */
  isFresh(state: DeviceState, name: string, notBeforeMs: number, needs: Needs): boolean {
    const readAtMs = state.features.get(name)?.readAtMs ?? Number.NEGATIVE_INFINITY;
    return readAtMs > Number.NEGATIVE_INFINITY && readAtMs >= notBeforeMs && state.pending.knownAtMs(name, needs) === undefined;
  }

  /** How long until so many calls may go out; 0 where they may now, undefined where none may at all. */
  waitMs(calls: number): number | undefined {
    const now = this.#clock.elapsedMs();
    if (calls === 0) return 0;
    return this.#signal.aborted || this.#quota.pausedForMs(now) > 0 ? undefined : this.#quota.commandWaitMs(now, calls);
  }

  /** The answer where no call may go out at all. */
  noCall(): CommandResult {
    return this.#signal.aborted ? STOPPING : NO_CALL;
  }

  /** Waits so long for a call, at most up to `untilMs`; the answer where that is not enough, or the bridge is stopped. */
  async waitForCall(waitMs: number, untilMs: number): Promise<CommandResult | undefined> {
    if (this.#clock.elapsedMs() + waitMs > untilMs) return NO_QUOTA;
    await this.#clock.sleep(waitMs, this.#signal).catch(() => undefined);
    return this.#signal.aborted ? STOPPING : undefined;
  }

  /** Waits for one call, at most up to `untilMs`; the answer where there is none. */
  async callRefused(untilMs: number): Promise<CommandResult | undefined> {
    for (;;) {
      const waitMs = this.waitMs(1);
      if (waitMs === 0) return undefined;
      const refused = waitMs === undefined ? this.noCall() : await this.waitForCall(waitMs, untilMs);
      if (refused) return refused;
    }
  }

  /** Reads the feature, as often as it takes to know what is under way for it; the answer where that fails. */
  async refresh(state: DeviceState, feature: string, needs: Needs): Promise<CommandResult | undefined> {
    const knownAtMs = (): number | undefined => state.pending.knownAtMs(feature, needs);
    const last = knownAtMs();
    if (last === undefined) return this.read(state, feature);
    const confirmS = state.pending.mayShowSooner(feature, needs) ? this.#confirmS : [];
    const marks = confirmS.map((s) => last - (Math.max(...confirmS) - s) * 1000);
    for (let knownMs: number | undefined = last; knownMs !== undefined; knownMs = knownAtMs()) {
      const now = this.#clock.elapsedMs();
      const next = Math.min(...[knownMs, ...marks].filter((mark) => mark > now));
      await this.#clock.sleep(next === Number.POSITIVE_INFINITY ? 0 : next - now, this.#signal).catch(() => undefined);
      if (this.#signal.aborted) return STOPPING;
      // A poll may have shown it meanwhile.
      if (knownAtMs() === undefined) return undefined;
      const refused = (this.waitMs(1) ?? 1) > 0 ? NO_QUOTA : await this.read(state, feature);
      if (refused) return refused;
    }
    return undefined;
  }

  /** One read with a call that commands may use; the answer where it failed. */
  async read(state: DeviceState, feature: string): Promise<CommandResult | undefined> {
    const read = this.showing(state, feature);
    this.#poller.counted(read);
    const result = await this.#reader.read(read);
    if (result.ok) return undefined;
    const message = `not sent, as the present state could not be read first: ${result.failure.message}`;
    return this.#signal.aborted ? STOPPING : { ...failed(result.failure), message };
  }
}
