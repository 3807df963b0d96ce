import type { CommandParts } from '../commandDependencies.ts';
import type { DeviceState } from '../devices/deviceState.ts';
import type { Needs } from '../devices/pendingWrites.ts';
import type { Said } from './resultPublisher.ts';
import { failed, NO_CALL, NO_QUOTA, STOPPING } from './results.ts';

type FreshRecordsParts = Pick<CommandParts, 'quota' | 'clock' | 'signal' | 'reader' | 'readFor' | 'counted'>;

/** Reads what a write has to know first, with calls that commands may use. */
export class FreshRecords {
  readonly #parts: FreshRecordsParts;
  readonly #confirmS: readonly number[];

  constructor(parts: FreshRecordsParts, confirmS: readonly number[]) {
    this.#parts = parts;
    this.#confirmS = confirmS;
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
    const { quota, clock, signal } = this.#parts;
    const now = clock.elapsedMs();
    if (calls === 0) return 0;
    return signal.aborted || quota.pausedForMs(now) > 0 ? undefined : quota.commandWaitMs(now, calls);
  }

  /** The answer where no call may go out at all. */
  noCall(): Said {
    return this.#parts.signal.aborted ? STOPPING : NO_CALL;
  }

  /** Waits so long for a call, at most up to `untilMs`; the answer where that is not enough, or the bridge is stopped. */
  async waitForCall(waitMs: number, untilMs: number): Promise<Said | undefined> {
    const { clock, signal } = this.#parts;
    if (clock.elapsedMs() + waitMs > untilMs) return NO_QUOTA;
    await clock.sleep(waitMs, signal).catch(() => undefined);
    return signal.aborted ? STOPPING : undefined;
  }

  /** Waits for one call, at most up to `untilMs`; the answer where there is none. */
  async callRefused(untilMs: number): Promise<Said | undefined> {
    for (;;) {
      const waitMs = this.waitMs(1);
      if (waitMs === 0) return undefined;
      const refused = waitMs === undefined ? this.noCall() : await this.waitForCall(waitMs, untilMs);
      if (refused) return refused;
    }
  }

  /** Reads the feature, as often as it takes to know what is under way for it; the answer where that fails. */
  async refresh(state: DeviceState, feature: string, needs: Needs): Promise<Said | undefined> {
    const { clock, signal } = this.#parts;
    const knownAtMs = (): number | undefined => state.pending.knownAtMs(feature, needs);
    const last = knownAtMs();
    if (last === undefined) return this.read(state, feature);
    const confirmS = state.pending.mayShowSooner(feature, needs) ? this.#confirmS : [];
    const marks = confirmS.map((s) => last - (Math.max(...confirmS) - s) * 1000);
    for (let knownMs: number | undefined = last; knownMs !== undefined; knownMs = knownAtMs()) {
      const now = clock.elapsedMs();
      const next = Math.min(...[knownMs, ...marks].filter((mark) => mark > now));
      await clock.sleep(next === Number.POSITIVE_INFINITY ? 0 : next - now, signal).catch(() => undefined);
      if (signal.aborted) return STOPPING;
      // A poll may have shown it meanwhile.
      if (knownAtMs() === undefined) return undefined;
      const refused = (this.waitMs(1) ?? 1) > 0 ? NO_QUOTA : await this.read(state, feature);
      if (refused) return refused;
    }
    return undefined;
  }

  /** One read; the answer where it failed. */
  async read(state: DeviceState, feature: string): Promise<Said | undefined> {
    const { readFor, counted, reader, signal } = this.#parts;
    const read = readFor(state, feature);
    counted(read);
    const result = await reader.read(read);
    if (result.ok) return undefined;
    const message = `not sent, as the present state could not be read first: ${result.failure.message}`;
    return signal.aborted ? STOPPING : { ...failed(result.failure), message };
  }
}
