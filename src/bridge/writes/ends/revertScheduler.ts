import { CLOCK_CHECK_MS, type Clock, DAY_MS, HOUR_MS, wakeLoop } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import type { Envelope } from '../../../topics/commandPayload.ts';
import { featureTopic } from '../../../topics/topicNames.ts';
import type { DeviceState } from '../../state/deviceState.ts';
import type { ResultPublisher } from '../answers/resultPublisher.ts';
import { type Allowed, type DeferredContent, otherRevision, type PlannedWrite } from '../parse/evaluate.ts';
import type { RequestedEnd } from '../parse/parseEnd.ts';
import { type CommandResult, type DeviceRequest, type ReplyAddress, reject, reply } from '../request/commandRequest.ts';
import type { Refusal } from '../request/rejection.ts';
import { contestedIn, nameOf } from '../write/end.ts';
import { placeKey, placeOf } from '../write/writeLog.ts';
import type { Ends, Temporary } from './ends.ts';
import { changedSince, revertCommand } from './revertCommand.ts';

/** A revert as an ordinary write to be queued. */
type Revert = { readonly request: DeviceRequest; readonly write: PlannedWrite };

type Enqueue = (request: DeviceRequest, write: PlannedWrite) => void;

const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = HOUR_MS;
/** A feature that is missing for this long counts as gone; its revert is dropped. */
const GONE_MS = 7 * DAY_MS;

/** The last failed attempt; `notBeforeMs` by `Clock.elapsedMs`. */
type Trouble = { readonly untilMs: number; readonly waitMs: number; readonly notBeforeMs: number };

/**
 * `isDue`: ends by time, not by command. `over`: also replaces foreign values. `answered` gets each result.
 */
type HowEnded = { readonly isDue: boolean; readonly over: boolean; readonly answered?: (result: CommandResult) => void };

/** Limits reverts of plans: returns a callback for the results, undefined where the revert must wait. */
type ReturnCalls = { forReturn(temporary: Temporary): ((result: CommandResult) => void) | undefined };

type RevertSettings = { readonly base: string; readonly rules: Allowed };

/** Restores what temporary writes replaced, at their end, by commands through the ordinary queue. */
export const revertScheduler = (
  settings: RevertSettings,
  states: ReadonlyMap<string, DeviceState>,
  ends: Ends,
  results: Pick<ResultPublisher, 'replyTo'>,
  calls: ReturnCalls,
  clock: Clock,
  log: Log,
) => {
  const underWay = new Set<string>();
  /** By write key: a feature may have a write in force and a lost one, each with an end. */
  const troubles = new Map<number, Trouble>();
  const loop = wakeLoop(clock);

  /** Queues a revert at each end. Resolves when the signal is aborted. */
  const run = (signal: AbortSignal, enqueue: Enqueue): Promise<void> =>
    loop.run(signal, () => {
      for (const temporary of ends.all()) if (waitMs(temporary) <= 0) begin(temporary, enqueue);
      return Math.min(CLOCK_CHECK_MS, ...ends.all().map(waitMs));
    });

  /**
   * Carries out a command on `<feature>/until/set`: moves the end of the temporary write, or leaves values
   * that were changed elsewhere. For an immediate end it returns the revert to queue; if that fails, the end
   * stays.
   */
  const setUntil = (request: DeviceRequest, { envelope, at }: RequestedEnd): Revert | undefined => {
    const { state, feature } = request.target;
    const running = ends.running(placeOf(state.device, feature));
    const about = { envelope, command: running?.command };
    const conflict = otherRevision(envelope, state.shown(feature));
    if (conflict || !running) {
      reject(request, conflict ?? noEnd(feature), about);
      return undefined;
    }
    if (at === 'now' || at === 'restore') return revertOf(request, envelope, running, { isDue: false, over: at === 'restore' });
    const isChanged = at === 'keep' ? ends.leaveContested(running) : ends.move(running, at, request);
    const left = ends.running(running);
    reply(request, { status: isChanged ? 'applied' : 'unchanged' }, { ...about, feature, untilMs: left?.untilMs });
    return undefined;
  };

  /** Milliseconds until the end is due, or until the next attempt. */
  const waitMs = (temporary: Temporary): number => {
    if (underWay.has(placeKey(temporary))) return Number.POSITIVE_INFINITY;
    const again = troubleOf(temporary)?.notBeforeMs;
    return Math.max(temporary.untilMs - clock.now(), again === undefined ? 0 : again - clock.elapsedMs());
  };

  /** The last failed attempt at this end. */
  const troubleOf = (temporary: Temporary): Trouble | undefined => {
    const trouble = troubles.get(temporary.key);
    return trouble?.untilMs === temporary.untilMs ? trouble : undefined;
  };

  const begin = (temporary: Temporary, enqueue: Enqueue): void => {
    const { feature } = temporary;
    const state = states.get(temporary.device);
    if (!state) {
      later(temporary, LONGEST_WAIT_MS);
      return;
    }
    // Another attempt would read the device and be refused. Polls show when the feature is back.
    const isAwaited = troubleOf(temporary) && state.isMissing(feature) && clock.now() - temporary.untilMs <= GONE_MS;
    const answered = isAwaited ? undefined : calls.forReturn(temporary);
    if (!answered) {
      later(temporary, FIRST_WAIT_MS);
      return;
    }
    const { name: device } = state.device;
    const source = featureTopic(settings.base, device, feature, 'until');
    const request: DeviceRequest = {
      source,
      replyTo: results.replyTo({ topic: source, by: { kind: 'end' } }),
      by: { kind: 'end' },
      address: { kind: 'set', device, path: [...feature.split('.'), 'until'] },
      target: { kind: 'stored', state, device, feature },
      text: '',
      atMs: clock.elapsedMs(),
    };
    underWay.add(placeKey(temporary));
    const revert = revertOf(request, {}, temporary, { isDue: true, over: false, answered });
    enqueue(revert.request, revert.write);
  };

  /** The write that ends a temporary write. */
  const revertOf = (request: DeviceRequest, envelope: Envelope, temporary: Temporary, how: HowEnded): Revert => {
    const { isDue, over, answered } = how;
    const { feature, command } = temporary;
    // A newer write may have replaced it in the meantime, or moved its end.
    const present = (): Temporary | undefined => {
      const running = ends.running(temporary);
      return running && (!isDue || running.untilMs <= clock.now()) ? running : undefined;
    };
    // The record is read again, however new it is: a later edit must not be reverted.
    request.target.state.markStale(feature, clock.elapsedMs());
    let staying: readonly string[] = [];
    const replyTo: ReplyAddress = (target, result, onDelivered) => {
      answered?.(result);
      const isReported = result.status === 'accepted' || ended(temporary, present(), result, how);
      const report = staying.length > 0 && result.status === 'applied' ? { ...result, ...changedSince(staying) } : result;
      if (isReported) request.replyTo(target, report, onDelivered);
      else onDelivered?.();
    };
    const content: DeferredContent = {
      kind: 'deferred',
      alwaysRead: true,
      // Overwriting a change made elsewhere is itself a change, so it can be undone.
      purpose: over ? 'restore' : 'revert',
      resolve: (shown) => {
        const running = present();
        staying = running && !over ? contestedIn(running, shown).map(nameOf) : [];
        return running ? revertCommand(running, shown, settings.rules, over) : { kind: 'unchanged' };
      },
    };
    return { request: { ...request, replyTo }, write: { feature, command, envelope, content, dryRun: false } };
  };

  /** Handles the end of an attempt; false where its result is not reported. */
  const ended = (temporary: Temporary, present: Temporary | undefined, result: CommandResult, { isDue, over }: HowEnded): boolean => {
    if (isDue) underWay.delete(placeKey(temporary));
    const { status, code, message } = result;
    const isSent = wasSent(result);
    // Accepted, but no read shows the revert: it is tried again, except for parts changed elsewhere.
    const isIgnored = code === 'not_shown' && present !== undefined && present.untilMs <= clock.now();
    if (isIgnored) ends.leaveContested(temporary);
    const ignored = isIgnored ? ends.running(temporary) : undefined;
    if (!ignored && (isSent || status === 'unchanged' || code === 'conflict')) {
      troubles.delete(temporary.key);
      ends.dropPossible(temporary, clock.now());
      if (present && !isSent) ends.end(present);
      // The sent parts are removed; the rest needs another command, due from this whole second on.
      else if (present?.untilMs === temporary.untilMs) {
        if (over) ends.takeContested(present);
        else ends.leaveContested(present);
        ends.move(present, Math.min(present.untilMs, Math.floor(clock.now() / 1000) * 1000));
      }
      loop.wake();
      return isSent || present !== undefined || !isDue;
    }
    if (!isDue && !ignored) return true;
    if (code === 'unknown_feature' && clock.now() - temporary.untilMs > GONE_MS) {
      ends.end(temporary);
      return true;
    }
    const known = troubleOf(temporary);
    troubles.delete(temporary.key);
    later(ignored ?? temporary, known ? Math.min(LONGEST_WAIT_MS, known.waitMs * 2) : FIRST_WAIT_MS);
    loop.wake();
    if ((known && isDue) || code === 'stopping') return false;
    const device = states.get(temporary.device)?.device.name;
    log.warn(
      { device, feature: temporary.feature, code, why: message },
      'the values before a temporary write could not be restored; it is tried again',
    );
    return true;
  };

  const later = (temporary: Temporary, waitMs: number): void => {
    const notBeforeMs = clock.elapsedMs() + waitMs;
    troubles.set(temporary.key, { untilMs: temporary.untilMs, waitMs, notBeforeMs });
  };

  return {
    /** An end was added, moved or removed. */
    wake: loop.wake,
    run,
    setUntil,
  };
};

export type RevertScheduler = ReturnType<typeof revertScheduler>;

const wasSent = ({ status }: CommandResult): boolean => status === 'applied' || status === 'unconfirmed';

const noEnd = (feature: string): Refusal => ({
  code: 'no_end',
  message: `there is no temporary write on ${feature} now; start one with until or for`,
});
