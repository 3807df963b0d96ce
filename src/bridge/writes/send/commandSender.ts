import { EventEmitter } from 'node:events';
import type { Clock } from '../../../shared/clock.ts';
import { revision } from '../../../topics/recordPayload.ts';
import { type CallFailure, isCallFailure, type Platform } from '../../ports.ts';
import { type DeviceState, deviceKey } from '../../state/deviceState.ts';
import { failed, NO_CALL, NO_QUOTA, SENT_AND_STOPPING, STOPPING } from '../answers/results.ts';
import { type CommandResult, reply } from '../request/commandRequest.ts';
import { seenChange } from '../write/change.ts';
import { placeKey, type WriteLog } from '../write/writeLog.ts';
import { type BeginWrites, type Begun, ownOf } from './beginWrites.ts';
import { type Confirmation, outcomeOf } from './confirmation.ts';
import type { SentCommand } from './sentCommand.ts';

const HOUR_MS = 3_600_000;
/** The whole stop takes at most some seconds. */
const LAST_ANSWER_MS = 2000;

/** The calls that the platform allows; the moments are those of `Clock.elapsedMs`. */
type Calls = {
  pausedForMs(nowMs: number): number;
  mayCommand(nowMs: number): boolean;
  /** Holds one call until what this gives is called. */
  hold(): () => void;
};

type SenderEvents = {
  /** It is on disk, and the call follows. */
  sent: [sent: SentCommand];
  /** The platform has accepted the command, or showed its effect after the answer got lost. */
  accepted: [sent: SentCommand];
  callFailed: [failure: CallFailure, sent: SentCommand];
};

/** Sends a command once, and follows it to its terminal result (docs/decisions/writes.md). */
export class CommandSender extends EventEmitter<SenderEvents> {
  readonly #platform: Pick<Platform, 'execute'>;
  readonly #quota: Calls;
  readonly #writes: WriteLog;
  readonly #begin: BeginWrites;
  readonly #confirmation: Confirmation;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #confirming = new Set<Promise<void>>();
  readonly #sent = new Map<string, number[]>();

  constructor(
    platform: Pick<Platform, 'execute'>,
    quota: Calls,
    writes: WriteLog,
    begin: BeginWrites,
    confirmation: Confirmation,
    clock: Clock,
    signal: AbortSignal,
  ) {
    super();
    this.#platform = platform;
    this.#quota = quota;
    this.#writes = writes;
    this.#begin = begin;
    this.#confirmation = confirmation;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Resolves when all that was sent has its terminal result. */
  async idle(): Promise<void> {
    await Promise.all(this.#confirming);
  }

  /** How many commands went to the feature within the last hour. */
  sentLately(state: DeviceState, feature: string): number {
    return this.#lately(keyOf(state, feature)).length;
  }

  /** Resolves with the platform's answer; the confirmation goes on behind it. */
  async send(sent: SentCommand): Promise<void> {
    const { state, feature } = sent;
    // Another device may have taken the call since the decision.
    const noCall = this.#noCall();
    if (noCall) {
      // What waited for this write goes on waiting.
      for (const { request, write, waited } of sent.shares) if (waited === undefined) reply(request, noCall, write);
      return;
    }
    const { result: begun, isKept } = this.#writes.together(() => this.#begin(sent));
    if (!isKept && begun.keys.some((key) => this.#writes.sent(key)?.end !== undefined)) {
      this.#writes.apply(begun.keys, { kind: 'refused', result: END_NOT_KEPT });
      return;
    }
    const key = keyOf(state, feature);
    const lately = this.#lately(key);
    lately.push(this.#clock.elapsedMs());
    this.#sent.set(key, lately);
    this.emit('sent', sent);
    let answer: Awaited<ReturnType<Platform['execute']>>;
    const { installation, gateway, device } = state.device;
    const call = this.#beginCall();
    try {
      const { command, args } = sent;
      answer = await this.#platform.execute({ installation, gateway, device, feature }, command, args, call.signal).finally(call.end);
    } catch (error) {
      if (!isCallFailure(error)) {
        this.#writes.apply(begun.keys, { kind: 'lost' });
        this.#writes.apply(begun.keys, { kind: 'unknown' });
        throw error;
      }
      this.emit('callFailed', error, sent);
      // The next write waits until the effect of this one is known; otherwise it could revert it.
      if (error.executed === 'unknown') await this.#findOut(begun, error);
      else {
        // A refusal by the platform during a stop is reported as such.
        const result = this.#signal.aborted && error.code === 'aborted' ? STOPPING : failed(error);
        this.#writes.apply(begun.keys, { kind: 'refused', result });
      }
      return;
    }
    this.#accepted(begun, answer);
  }

  #noCall(): CommandResult | undefined {
    const now = this.#clock.elapsedMs();
    if (this.#signal.aborted) return STOPPING;
    if (this.#quota.pausedForMs(now) > 0) return NO_CALL;
    return this.#quota.mayCommand(now) ? undefined : NO_QUOTA;
  }

  /** Holds a call until its `end`. During a stop the platform has some time left to answer; after that the answer is lost. */
  #beginCall(): { readonly signal: AbortSignal; readonly end: () => void } {
    const late = new AbortController();
    const answered = new AbortController();
    const onStop = (): void => {
      void this.#clock.sleep(LAST_ANSWER_MS, answered.signal).then(
        () => late.abort(),
        () => undefined,
      );
    };
    this.#signal.addEventListener('abort', onStop);
    const release = this.#quota.hold();
    const end = (): void => {
      release();
      this.#signal.removeEventListener('abort', onStop);
      answered.abort();
    };
    return { signal: late.signal, end };
  }

  #accepted(begun: Begun, { adapted, reason, message }: Awaited<ReturnType<Platform['execute']>>): void {
    const { sent, keys, before } = begun;
    const { state, feature, effect } = sent;
    const sinceMs = this.#clock.elapsedMs();
    // A member without a value would still decide the order of the result's members.
    const words = { ...(reason ? { reason } : {}), ...(message ? { message } : {}) };
    if (!effect) state.markStale(feature, sinceMs);
    this.#writes.apply(keys, { kind: 'accepted', words, adapted }, () => this.emit('accepted', sent));
    const confirmed = effect
      ? this.#confirmation.wait({ state, feature, before, effect, adapted, accepted: true, sinceMs }).then((outcome) => {
          if (outcome.kind === 'adapted') for (const key of keys) state.pending.discard(key);
          const result = { ...words, ...outcomeOf(outcome), rev: revOf(state, feature) };
          if (outcome.kind === 'adapted') this.#changed(begun, 'adapted', result);
          else this.#writes.apply(keys, { kind: 'confirmed', result });
        })
      : this.#confirmation.look({ state, feature, sinceMs }).then(() => this.#changed(begun, 'made'));
    const followed = confirmed.finally(() => this.#confirming.delete(followed));
    this.#confirming.add(followed);
  }

  /** What the platform made of the command is known only now. */
  #changed({ sent, keys, lasting }: Begun, kind: 'adapted' | 'made', result: CommandResult = { status: 'applied' }): void {
    const shows = sent.state.features.get(sent.feature)?.truth;
    this.#writes.apply(keys, (index) => {
      const share = sent.shares[index];
      return { kind, shows, result, change: seenChange(shows, share ? ownOf(share) : {}, sent.before, lasting) };
    });
  }

  /** After a lost answer the command is not sent again: the platform is asked what it shows (docs/decisions/writes.md). */
  async #findOut({ sent, keys, before }: Begun, failure: CallFailure): Promise<void> {
    const { state, feature, effect } = sent;
    const sinceMs = this.#clock.elapsedMs();
    this.#writes.apply(keys, { kind: 'lost' });
    state.markStale(feature, sinceMs);
    if (effect) {
      const confirmed = await this.#confirmation.wait({ state, feature, before, effect, adapted: false, accepted: false, sinceMs });
      if (confirmed.kind === 'shown') {
        const result: CommandResult = { status: 'applied', rev: revOf(state, feature) };
        this.#writes.apply(keys, { kind: 'confirmed', result }, () => this.emit('accepted', sent));
        return;
      }
    } else await this.#confirmation.look({ state, feature, sinceMs });
    const seen = effect ? 'no read has shown it since' : 'what it shows cannot tell';
    const message = `it is not known whether the platform carried this out, and ${seen}: ${failure.message}`;
    const result = this.#signal.aborted ? SENT_AND_STOPPING : ({ ...failed(failure), code: 'unknown_outcome', message } as const);
    this.#writes.apply(keys, { kind: 'unknown', result });
  }

  #lately(key: string): number[] {
    const since = this.#clock.elapsedMs() - HOUR_MS;
    const sent = this.#sent.get(key) ?? [];
    const first = sent.findIndex((at) => at > since);
    sent.splice(0, first < 0 ? sent.length : first);
    return sent;
  }
}

const keyOf = ({ device }: DeviceState, feature: string): string => placeKey({ device: deviceKey(device), feature });

const revOf = (state: DeviceState, name: string): string | undefined => {
  const feature = state.shown(name);
  return feature && revision(feature);
};

const END_NOT_KEPT: CommandResult = {
  status: 'rejected',
  code: 'end_not_kept',
  message: 'not sent: the end of this write cannot be kept on disk (see the log), so what it writes would stay; leave until and for out',
};
