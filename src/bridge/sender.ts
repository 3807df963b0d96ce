import type { Feature, Json } from '../features/feature.ts';
import { revision } from '../topics/record.ts';
import type { Said } from './answers.ts';
import type { CommandParts } from './commandParts.ts';
import type { Confirmed } from './confirm.ts';
import type { Decision, Effect, Write } from './evaluate.ts';
import { type DeviceState, deviceKey, type Wish } from './home.ts';
import { journaled } from './interrupted.ts';
import type { CallFailure, Platform, Target } from './ports.ts';
import { isCallFailure } from './reader.ts';
import type { Request } from './request.ts';

type Sending = Decision & { readonly do: 'send' };

const HOUR_MS = 3_600_000;
/** A full window of ten minutes has room again after so long. */
const LONGEST_WAIT_MS = 600_000;
/** The whole stop takes at most some seconds. */
const LAST_ANSWER_MS = 2000;

/** Sends what was decided, once, and follows it to its terminal answer (CONTRACT §4). */
export class Sender {
  readonly #parts: CommandParts;
  readonly #confirming = new Set<Promise<void>>();
  readonly #sent = new Map<string, number[]>();
  /** Where the journal keeps what was sent, until it has its terminal answer. */
  readonly #journaled = new Map<Request, number>();

  constructor(parts: CommandParts) {
    this.#parts = parts;
  }

  /** Resolves when all that was sent has its terminal answer. */
  async idle(): Promise<void> {
    await Promise.all(this.#confirming);
  }

  /** True where the platform takes a call for a command now. */
  mayCall(): boolean {
    return this.#parts.quota.mayCommand(this.#parts.clock.elapsedMs());
  }

  /** Waits until the windows have room for a command, up to ten minutes; the answer where they have not, or the platform refuses calls. */
  async callRefused(): Promise<Said | undefined> {
    const { quota, clock, signal } = this.#parts;
    const untilMs = clock.elapsedMs() + LONGEST_WAIT_MS;
    for (;;) {
      if (signal.aborted) return STOPPING;
      const now = clock.elapsedMs();
      if (quota.pausedForMs(now) > 0) return NO_CALL;
      const waitMs = quota.commandWaitMs(now);
      if (waitMs === 0) return undefined;
      if (now + waitMs > untilMs) return NO_QUOTA;
      await clock.sleep(waitMs, signal).catch(() => undefined);
    }
  }

  /** How many commands went to the feature within the last hour. */
  sentLately(state: DeviceState, feature: string): number {
    return this.#lately(state, feature).length;
  }

  /** Resolves with the platform's answer; the confirmation goes on behind it. */
  async send(request: Request, write: Write, decision: Sending, before: Feature): Promise<void> {
    const { state } = request;
    const { installation, gateway, device } = state.device;
    const refused = await this.callRefused();
    if (refused) {
      this.#answer(request, refused, write);
      return;
    }
    this.#lately(state, write.feature).push(this.#parts.clock.elapsedMs());
    this.#journaled.set(request, this.#parts.journal.begin(journaled(request, write, decision.effect)));
    try {
      const target = { installation, gateway, device, feature: write.feature };
      const accepted = await this.#parts.quota.hold(() => this.#execute(target, write.command, decision.args));
      this.#accepted(request, write, decision, before, accepted);
    } catch (error) {
      if (!isCallFailure(error)) {
        this.#answered(request)();
        throw error;
      }
      this.#parts.onFailure(error);
      // The next write waits until it is known what this one has done: else it would send back what this one changed.
      if (error.executed === 'unknown') await this.#findOut(request, write, decision.effect, before, error);
      else this.#answer(request, this.#parts.signal.aborted ? STOPPING : failed(error), write);
    }
  }

  /** A stop leaves the platform some time to answer what was sent: an answer that is not waited for is lost. */
  async #execute(...command: readonly [Required<Target>, string, Readonly<Record<string, Json>>]): ReturnType<Platform['execute']> {
    const { platform, signal, clock } = this.#parts;
    const [answered, late] = [new AbortController(), new AbortController()];
    const onStop = (): void =>
      void clock.sleep(LAST_ANSWER_MS, answered.signal).then(
        () => late.abort(),
        () => undefined,
      );
    signal.addEventListener('abort', onStop);
    try {
      return await platform.execute(...command, late.signal);
    } finally {
      signal.removeEventListener('abort', onStop);
      answered.abort();
    }
  }

  #accepted(
    request: Request,
    write: Write,
    decision: Sending,
    before: Feature,
    said: { readonly adapted: boolean; readonly reason?: string; readonly message?: string },
  ): void {
    const { state } = request;
    const { effect } = decision;
    write.onAccepted?.();
    const words = { ...(said.reason ? { reason: said.reason } : {}), ...(said.message ? { message: said.message } : {}) };
    if (!effect) {
      state.doubt(write.feature, this.#parts.clock.elapsedMs());
      this.#parts.showFeature(state, write.feature);
      this.#answer(request, { status: 'applied', ...words }, write);
      this.#follow(this.#parts.confirmations.look(this.#parts.readFor(state, write.feature)));
      return;
    }
    const wish: Wish = { feature: write.feature, values: effect.values };
    state.wish(wish);
    this.#parts.showFeature(state, write.feature);
    this.#answer(request, { status: 'accepted', ...words }, write);
    const confirmed = this.#parts.confirmations.wait({
      state,
      feature: write.feature,
      effect,
      before,
      adapted: said.adapted,
      accepted: true,
      read: this.#parts.readFor(state, write.feature),
    });
    const changed = decision.changed ? { changed: decision.changed } : {};
    this.#follow(confirmed.then((how) => this.#finish(request, write, wish, how, { ...words, ...changed })));
  }

  #finish(request: Request, write: Write, wish: Wish, confirmed: Confirmed, words: Partial<Said>): void {
    const { state } = request;
    // A stop leaves the wish on its topic: the platform has said yes to it.
    if (confirmed.how === 'no_quota') state.lapse(wish);
    else if (confirmed.how !== 'stopping') state.unwish(wish);
    this.#parts.showFeature(state, write.feature);
    const rev = revOf(state, write.feature);
    if (confirmed.how === 'shown') this.#answer(request, { status: 'applied', ...words, ...rev }, write);
    else if (confirmed.how === 'adapted') this.#answer(request, { status: 'applied', ...words, ...rev, adapted: confirmed.shows }, write);
    else
      this.#answer(request, { status: 'unconfirmed', ...words, code: confirmed.how, message: UNCONFIRMED[confirmed.how], ...rev }, write);
  }

  /** An answer that got lost is never followed by sending again: the platform is asked what it shows (CONTRACT §4). */
  async #findOut(request: Request, write: Write, effect: Effect | undefined, before: Feature, failure: CallFailure): Promise<void> {
    const { state } = request;
    state.doubt(write.feature, this.#parts.clock.elapsedMs());
    const read = this.#parts.readFor(state, write.feature);
    if (effect) {
      const confirmed = await this.#parts.confirmations.wait({
        state,
        feature: write.feature,
        effect,
        before,
        adapted: false,
        accepted: false,
        read,
      });
      if (confirmed.how === 'shown') {
        write.onAccepted?.();
        this.#answer(request, { status: 'applied', ...revOf(state, write.feature) }, write);
        return;
      }
    } else await this.#parts.confirmations.look(read);
    const seen = effect ? 'it does not show it' : 'what it shows cannot tell';
    const message = `it is not known whether the platform carried this out, and ${seen}: ${failure.message}`;
    this.#answer(request, { ...failed(failure), code: 'unknown_outcome', message }, write);
  }

  #follow(work: Promise<void>): void {
    const followed = work.finally(() => this.#confirming.delete(followed));
    this.#confirming.add(followed);
  }

  #answer(request: Request, said: Said, write: Write): void {
    const heard = said.status === 'accepted' ? undefined : this.#answered(request);
    this.#parts.answers.answer(request.message, request.whom, said, write, heard);
  }

  /** What to do when the terminal answer has reached the broker. */
  #answered(request: Request): () => void {
    const key = this.#journaled.get(request);
    this.#journaled.delete(request);
    return () => key !== undefined && this.#parts.journal.end(key);
  }

  #lately(state: DeviceState, feature: string): number[] {
    const key = `${deviceKey(state.device)} ${feature}`;
    const since = this.#parts.clock.elapsedMs() - HOUR_MS;
    const lately = (this.#sent.get(key) ?? []).filter((at) => at > since);
    this.#sent.set(key, lately);
    return lately;
  }
}

const revOf = (state: DeviceState, name: string): { readonly rev?: string } => {
  const feature = state.shown(name);
  return feature ? { rev: revision(feature) } : {};
};

export const STOPPING: Said = { status: 'failed', code: 'stopping', message: 'not sent: the bridge is being stopped' };

export const NO_CALL: Said = {
  status: 'failed',
  code: 'rate_limited',
  message: 'not sent: the platform takes no calls now (see bridge/quota)',
};

const NO_QUOTA: Said = {
  status: 'failed',
  code: 'no_quota',
  message: 'not sent: no call is left, nor will there be within ten minutes (see bridge/quota)',
};

const UNCONFIRMED: Readonly<Record<'not_shown' | 'no_quota' | 'stopping', string>> = {
  not_shown: 'the platform said yes, but did not show it in any of the confirming reads',
  no_quota: 'the platform said yes; there is no call left to see whether it shows it, so the next poll will tell',
  stopping: 'the platform said yes; the bridge was stopped before it could see it',
};

/** The answer for a call that failed, with the platform's own words. */
export const failed = ({ code, message, errorType, reason, viErrorId }: CallFailure): Said => ({
  status: 'failed',
  code,
  message,
  ...(errorType ? { errorType } : {}),
  ...(reason ? { reason } : {}),
  ...(viErrorId ? { viErrorId } : {}),
});
