import type { Clock } from '../../shared/clock.ts';
import type { CommandResult } from '../commands/commandRequest.ts';
import type { DeviceState } from '../devices/deviceState.ts';
import type { Needs } from '../devices/pendingWrites.ts';
import type { RateLimiter } from '../quota/rateLimiter.ts';
import type { RecordReader } from './recordReader.ts';
import { failed, NO_CALL, NO_QUOTA, STOPPING } from './results.ts';

/** Reads what a write has to know first, with calls that commands may use. */
export class FreshRecords {
  readonly #reader: RecordReader;
  readonly #quota: RateLimiter;
  readonly #confirmS: readonly number[];
  readonly #clock: Clock;
  readonly #signal: AbortSignal;

  constructor(reader: RecordReader, quota: RateLimiter, confirmS: readonly number[], clock: Clock, signal: AbortSignal) {
    this.#reader = reader;
    this.#quota = quota;
    this.#confirmS = confirmS;
    this.#clock = clock;
    this.#signal = signal;
  }

  /**
   * True where the record comes from a read of this run that was begun at `notBeforeMs` or later, and it is known what the platform makes
   * of what was sent before, as far as `needs` says.
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

  /** One read; the answer where it failed. */
  async read(state: DeviceState, feature: string): Promise<CommandResult | undefined> {
    const result = await this.#reader.read(this.#reader.showing(state, feature));
    if (result.ok) return undefined;
    const message = `not sent, as the present state could not be read first: ${result.failure.message}`;
    return this.#signal.aborted ? STOPPING : { ...failed(result.failure), message };
  }
}
