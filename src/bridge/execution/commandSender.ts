import type { Clock } from '../../shared/clock.ts';
import { revision } from '../../topics/recordPayload.ts';
import { type CommandResult, reply } from '../commands/commandRequest.ts';
import type { Effect } from '../commands/evaluate.ts';
import type { Refusal } from '../commands/rejection.ts';
import { type DeviceState, deviceKey } from '../devices/deviceState.ts';
import type { PendingWrite } from '../devices/pendingWrites.ts';
import { isCallFailure } from '../polling/featureReader.ts';
import type { CallFailure, Journal, Platform } from '../ports.ts';
import type { RateLimiter } from '../quota/rateLimiter.ts';
import { type Confirmation, type Confirmed, type Expected, outcomeOf } from './confirmation.ts';
import { journalEntry } from './journalRecovery.ts';
import { superseded } from './mergeWrites.ts';
import { failed, NO_CALL, NO_QUOTA, SENT_AND_STOPPING, STOPPING } from './results.ts';
import type { SendObserver, Sent, SentEnd, Share } from './sentCommand.ts';

const HOUR_MS = 3_600_000;
/** The whole stop takes at most some seconds. */
const LAST_ANSWER_MS = 2000;

type Looked = Pick<Expected, 'state' | 'feature' | 'before' | 'sinceMs'>;
type Words = Partial<Pick<CommandResult, 'reason' | 'message'>>;

/** Sends a command once, and follows it to its terminal result (docs/decisions/writes.md). */
export class CommandSender {
  readonly #platform: Pick<Platform, 'execute'>;
  readonly #quota: RateLimiter;
  readonly #journal: Omit<Journal, 'left'>;
  readonly #confirmation: Confirmation;
  readonly #observers: readonly SendObserver[];
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #confirming = new Set<Promise<void>>();
  readonly #sent = new Map<string, number[]>();

  constructor(
    platform: Pick<Platform, 'execute'>,
    quota: RateLimiter,
    journal: Omit<Journal, 'left'>,
    confirmation: Confirmation,
    observers: readonly SendObserver[],
    clock: Clock,
    signal: AbortSignal,
  ) {
    this.#platform = platform;
    this.#quota = quota;
    this.#journal = journal;
    this.#confirmation = confirmation;
    this.#observers = observers;
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
  async send(sent: Sent): Promise<void> {
    const { state, feature } = sent;
    // Another device may have taken the call since the decision.
    const noCall = this.#noCall();
    if (noCall) {
      // What waited for this write goes on waiting.
      for (const { request, write, waited } of sent.shares) if (waited === undefined) reply(request, noCall, write);
      return;
    }
    const { begun, refusal } = this.#begin(sent);
    if (refusal) {
      this.#fail(sent, begun, { status: 'rejected', ...refusal });
      return;
    }
    const key = keyOf(state, feature);
    const lately = this.#lately(key);
    lately.push(this.#clock.elapsedMs());
    this.#sent.set(key, lately);
    let answer: Awaited<ReturnType<Platform['execute']>>;
    try {
      answer = await this.#quota.hold(() => this.#execute(sent));
    } catch (error) {
      if (!isCallFailure(error)) {
        this.#layOver(sent, begun, 'unknown');
        for (const one of begun) this.#journal.mark(one.key, 'answered');
        this.#ended(sent, 'unknown');
        throw error;
      }
      for (const observer of this.#observers) observer.failed?.(error);
      // The next write waits until the effect of this one is known; otherwise it could revert it.
      if (error.executed === 'unknown') await this.#findOut(sent, begun, error);
      // A refusal by the platform during a stop is reported as such.
      else this.#fail(sent, begun, this.#signal.aborted && error.code === 'aborted' ? STOPPING : failed(error));
      return;
    }
    this.#accepted(sent, begun, answer);
  }

  #noCall(): CommandResult | undefined {
    const now = this.#clock.elapsedMs();
    if (this.#signal.aborted) return STOPPING;
    if (this.#quota.pausedForMs(now) > 0) return NO_CALL;
    return this.#quota.mayCommand(now) ? undefined : NO_QUOTA;
  }

  /** Writes to disk what has to be known of the command if the process ends before its answer. */
  #begin(sent: Sent): { readonly begun: readonly Begun[]; readonly refusal: Refusal | undefined } {
    const write = (): readonly Begun[] => {
      const shares = this.#beginShares(sent);
      const keys = shares.map(({ key }) => key);
      for (const observer of this.#observers) observer.beforeSend?.(sent, keys);
      return shares;
    };
    const { result: begun, isKept } = this.#journal.together(write, { isCallNext: true });
    const refusals = isKept ? [] : this.#observers.map((observer) => observer.notKept?.(sent));
    return { begun, refusal: refusals.find((refusal) => refusal !== undefined) };
  }

  /** Writes each share to the journal, with what reads may show before it is carried out. */
  #beginShares(sent: Sent): readonly Begun[] {
    const { state, feature, shares } = sent;
    const truth = state.features.get(feature)?.truth;
    return shares.map((share) => {
      // Unchanged days that the write names count too: an edit of them that no read has shown yet is overwritten.
      const days = share.named ?? share.kept ?? share.changed;
      const effect = sent.effect && (days ? { ...sent.effect, days } : effectOf(share, sent.effect));
      const before = effect ? state.pending.before(feature, effect, truth) : [];
      const revsBefore = effect ? [] : state.pending.revsBefore(truth);
      const expected = { effect, before, revsBefore };
      const key = this.#journal.begin(journalEntry(share.request, share.write, expected));
      share.request.replyTo.journaled?.();
      return { ...expected, key, share };
    });
  }

  /** What was sent is pending until a read shows it; gives what that read is expected to show. */
  #layOver({ state, feature }: Sent, begun: readonly Begun[], outcome: PendingWrite['outcome']): Looked {
    const sinceMs = this.#clock.elapsedMs();
    for (const { share: _, ...write } of begun) {
      if (outcome === 'accepted') this.#journal.mark(write.key, 'accepted');
      state.pending.add({ ...write, feature, outcome, sinceMs });
    }
    return { state, feature, before: begun.flatMap(({ before }) => before), sinceMs };
  }

  /** During a stop the platform has some time left to answer; after that the answer is lost. */
  async #execute({ state, feature, command, args }: Sent): ReturnType<Platform['execute']> {
    const { installation, gateway, device } = state.device;
    const late = new AbortController();
    let answered: AbortController | undefined;
    const onStop = (): void => {
      answered = new AbortController();
      void this.#clock.sleep(LAST_ANSWER_MS, answered.signal).then(
        () => late.abort(),
        () => undefined,
      );
    };
    this.#signal.addEventListener('abort', onStop);
    try {
      return await this.#platform.execute({ installation, gateway, device, feature }, command, args, late.signal);
    } finally {
      this.#signal.removeEventListener('abort', onStop);
      answered?.abort();
    }
  }

  #accepted(sent: Sent, begun: readonly Begun[], { adapted, reason, message }: Awaited<ReturnType<Platform['execute']>>): void {
    const { state, feature, effect } = sent;
    const { result: expected } = this.#journal.together(() => {
      const looked = this.#layOver(sent, begun, 'accepted');
      for (const observer of this.#observers) observer.accepted?.(sent);
      return looked;
    });
    // A member without a value would still decide the order of the result's members.
    const words = { ...(reason ? { reason } : {}), ...(message ? { message } : {}) };
    if (!effect) {
      state.markStale(feature, this.#clock.elapsedMs());
      this.#reply(begun, { status: 'applied', ...words });
      this.#follow(this.#confirmation.look(expected).then(() => this.#ended(sent, 'applied')));
      return;
    }
    for (const one of begun) this.#replyOne(one, one.share.kept ? superseded(one.share) : { status: 'accepted', ...words });
    const confirmed = this.#confirmation.wait({ ...expected, effect, adapted, accepted: true });
    this.#follow(confirmed.then((outcome) => this.#finish(sent, begun, outcome, words)));
  }

  #finish(sent: Sent, begun: readonly Begun[], confirmed: Confirmed, words: Words): void {
    const { state, feature } = sent;
    if (confirmed.kind === 'adapted') for (const { key } of begun) state.pending.discard(key);
    const result = { ...words, ...outcomeOf(confirmed), rev: revOf(state, feature) };
    this.#ended(sent, confirmed.kind === 'shown' ? 'applied' : confirmed.kind === 'adapted' ? 'adapted' : 'unconfirmed', result);
    for (const one of begun) {
      const { kept, changed } = one.share;
      if (!kept) this.#replyOne(one, { ...result, changed });
    }
  }

  /** After a lost answer the command is not sent again: the platform is asked what it shows (docs/decisions/writes.md). */
  async #findOut(sent: Sent, begun: readonly Begun[], failure: CallFailure): Promise<void> {
    const { state, feature, effect } = sent;
    const expected = this.#layOver(sent, begun, 'unknown');
    state.markStale(feature, this.#clock.elapsedMs());
    if (effect) {
      const confirmed = await this.#confirmation.wait({ ...expected, effect, adapted: false, accepted: false });
      if (confirmed.kind === 'shown') {
        for (const observer of this.#observers) observer.accepted?.(sent);
        this.#ended(sent, 'applied');
        const result: CommandResult = { status: 'applied', rev: revOf(state, feature) };
        for (const one of begun) this.#replyOne(one, one.share.kept ? superseded(one.share) : result);
        return;
      }
    } else await this.#confirmation.look(expected);
    const seen = effect ? 'it does not show it' : 'what it shows cannot tell';
    const message = `it is not known whether the platform carried this out, and ${seen}: ${failure.message}`;
    const result = this.#signal.aborted ? SENT_AND_STOPPING : ({ ...failed(failure), code: 'unknown_outcome', message } as const);
    this.#ended(sent, 'unknown', result);
    this.#reply(begun, result);
  }

  /** Nothing was carried out. */
  #fail(sent: Sent, begun: readonly Begun[], result: CommandResult): void {
    for (const { key } of begun) this.#journal.mark(key, 'settled');
    this.#ended(sent, 'failed', result);
    this.#reply(begun, result);
  }

  #ended(sent: Sent, how: SentEnd, result?: CommandResult): void {
    for (const observer of this.#observers) observer.ended?.(sent, how, result);
  }

  #follow(work: Promise<void>): void {
    const followed = work.finally(() => this.#confirming.delete(followed));
    this.#confirming.add(followed);
  }

  #reply(begun: readonly Begun[], result: CommandResult): void {
    for (const one of begun) this.#replyOne(one, result);
  }

  /** The journal entry ends when the terminal result has arrived. */
  #replyOne({ key, share: { request, write } }: Begun, result: CommandResult): void {
    reply(request, result, write, result.status === 'accepted' ? undefined : () => this.#journal.mark(key, 'answered'));
  }

  #lately(key: string): number[] {
    const since = this.#clock.elapsedMs() - HOUR_MS;
    const sent = this.#sent.get(key) ?? [];
    const first = sent.findIndex((at) => at > since);
    sent.splice(0, first < 0 ? sent.length : first);
    return sent;
  }
}

/** A share that is in the journal. */
type Begun = Pick<PendingWrite, 'key' | 'effect' | 'before' | 'revsBefore'> & { readonly share: Share };

/** What a write has of the effect of a command that several writes became. */
const effectOf = ({ properties }: Share, effect: Effect): Effect =>
  properties ? { ...effect, values: new Map([...effect.values].filter(([name]) => properties.includes(name))) } : effect;

const keyOf = ({ device }: DeviceState, feature: string): string => `${deviceKey(device)} ${feature}`;

const revOf = (state: DeviceState, name: string): string | undefined => {
  const feature = state.shown(name);
  return feature && revision(feature);
};
