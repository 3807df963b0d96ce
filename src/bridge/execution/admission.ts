import type { Feature } from '../../features/feature.ts';
import { DAYS } from '../../schedule/week.ts';
import { revision } from '../../topics/recordPayload.ts';
import type { CommandParts } from '../commandDependencies.ts';
import type { Request } from '../commands/command.ts';
import { type Decision, evaluate, type Rules, type Write } from '../commands/evaluate.ts';
import type { Refusal } from '../commands/rejection.ts';
import { aboutOf, type Chosen, chosenNow, type Understood } from '../commands/resolveWrite.ts';
import { type DeviceState, deviceKey } from '../devices/deviceState.ts';
import type { Needs } from '../devices/pendingWrites.ts';
import { reversible } from '../overrides/revertCommand.ts';
import type { Sender } from './commandSender.ts';
import { FreshRecords } from './freshRecords.ts';
import type { Decided, Member } from './mergeWrites.ts';
import type { About, Said } from './resultPublisher.ts';
import { NO_QUOTA } from './results.ts';

export type DecidingRules = Rules & { readonly fresh_s: number; readonly confirm_s: readonly number[] };

type Refused = Extract<Chosen, { readonly is: 'refused' }>;
type Evaluated = Exclude<Chosen, { readonly is: 'write' }> | EvaluatedWrite;
type EvaluatedWrite = {
  readonly is: 'decided';
  readonly from: readonly string[];
  readonly write: Write;
  readonly feature: Feature;
  readonly decision: Exclude<Decision, { readonly do: 'reject' }>;
};

/** A message waits for a call at most so long from when it came: a full window of ten minutes has room again by then. */
const LONGEST_WAIT_MS = 600_000;
/** A record counts so long for what it only decides, and does not complete: which feature takes it, or what a dry run would do. */
const DECIDES_MS = 60_000;
/** An answer by which nothing is sent is checked by a read so often an hour for each feature: a flow may repeat what is there already. */
const CHECKS_PER_HOUR = 6;
const HOUR_MS = 3_600_000;
/** A read that was under way already may be too old; the second is not. */
const MOST_READS = 2;

/**
 * Decides about writes by the records of the features, which are read first where they are too old: what a write does not name is completed
 * by a record of `fresh_s` at the most, so that an edit in the vendor's app is not overwritten.
 */
export class Deciding {
  readonly #rules: DecidingRules;
  readonly #parts: CommandParts;
  readonly #sender: Sender;
  readonly #records: FreshRecords;
  /** When such checks were made, by device and feature (`Clock.elapsedMs`). */
  readonly #checks = new Map<string, readonly number[]>();

  constructor(rules: DecidingRules, parts: CommandParts, sender: Sender) {
    this.#rules = rules;
    this.#parts = parts;
    this.#sender = sender;
    this.#records = new FreshRecords(parts, rules.confirm_s);
  }

  /** Refuses a write that no newer record would let through; true where it did. */
  refusesAtOnce(member: Member): boolean {
    return this.#leaveOut([member], ({ mayAge }) => !mayAge).length === 0;
  }

  /** True for a week of which every day is named. */
  isWhole({ request, write }: Member): boolean {
    const evaluated = this.#evaluate(request.state, write);
    return evaluated?.is === 'decided' && evaluated.decision.written?.named.length === DAYS.length;
  }

  /**
   * Decides about writes to one feature. Those that are done without a command of their own (refused, shown already, failed as there is
   * no call for them) are answered and left out.
   */
  async decide(members: readonly Member[]): Promise<readonly Decided[]> {
    const [first] = members;
    if (!first) return [];
    const { state } = first.request;
    let left = this.#leaveOut(members, ({ mayAge }) => !mayAge);
    let sinceMs = this.#parts.clock.elapsedMs();
    const reads = new Map<string, number>();
    for (;;) {
      const stale = left.flatMap((member) => this.#staleFor(member, sinceMs, reads));
      const [name] = stale;
      const calls = (name === undefined ? 0 : 1) + (left.some((member) => this.#mayWantCall(member, name !== undefined)) ? 1 : 0);
      const waitMs = this.#records.waitMs(calls);
      if (waitMs === undefined || waitMs > 0) {
        left = await this.#waitForCalls(left, waitMs, name !== undefined);
        sinceMs = this.#parts.clock.elapsedMs();
        reads.clear();
      } else if (name !== undefined) {
        reads.set(name, (reads.get(name) ?? 0) + 1);
        this.#noteChecks(left);
        const failed = await this.#records.refresh(state, name, this.#needsOf(left));
        if (failed) left = this.#fail(left, failed, (member) => this.#staleFor(member, sinceMs, new Map()).includes(name));
      } else break;
    }
    return this.#leaveOut(left, () => true).flatMap((member) => this.#decided(member, sinceMs));
  }

  /** Reads a feature for messages that wait for it; where that fails each of them has failed. */
  async readNow(state: DeviceState, feature: string, waiting: readonly { readonly request: Request }[]): Promise<boolean> {
    const [first] = waiting;
    const untilMs = (first?.request.atMs ?? 0) + LONGEST_WAIT_MS;
    const refused = (await this.#records.callRefused(untilMs)) ?? (await this.#records.read(state, feature));
    for (const { request } of refused ? waiting : []) this.#answer(request, refused);
    return refused === undefined;
  }

  /** By what is shown now; undefined where the feature is not known. */
  #evaluate(state: DeviceState, understood: Understood): Evaluated | undefined {
    const chosen = chosenNow(understood, state);
    if (chosen?.is !== 'write') return chosen;
    const { write, from } = chosen;
    const feature = state.shown(write.feature);
    if (!feature) return undefined;
    const sent = this.#sender.sentLately(state, write.feature);
    const decision = reversible(evaluate(write, feature, this.#rules, sent), write, feature, this.#rules);
    if (decision.do !== 'reject') return { is: 'decided', from, write, feature, decision };
    const { code, message, errors, mayAge } = decision;
    return { is: 'refused', from, mayAge, about: write, refusal: { code, message, ...(errors ? { errors } : {}) } };
  }

  /** Refuses the members whose refusal is such a one, and gives the others. */
  #leaveOut(members: readonly Member[], isOut: (refused: Refused) => boolean): readonly Member[] {
    return members.filter(({ request, write }) => {
      const evaluated = this.#evaluate(request.state, write);
      if (evaluated?.is !== 'refused' || !isOut(evaluated)) return true;
      this.#parts.answers.refuse(request.message, request.whom, evaluated.refusal, evaluated.about);
      return false;
    });
  }

  #decided(member: Member, sinceMs: number): readonly Decided[] {
    const { request, write } = member;
    const evaluated = this.#evaluate(request.state, write);
    const isKnown = evaluated && (!needsTruth(evaluated) || this.#staleFor(member, sinceMs, new Map()).length === 0);
    if (isKnown && evaluated.is === 'decided') return [{ ...evaluated, request }];
    if (isKnown && evaluated.is === 'unchanged') {
      const { feature, about } = evaluated;
      const said = this.#parts.ends.returns.moved(request, about) ?? { status: 'unchanged' };
      this.#answer(request, { ...said, ...(feature ? { rev: revision(feature) } : {}) }, about);
    } else this.#parts.answers.refuse(request.message, request.whom, gone(write.feature), aboutOf(write, request.state));
    return [];
  }

  /** The features that have to be read before this can be decided. `reads` counts what was read already. */
  #staleFor({ request: { state }, write }: Member, sinceMs: number, reads: ReadonlyMap<string, number>): readonly string[] {
    const isOpen = (name: string): boolean => (reads.get(name) ?? 0) < MOST_READS;
    const evaluated = this.#evaluate(state, write);
    if (!evaluated) return reads.has(write.feature) ? [] : [write.feature];
    // An end that comes now is judged by what the platform shows: without a call it comes later.
    const isReturn = 'wants' in write && write.wants.kind === 'late' && write.wants.alwaysRead === true;
    // Without a call it is decided by what is known, where that is not sent.
    if (!needsTruth(evaluated) && !isReturn && this.#records.waitMs(1) !== 0) return [];
    const within = this.#ageOf(state, evaluated);
    return evaluated.from.filter((name) => isOpen(name) && !this.#records.isFresh(state, name, sinceMs - within, needsOf(evaluated)));
  }

  /** How old the records may be (milliseconds) by which that was decided. */
  #ageOf(state: DeviceState, evaluated: Evaluated): number {
    const freshMs = this.#rules.fresh_s * 1000;
    if (needsTruth(evaluated)) return freshMs;
    if (evaluated.is === 'decided' && evaluated.write.dryRun) return DECIDES_MS;
    if (sendsNothing(evaluated)) return this.#checked(state, evaluated).length < CHECKS_PER_HOUR ? freshMs : DECIDES_MS;
    // It names all that it sends, and to what: nothing of the record goes into it.
    return evaluated.from.length === 1 ? Number.MAX_VALUE : DECIDES_MS;
  }

  #noteChecks(left: readonly Member[]): void {
    for (const { request, write } of left) {
      const evaluated = this.#evaluate(request.state, write);
      if (!evaluated || !sendsNothing(evaluated)) continue;
      const checked = this.#checked(request.state, evaluated);
      this.#checks.set(checkKey(request.state, evaluated), [...checked, this.#parts.clock.elapsedMs()]);
    }
  }

  #checked(state: DeviceState, evaluated: Evaluated): readonly number[] {
    const since = this.#parts.clock.elapsedMs() - HOUR_MS;
    return (this.#checks.get(checkKey(state, evaluated)) ?? []).filter((at) => at > since);
  }

  /** The most that one of these has to know. */
  #needsOf(left: readonly Member[]): Needs {
    const all = left.map(({ request, write }) => needsOf(this.#evaluate(request.state, write)));
    return all.find((needs) => needs === 'truth') ?? all.find((needs) => needs === 'values') ?? 'outcome';
  }

  /** Waits until there are calls for what is left; those that came too long ago, or find no call at all, have failed. */
  async #waitForCalls(members: readonly Member[], waitMs: number | undefined, reads: boolean): Promise<readonly Member[]> {
    const wanting = members.filter((member) => reads || this.#mayWantCall(member, false));
    const untilMs = Math.min(...wanting.map(({ request }) => request.atMs)) + LONGEST_WAIT_MS;
    const refused = waitMs === undefined ? this.#records.noCall() : await this.#records.waitForCall(waitMs, untilMs);
    if (!refused) return members;
    const isLate = ({ request }: Member): boolean => refused !== NO_QUOTA || request.atMs + LONGEST_WAIT_MS <= untilMs;
    return this.#fail(members, refused, (member) => wanting.includes(member) && isLate(member));
  }

  #fail(members: readonly Member[], said: Said, isFailed: (member: Member) => boolean): readonly Member[] {
    const failed = members.filter(isFailed);
    for (const { request, write } of failed) this.#answer(request, said, aboutOf(write, request.state));
    return members.filter((member) => !failed.includes(member));
  }

  /** `isOpen`: a record has to be read before it is decided. */
  #mayWantCall({ request, write }: Member, isOpen: boolean): boolean {
    const evaluated = this.#evaluate(request.state, write);
    if (evaluated?.is !== 'decided') return isOpen && evaluated === undefined;
    return evaluated.decision.do === 'send' && !evaluated.write.dryRun;
  }

  #answer(request: Request, said: Said | undefined, about?: About): void {
    if (said) this.#parts.answers.answer(request.message, request.whom, said, about);
  }
}

/** True where something is sent, and values that the message does not name are sent with it, kept for its end, or compared before. */
const needsTruth = (evaluated: Evaluated): boolean => {
  if (evaluated.is !== 'decided' || evaluated.decision.do !== 'send' || evaluated.write.dryRun) return false;
  const { write, decision } = evaluated;
  return decision.completed || write.wants.kind === 'late' || write.untilMs !== undefined || write.envelope.ifRev !== undefined;
};

const sendsNothing = (evaluated: Evaluated): boolean =>
  evaluated.is !== 'decided' || (evaluated.decision.do !== 'send' && !evaluated.write.dryRun);

const checkKey = ({ device }: DeviceState, { from }: Evaluated): string => [deviceKey(device), ...from].join(' ');

const needsOf = (evaluated: Evaluated | undefined): Needs => {
  if (evaluated?.is !== 'decided' || evaluated.decision.do !== 'send' || needsTruth(evaluated)) return 'truth';
  // It names all that it sends; what it will show is decided by what is there.
  return evaluated.decision.effect ? 'values' : 'outcome';
};

const gone = (feature: string): Refusal => ({ code: 'unknown_feature', message: `the platform no longer shows ${feature} of this device` });
