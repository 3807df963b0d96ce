import type { Feature } from '../../../features/feature.ts';
import type { Clock } from '../../../shared/clock.ts';
import { SerialQueue } from '../../../shared/serialQueue.ts';
import type { DeviceState } from '../../state/deviceState.ts';
import { type ReadTarget, readKey } from '../../state/readTarget.ts';
import type { CommandResult } from '../request/commandRequest.ts';
import { type CommandWrites, outcomesIn, shownValues, shows } from '../write/shown.ts';
import { effectOf } from '../write/write.ts';
import type { WriteLog } from '../write/writeLog.ts';
import type { RecordReader } from './recordReader.ts';

const SHOWN: CommandResult = { status: 'applied' };

const unconfirmed = (code: string, message: string): CommandResult => ({ status: 'unconfirmed', code, message });

const NOT_SHOWN = unconfirmed('not_shown', 'the platform accepted it, but none of the confirming reads showed the change');
const NO_CALL_LEFT = unconfirmed('no_quota', 'the platform accepted it; no call is left to confirm the change, so the next poll shows it');
const STOPPING = unconfirmed('stopping', 'the platform accepted it; the bridge was stopped before it could confirm the change');

/** A sent command: the keys of its writes, which hold what it is expected to show. */
type Sent = {
  readonly state: DeviceState;
  readonly feature: string;
  readonly keys: readonly number[];
  /** When the platform's answer came or was lost (`Clock.elapsedMs`); confirming reads count from it. */
  readonly sinceMs: number;
};

/** `target`: what is read, by `readKey`; `lastMs`: when the last confirming read is due. */
type Awaited = Sent & { readonly target: string; readonly lastMs: number; readonly resolve: (result: CommandResult) => void };

/** Reads that are due within this time of each other are one read. */
const SHARED_MS = 1000;

/** Waits until the platform shows the written values, with a few reads of its own and all other reads. */
export const confirmationOf = (
  writes: Pick<WriteLog, 'sent'>,
  reader: Pick<RecordReader, 'showing' | 'readAsPoll'>,
  clock: Clock,
  confirmS: readonly number[],
  signal: AbortSignal,
) => {
  const awaited = new Set<Awaited>();
  /** One read of a target at a time: it may show all writes that wait for it. */
  const turns = new SerialQueue();
  /** When the last read of a target began that was made here, by `readKey`; also one that failed. */
  const askedAtMs = new Map<string, number>();

  const writesOf = ({ keys }: Sent): CommandWrites => keys.flatMap((key) => writes.sent(key) ?? []);

  /**
   * Resolves when the platform shows the command, or after the last confirming read (`seconds` after the
   * command). Where no effect can be predicted, it is read once, and the result is `NOT_SHOWN`.
   */
  const wait = (sent: Sent, seconds = confirmS): Promise<CommandResult> => {
    const { promise, resolve } = Promise.withResolvers<CommandResult>();
    const ended = new AbortController();
    const dueMs = (writesOf(sent).some(effectOf) ? seconds : seconds.slice(0, 1)).map((s) => sent.sinceMs + s * 1000);
    const read = reader.showing(sent.state, sent.feature);
    const one: Awaited = { ...sent, target: readKey(read.target), lastMs: Math.max(...dueMs), resolve };
    awaited.add(one);
    void readAt(one, read, dueMs, AbortSignal.any([signal, ended.signal])).then(resolve);
    return promise.finally(() => {
      awaited.delete(one);
      // Without a reason, abort() creates an error with a stack.
      ended.abort('ended');
    });
  };

  /** Reads at these times, unless another read has, and returns the result of a command that none has shown. */
  const readAt = async (one: Awaited, read: ReadTarget, dueMs: readonly number[], until: AbortSignal): Promise<CommandResult> => {
    const { state, feature, target, lastMs } = one;
    let previousMs = one.sinceMs;
    for (const mark of dueMs) {
      // The last read is never early: its result is final. Other reads wait for one that is due soon.
      const lastSoon = [...awaited].filter((other) => other !== one && other.target === target && other.lastMs <= mark + SHARED_MS);
      const pauseMs = Math.max(mark, ...lastSoon.map((other) => other.lastMs)) - clock.elapsedMs();
      await clock.sleep(Math.max(0, pauseMs), until).catch(() => undefined);
      const endTurn = await turns.turn(target);
      const readAtMs = Math.max(...[state.features.get(feature)?.readAtMs, askedAtMs.get(target)].filter((ms) => ms !== undefined));
      const earlyMs = mark === lastMs ? 0 : Math.min(SHARED_MS, (mark - previousMs) / 2);
      const isRead = until.aborted || readAtMs >= mark - earlyMs;
      const beganMs = clock.elapsedMs();
      const wasAllowed = isRead || (await reader.readAsPoll(read));
      if (!isRead && wasAllowed) askedAtMs.set(target, beganMs);
      endTurn();
      if (until.aborted) return STOPPING;
      // The read at once of an earlier run's write is an extra one.
      if (!wasAllowed && mark > one.sinceMs) return NO_CALL_LEFT;
      previousMs = mark;
    }
    const truth = state.features.get(feature)?.truth;
    return truth && shows(truth, writesOf(one)) ? SHOWN : NOT_SHOWN;
  };

  /** As `wait`, for a write of an earlier run, with one more read at once. */
  const recheck = (state: DeviceState, feature: string, key: number): Promise<CommandResult> => {
    const sinceMs = clock.elapsedMs();
    state.markStale(feature, sinceMs);
    return wait({ state, feature, keys: [key], sinceMs }, [0, ...confirmS]);
  };

  /** Features were read: ends the waits whose outcome they show. */
  const seen = (state: DeviceState, features: readonly Feature[]): void => {
    if (awaited.size === 0) return;
    for (const feature of features) {
      const mine = [...awaited].filter((one) => one.state === state && one.feature === feature.name && writesOf(one).some(effectOf));
      const commands = mine.map(writesOf);
      for (const [index, outcome] of outcomesIn(feature, commands).entries()) {
        if (outcome === 'shown') mine[index]?.resolve(SHOWN);
        if (outcome === 'adapted') mine[index]?.resolve({ ...SHOWN, adapted: shownValues(feature, commands[index] ?? []) });
      }
    }
  };

  return { wait, recheck, seen };
};

export type Confirmation = ReturnType<typeof confirmationOf>;
