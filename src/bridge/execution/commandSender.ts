import type { Json } from '../../features/feature.ts';
import type { Day } from '../../schedule/week.ts';
import { revision } from '../../topics/recordPayload.ts';
import type { CommandParts } from '../commandDependencies.ts';
import type { Request } from '../commands/command.ts';
import { type DeviceState, deviceKey } from '../devices/deviceState.ts';
import type { PendingWrite } from '../devices/pendingWrites.ts';
import { isCallFailure } from '../polling/featureReader.ts';
import type { CallFailure, Platform, Target } from '../ports.ts';
import type { Confirmed, Waiting } from './confirmation.ts';
import { journaled } from './journalRecovery.ts';
import { superseded } from './mergeWrites.ts';
import type { Said } from './resultPublisher.ts';
import { failed, NO_CALL, NO_QUOTA, outcomeOf, SENT_AND_STOPPING, STOPPING } from './results.ts';
import type { SendWatcher, Sent, SentEnd, Share } from './sentCommand.ts';

const HOUR_MS = 3_600_000;
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

  constructor(parts: CommandParts, watchers: readonly SendWatcher[]) {
    this.#parts = parts;
    this.#watchers = watchers;
  }

  /** Resolves when all that was sent has its terminal answer. */
  async idle(): Promise<void> {
    await Promise.all(this.#confirming);
  }

  /** How many commands went to the feature within the last hour. */
  sentLately(state: DeviceState, feature: string): number {
    return this.#lately(state, feature).length;
  }

  /** Resolves with the platform's answer; the confirmation goes on behind it. */
  async send(sent: Sent): Promise<void> {
    const { state, feature, shares } = sent;
    const { installation, gateway, device } = state.device;
    // It was there when this was decided, but another device may have taken it since.
    const noCall = this.#noCall();
    if (noCall) {
      for (const share of shares) this.#answer(share, noCall);
      return;
    }
    const truth = state.features.get(feature)?.truth;
    const pending = shares.map(({ request, write, kept, changed, named }) => {
      // Also days that were named as they are: an edit of them that no read has shown yet is overwritten too.
      const effect = sent.effect && { ...sent.effect, ...daysOf(named ?? kept ?? changed) };
      const before = effect ? state.pending.before(feature, effect, truth) : [];
      const revsBefore = effect ? [] : state.pending.revsBefore(truth);
      const key = this.#parts.journal.begin(journaled(request, write, { effect, before, revsBefore }));
      this.#journaled.set(request, key);
      return { key, feature, effect, before, revsBefore };
    });
    const keys = pending.map(({ key }) => key);
    const refusals = this.#watchers.map((watcher) => watcher.beforeSend(sent, keys));
    const refused = refusals.find((refusal) => refusal !== undefined);
    if (refused) {
      for (const key of keys) this.#parts.journal.settled(key);
      this.#failed(sent, { status: 'rejected', ...refused });
      return;
    }
    this.#lately(state, feature).push(this.#parts.clock.elapsedMs());
    let said: Awaited<ReturnType<Platform['execute']>>;
    try {
      const target = { installation, gateway, device, feature };
      said = await this.#parts.quota.hold(() => this.#execute(target, sent.command, sent.args));
    } catch (error) {
      if (!isCallFailure(error)) {
        this.#begin(sent, pending, 'unknown');
        for (const { request } of shares) this.#answered(request)();
        this.#ended(sent, 'unknown');
        throw error;
      }
      this.#parts.onFailure(error);
      // The next write waits until it is known what this one has done: else it would send back what this one changed.
      if (error.executed === 'unknown') await this.#findOut(sent, this.#begin(sent, pending, 'unknown'), error);
      else {
        for (const { key } of pending) this.#parts.journal.settled(key);
        // A platform that refused it while the bridge is being stopped has its own words for that.
        this.#failed(sent, this.#parts.signal.aborted && error.code === 'aborted' ? STOPPING : failed(error));
      }
      return;
    }
    this.#accepted(sent, this.#begin(sent, pending, 'accepted'), said);
  }

  #noCall(): Said | undefined {
    const { quota, clock, signal } = this.#parts;
    const now = clock.elapsedMs();
    if (signal.aborted) return STOPPING;
    if (quota.pausedForMs(now) > 0) return NO_CALL;
    return quota.mayCommand(now) ? undefined : NO_QUOTA;
  }

  /** What was sent is pending until a read shows it. */
  #begin(
    { state }: Sent,
    pending: readonly Omit<PendingWrite, 'outcome' | 'sinceMs'>[],
    outcome: PendingWrite['outcome'],
  ): readonly PendingWrite[] {
    const sinceMs = this.#parts.clock.elapsedMs();
    return pending.map((write) => {
      if (outcome === 'accepted') this.#parts.journal.accepted(write.key);
      const begun = { ...write, outcome, sinceMs };
      state.pending.add(begun);
      return begun;
    });
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
    sent: Sent,
    pending: readonly PendingWrite[],
    said: { readonly adapted: boolean; readonly reason?: string; readonly message?: string },
  ): void {
    const { state, feature, effect } = sent;
    for (const watcher of this.#watchers) watcher.accepted(sent);
    for (const { write } of sent.shares) write.onAccepted?.();
    const words = { ...(said.reason ? { reason: said.reason } : {}), ...(said.message ? { message: said.message } : {}) };
    if (!effect) {
      state.markStale(feature, this.#parts.clock.elapsedMs());
      for (const share of sent.shares) this.#answer(share, { status: 'applied', ...words });
      this.#lookAt(sent, pending);
      return;
    }
    this.#parts.showFeature(state, feature);
    for (const share of sent.shares) this.#answer(share, share.kept ? superseded(share) : { status: 'accepted', ...words });
    const waiting = { ...this.#waitingFor(sent, pending), effect, adapted: said.adapted, accepted: true };
    this.#follow(this.#parts.confirmations.wait(waiting).then((how) => this.#finish(sent, pending, how, words)));
  }

  #waitingFor(
    { state, feature }: Sent,
    pending: readonly PendingWrite[],
  ): Pick<Waiting, 'state' | 'feature' | 'before' | 'sinceMs' | 'read'> {
    const { sinceMs = this.#parts.clock.elapsedMs() } = pending[0] ?? {};
    return { state, feature, before: pending.flatMap(({ before }) => before), sinceMs, read: this.#parts.readFor(state, feature) };
  }

  #finish(sent: Sent, pending: readonly PendingWrite[], confirmed: Confirmed, words: Partial<Said>): void {
    const { state, feature } = sent;
    if (confirmed.how === 'adapted') for (const { key } of pending) state.pending.discard(key);
    this.#parts.showFeature(state, feature);
    const said = { ...words, ...outcomeOf(confirmed), ...revOf(state, feature) };
    this.#ended(sent, endOf(confirmed));
    for (const share of sent.shares) {
      if (!share.kept) this.#answer(share, { ...said, ...(share.changed ? { changed: share.changed } : {}) });
    }
  }

  /** An answer that got lost is never followed by sending again: the platform is asked what it shows (CONTRACT §4). */
  async #findOut(sent: Sent, pending: readonly PendingWrite[], failure: CallFailure): Promise<void> {
    const { state, feature, effect } = sent;
    state.markStale(feature, this.#parts.clock.elapsedMs());
    const waiting = this.#waitingFor(sent, pending);
    if (effect) {
      const confirmed = await this.#parts.confirmations.wait({ ...waiting, effect, adapted: false, accepted: false });
      if (confirmed.how === 'shown') {
        for (const watcher of this.#watchers) watcher.accepted(sent);
        for (const { write } of sent.shares) write.onAccepted?.();
        this.#ended(sent, 'applied');
        for (const share of sent.shares) {
          this.#answer(share, share.kept ? superseded(share) : { status: 'applied', ...revOf(state, feature) });
        }
        return;
      }
    } else await this.#parts.confirmations.look(waiting);
    this.#ended(sent, 'unknown');
    const seen = effect ? 'it does not show it' : 'what it shows cannot tell';
    const message = `it is not known whether the platform carried this out, and ${seen}: ${failure.message}`;
    const said = this.#parts.signal.aborted ? SENT_AND_STOPPING : { ...failed(failure), code: 'unknown_outcome', message };
    for (const share of sent.shares) this.#answer(share, said);
  }

  #failed(sent: Sent, said: Said): void {
    this.#ended(sent, 'failed');
    for (const share of sent.shares) this.#answer(share, said);
  }

  #ended(sent: Sent, how: SentEnd): void {
    for (const watcher of this.#watchers) watcher.ended(sent, how);
  }

  /** What follows a command whose effect nobody can predict. */
  #lookAt(sent: Sent, pending: readonly PendingWrite[]): void {
    this.#follow(this.#parts.confirmations.look(this.#waitingFor(sent, pending)).then(() => this.#ended(sent, 'applied')));
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
    return () => key !== undefined && this.#parts.journal.answered(key);
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
