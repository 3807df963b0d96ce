import type { Clock } from '../../../shared/clock.ts';
import type { DeviceState } from '../../state/deviceState.ts';
import type { Needs } from '../../state/pendingWrites.ts';
import type { Quota, ReadResult, ReadTarget } from '../../state/readTarget.ts';
import { failed, NO_CALL, NO_QUOTA, STOPPING } from '../answers/results.ts';
import type { CommandResult } from '../request/commandRequest.ts';

/** How a command reads, and what it shares with polling. */
type Reading = {
  readonly reader: { read(wanted: ReadTarget): Promise<ReadResult> };
  readonly reads: { showing(state: DeviceState, feature: string): ReadTarget };
  readonly poller: { counted(read: ReadTarget): void };
  readonly quota: Pick<Quota, 'mayRead' | 'pausedForMs' | 'commandWaitMs'>;
};

/** `waitedUntilMs`: the end of a wait for earlier writes; record ages count from it. `failed`: the answer. */
type Refreshed = { readonly waitedUntilMs?: number | undefined; readonly failed: CommandResult | undefined };

export type RecordReader = ReturnType<typeof recordReader>;

/** Reads single features for commands, before a write or to confirm it. Each read replaces a poll. */
export const recordReader = ({ reader, reads, poller, quota }: Reading, confirmS: readonly number[], clock: Clock, signal: AbortSignal) => {
  /** Reads with a call of the polling quota; false where there is none. */
  const readAsPoll = async (read: ReadTarget): Promise<boolean> => {
    if (!quota.mayRead()) return false;
    poller.counted(read);
    await reader.read(read);
    return true;
  };

  /**
   * True where a read of this run that began at `notBeforeMs` or later made the record, and the effect of
   * earlier writes is known as far as `needs` requires.
   */
  const isFresh = (state: DeviceState, name: string, notBeforeMs: number, needs: Needs): boolean => {
    const { readAtMs = Number.NEGATIVE_INFINITY } = state.features.get(name) ?? {};
    return readAtMs >= notBeforeMs && state.pending.knownAtMs(name, needs) === undefined;
  };

  /** Milliseconds until this many calls may go out; 0: now, undefined: not at all. */
  const waitMs = (calls: number): number | undefined => {
    if (calls === 0) return 0;
    return signal.aborted || quota.pausedForMs() > 0 ? undefined : quota.commandWaitMs(calls);
  };

  /** Waits `ms` for a call, at most until `untilMs`; returns the answer where there is none by then. */
  const waitForCall = async (ms: number | undefined, untilMs: number): Promise<CommandResult | undefined> => {
    if (ms === undefined) return signal.aborted ? STOPPING : NO_CALL;
    if (clock.elapsedMs() + ms > untilMs) return NO_QUOTA;
    await clock.sleep(ms, signal).catch(() => undefined);
    return signal.aborted ? STOPPING : undefined;
  };

  /** Reads once with a call of the command quota; returns the answer where it failed. */
  const read = async (state: DeviceState, feature: string): Promise<CommandResult | undefined> => {
    const planned = reads.showing(state, feature);
    poller.counted(planned);
    const result = await reader.read(planned);
    if (result.ok) return undefined;
    const message = `not sent, because the current state could not be read: ${result.failure.message}`;
    return signal.aborted ? STOPPING : { ...failed(result.failure), message };
  };

  /** As `read`, once there is a call, at most until `untilMs`. */
  const readWhenAllowed = async (state: DeviceState, feature: string, untilMs: number): Promise<CommandResult | undefined> => {
    for (let ms = waitMs(1); ms !== 0; ms = waitMs(1)) {
      const refused = await waitForCall(ms, untilMs);
      if (refused) return refused;
    }
    return read(state, feature);
  };

  /** Reads the feature until the outcome of pending writes is known. */
  const refresh = async (state: DeviceState, feature: string, needs: Needs): Promise<Refreshed> => {
    const knownAtMs = (): number | undefined => state.pending.knownAtMs(feature, needs);
    const last = knownAtMs();
    if (last === undefined) return { failed: await read(state, feature) };
    const sooner = state.pending.mayShowSooner(feature, needs) ? confirmS : [];
    const marks = sooner.map((s) => last - (Math.max(...sooner) - s) * 1000);
    let waitedUntilMs: number | undefined;
    for (let knownMs: number | undefined = last; knownMs !== undefined; knownMs = knownAtMs()) {
      const now = clock.elapsedMs();
      const next = Math.min(...[knownMs, ...marks].filter((mark) => mark > now));
      await clock.sleep(next === Number.POSITIVE_INFINITY ? 0 : next - now, signal).catch(() => undefined);
      waitedUntilMs = clock.elapsedMs();
      if (signal.aborted) return { failed: STOPPING };
      // A poll may have shown it meanwhile.
      if (knownAtMs() === undefined) break;
      const failed = (waitMs(1) ?? 1) > 0 ? NO_QUOTA : await read(state, feature);
      if (failed) return { waitedUntilMs, failed };
      // This read should have settled the pending writes: the platform leaves the feature out.
      if (waitedUntilMs >= (knownAtMs() ?? Number.POSITIVE_INFINITY)) return { failed: undefined };
    }
    return { waitedUntilMs, failed: undefined };
  };

  return { showing: reads.showing, readAsPoll, isFresh, waitMs, waitForCall, readWhenAllowed, refresh };
};
