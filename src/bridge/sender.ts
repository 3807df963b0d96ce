import type { Json } from '../features/feature.ts';
import type { Day } from '../schedule/week.ts';
import { revision } from '../topics/record.ts';
import type { Said } from './answers.ts';
import type { CommandParts } from './commandParts.ts';
import type { Confirmed } from './confirm.ts';
import { type DeviceState, deviceKey, type Wish } from './home.ts';
import { journaled } from './interrupted.ts';
import { superseded } from './merging.ts';
import type { CallFailure, Platform, Target } from './ports.ts';
import { isCallFailure } from './reader.ts';
import type { Request } from './request.ts';
import { failed, NO_CALL, NO_QUOTA, outcomeOf, STOPPING } from './said.ts';
import type { SendWatcher, Sent, SentEnd, Share } from './sent.ts';

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
  readonly #watchers: readonly SendWatcher[];
  readonly #looking = new Map<string, Promise<void>>();

  constructor(parts: CommandParts, watchers: readonly SendWatcher[]) {
    this.#parts = parts;
    this.#watchers = watchers;
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
  async send(sent: Sent): Promise<void> {
    const { state, feature, shares } = sent;
    const { installation, gateway, device } = state.device;
    const refused = await this.callRefused();
    if (refused) {
      for (const share of shares) this.#answer(share, refused);
      return;
    }
    this.#lately(state, feature).push(this.#parts.clock.elapsedMs());
    for (const { request, write, kept, changed } of shares) {
      const effect = sent.effect && { ...sent.effect, ...daysOf(kept ?? changed) };
      this.#journaled.set(request, this.#parts.journal.begin(journaled(request, write, effect)));
    }
    for (const watcher of this.#watchers) watcher.beforeSend(sent);
    try {
      const target = { installation, gateway, device, feature };
      const accepted = await this.#parts.quota.hold(() => this.#execute(target, sent.command, sent.args));
      this.#accepted(sent, accepted);
    } catch (error) {
      if (!isCallFailure(error)) {
        for (const { request } of shares) this.#answered(request)();
        this.#ended(sent, 'failed');
        throw error;
      }
      this.#parts.onFailure(error);
      // The next write waits until it is known what this one has done: else it would send back what this one changed.
      if (error.executed === 'unknown') await this.#findOut(sent, error);
      else this.#failed(sent, this.#parts.signal.aborted ? STOPPING : failed(error));
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

  #accepted(sent: Sent, said: { readonly adapted: boolean; readonly reason?: string; readonly message?: string }): void {
    const { state, feature, effect, before } = sent;
    this.#yes(sent);
    const words = { ...(said.reason ? { reason: said.reason } : {}), ...(said.message ? { message: said.message } : {}) };
    if (!effect) {
      state.upset(feature, this.#parts.clock.elapsedMs());
      for (const share of sent.shares) this.#answer(share, { status: 'applied', ...words });
      this.#lookAt(sent);
      return;
    }
    const wish: Wish = { feature, values: effect.values, ...daysOf(effect.days) };
    state.wish(wish);
    this.#parts.showFeature(state, feature);
    for (const share of sent.shares) this.#answer(share, share.kept ? superseded(share) : { status: 'accepted', ...words });
    const read = this.#parts.readFor(state, feature);
    const waiting = { state, feature, effect, before, adapted: said.adapted, accepted: true, read };
    this.#follow(this.#parts.confirmations.wait(waiting).then((how) => this.#finish(sent, wish, how, words)));
  }

  #finish(sent: Sent, wish: Wish, confirmed: Confirmed, words: Partial<Said>): void {
    const { state, feature } = sent;
    // A stop leaves the wish on its topic: the platform has said yes to it.
    if (confirmed.how === 'no_quota') state.lapse(wish);
    else if (confirmed.how !== 'stopping') state.unwish(wish);
    this.#parts.showFeature(state, feature);
    const said = { ...words, ...outcomeOf(confirmed), ...revOf(state, feature) };
    this.#ended(sent, endOf(confirmed));
    for (const share of sent.shares) {
      if (!share.kept) this.#answer(share, { ...said, ...(share.changed ? { changed: share.changed } : {}) });
    }
  }

  /** An answer that got lost is never followed by sending again: the platform is asked what it shows (CONTRACT §4). */
  async #findOut(sent: Sent, failure: CallFailure): Promise<void> {
    const { state, feature, effect, before } = sent;
    state.doubt(feature, this.#parts.clock.elapsedMs());
    const read = this.#parts.readFor(state, feature);
    if (effect) {
      const confirmed = await this.#parts.confirmations.wait({ state, feature, effect, before, adapted: false, accepted: false, read });
      if (confirmed.how === 'shown') {
        this.#yes(sent);
        this.#ended(sent, 'applied');
        for (const share of sent.shares) {
          this.#answer(share, share.kept ? superseded(share) : { status: 'applied', ...revOf(state, feature) });
        }
        return;
      }
    } else await this.#parts.confirmations.look(read);
    const seen = effect ? 'it does not show it' : 'what it shows cannot tell';
    const message = `it is not known whether the platform carried this out, and ${seen}: ${failure.message}`;
    this.#failed(sent, { ...failed(failure), code: 'unknown_outcome', message });
  }

  /** The platform has carried it out. */
  #yes(sent: Sent): void {
    for (const { write } of sent.shares) write.onAccepted?.();
    for (const watcher of this.#watchers) watcher.accepted(sent);
  }

  #failed(sent: Sent, said: Said): void {
    this.#ended(sent, 'failed');
    for (const share of sent.shares) this.#answer(share, said);
  }

  #ended(sent: Sent, how: SentEnd): void {
    for (const watcher of this.#watchers) watcher.ended(sent, how);
  }

  /** What follows a command whose effect nobody can predict; `looked` waits for it. */
  #lookAt(sent: Sent): void {
    const { state, feature } = sent;
    const key = `${deviceKey(state.device)} ${feature}`;
    const before = state.features.get(feature)?.truth;
    const look = this.#parts.confirmations.look(this.#parts.readFor(state, feature)).then(() => {
      if (this.#looking.get(key) === look) this.#looking.delete(key);
      // It may show yet: what is to be completed from the record reads it anew.
      const after = state.features.get(feature)?.truth;
      if (before && after && revision(after) === revision(before)) state.doubt(feature, this.#parts.clock.elapsedMs());
      this.#ended(sent, 'applied');
    });
    this.#looking.set(key, look);
    this.#follow(look);
  }

  /** Resolves when a command of unpredictable effect on this feature was looked after: till then nobody knows what to complete a week from. */
  async looked(state: DeviceState, feature: string): Promise<void> {
    await this.#looking.get(`${deviceKey(state.device)} ${feature}`);
  }

  #follow(work: Promise<void>): void {
    const followed = work.finally(() => this.#confirming.delete(followed));
    this.#confirming.add(followed);
  }

  #answer({ request, write }: Share, said: Said): void {
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

const daysOf = (days: readonly Day[] | undefined): { readonly days?: readonly Day[] } => (days ? { days } : {});

const endOf = ({ how }: Confirmed): SentEnd => (how === 'shown' ? 'applied' : how === 'adapted' ? how : 'unconfirmed');

const revOf = (state: DeviceState, name: string): { readonly rev?: string } => {
  const feature = state.shown(name);
  return feature ? { rev: revision(feature) } : {};
};
