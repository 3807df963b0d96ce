import { EventEmitter } from 'node:events';
import { type Clock, type LastHour, later } from '../../../shared/clock.ts';
import { revision } from '../../../topics/recordPayload.ts';
import { type CallFailure, isCallFailure, type Platform } from '../../ports.ts';
import type { DeviceState } from '../../state/deviceState.ts';
import type { Quota } from '../../state/readTarget.ts';
import { END_NOT_KEPT, failed, noCall, SENT_AND_STOPPING, STOPPING } from '../answers/results.ts';
import { type CommandResult, reply } from '../request/commandRequest.ts';
import { seenChange } from '../write/change.ts';
import { placeKey, placeOf, type WriteLog } from '../write/writeLog.ts';
import { type BeginWrites, type Begun, ownOf } from './beginWrites.ts';
import type { Confirmation } from './confirmation.ts';
import type { SentCommand } from './mergeWrites.ts';

/** Time for open calls to be answered during a stop; the whole stop takes only seconds. */
const LAST_ANSWER_MS = 2000;

type SenderEvents = {
  /** The command is on disk; the call follows. */
  sent: [sent: SentCommand];
  /** The platform accepted the command, or showed its effect after a lost answer. */
  accepted: [sent: SentCommand];
  callFailed: [failure: CallFailure, sent: SentCommand];
};

/** Sends a command once, and follows it to its final answer (docs/decisions/writes.md). */
export const commandSender = (
  platform: Pick<Platform, 'execute'>,
  quota: Pick<Quota, 'pausedForMs' | 'mayCommand' | 'hold'>,
  sentLately: Pick<LastHour, 'add'>,
  writes: WriteLog,
  begin: BeginWrites,
  confirmation: Confirmation,
  clock: Clock,
  signal: AbortSignal,
) => {
  const events = new EventEmitter<SenderEvents>();
  const confirming = new Set<Promise<void>>();

  /** Resolves when every sent write has its final answer. */
  const idle = async (): Promise<void> => {
    await Promise.all(confirming);
  };

  /** Resolves with the platform's answer; the confirmation continues in the background. */
  const send = async (sent: SentCommand): Promise<void> => {
    const { state, feature, effect } = sent;
    // Another device may have used the call since the decision.
    const refused = noCall(quota);
    if (refused) {
      // Waiting writes that joined this one keep waiting.
      for (const { request, write, waited } of sent.shares) if (waited === undefined) reply(request, refused, write);
      return;
    }
    const { result: begun, isKept } = writes.together(() => begin(sent));
    const { keys } = begun;
    if (!isKept && keys.some((key) => writes.sent(key)?.end !== undefined)) {
      writes.apply(keys, { kind: 'refused', result: END_NOT_KEPT });
      return;
    }
    sentLately.add(placeKey(placeOf(state.device, feature)));
    events.emit('sent', sent);
    const { installation, gateway, device } = state.device;
    const call = beginCall();
    const answer = await platform
      .execute({ installation, gateway, device, feature }, sent.command, sent.args, call.signal)
      .finally(call.end)
      .catch((error: unknown) => callFailed(begun, error));
    if (!answer) return;
    const { adapted, ...words } = answer;
    const sinceMs = clock.elapsedMs();
    if (!effect) state.markStale(feature, sinceMs);
    writes.apply(keys, { kind: 'accepted', words, adapted }, () => events.emit('accepted', sent));
    const confirmed = confirmation.wait({ state, feature, keys, sinceMs }).then((outcome) => {
      const result = { ...words, ...outcome, rev: revOf(state, feature) };
      if (!effect) changed(begun, 'made');
      else if ('adapted' in outcome) changed(begun, 'adapted', result);
      else writes.apply(keys, { kind: outcome.status === 'applied' ? 'confirmed' : 'unconfirmed', result });
    });
    const followed = confirmed.finally(() => confirming.delete(followed));
    confirming.add(followed);
  };

  const callFailed = async (begun: Begun, error: unknown): Promise<undefined> => {
    const { sent, keys } = begun;
    if (!isCallFailure(error)) {
      writes.apply(keys, { kind: 'lost' });
      writes.apply(keys, { kind: 'unconfirmed' });
      throw error;
    }
    events.emit('callFailed', error, sent);
    // The next write waits until the effect of this one is known; otherwise it could revert it.
    if (error.executed === 'unknown') await findOut(begun, error);
    // A refusal by the platform during a stop is reported as such.
    else writes.apply(keys, { kind: 'refused', result: error.code === 'aborted' ? STOPPING : failed(error) });
    return undefined;
  };

  /** Holds a call until `end`. A stop aborts it after `LAST_ANSWER_MS`; its answer is then lost. */
  const beginCall = (): { readonly signal: AbortSignal; readonly end: () => void } => {
    const late = new AbortController();
    const answered = new AbortController();
    const onStop = (): void => later(clock, LAST_ANSWER_MS, answered.signal, () => late.abort());
    signal.addEventListener('abort', onStop);
    const release = quota.hold();
    const end = (): void => {
      release();
      signal.removeEventListener('abort', onStop);
      answered.abort();
    };
    return { signal: late.signal, end };
  };

  /** Applies what the platform made of the command, which is known only after a read. */
  const changed = ({ sent, keys, lasting }: Begun, kind: 'adapted' | 'made', result: CommandResult = { status: 'applied' }): void => {
    const shows = sent.state.features.get(sent.feature)?.truth;
    writes.apply(keys, (index) => {
      const share = sent.shares[index];
      return { kind, shows, result, change: seenChange(shows, share ? ownOf(share) : {}, sent.before, lasting) };
    });
  };

  /** After a lost answer reads tell the outcome; nothing is sent again (docs/decisions/writes.md). */
  const findOut = async ({ sent, keys }: Begun, failure: CallFailure): Promise<void> => {
    const { state, feature, effect } = sent;
    const sinceMs = clock.elapsedMs();
    writes.apply(keys, { kind: 'lost' });
    state.markStale(feature, sinceMs);
    const { status } = await confirmation.wait({ state, feature, keys, sinceMs });
    if (status === 'applied') {
      const result = { status, rev: revOf(state, feature) };
      writes.apply(keys, { kind: 'confirmed', result }, () => events.emit('accepted', sent));
      return;
    }
    const seen = effect ? 'no read has shown it since' : 'its records cannot show it';
    const message = `it is not known whether the platform carried this out, and ${seen}: ${failure.message}`;
    const result = signal.aborted ? SENT_AND_STOPPING : ({ ...failed(failure), code: 'unknown_outcome', message } as const);
    writes.apply(keys, { kind: 'unconfirmed', result });
  };

  return Object.assign(events, { idle, send });
};

export type CommandSender = ReturnType<typeof commandSender>;

const revOf = (state: DeviceState, name: string): string | undefined => {
  const feature = state.shown(name);
  return feature && revision(feature);
};
