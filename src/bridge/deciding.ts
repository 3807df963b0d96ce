import type { Feature } from '../features/feature.ts';
import { DAYS } from '../schedule/week.ts';
import type { Said } from './answers.ts';
import { reversible } from './comingBack.ts';
import type { CommandParts } from './commandParts.ts';
import { type Decision, evaluate, type Rules, type Write } from './evaluate.ts';
import type { DeviceState } from './home.ts';
import type { Decided, Member } from './merging.ts';
import type { Refusal } from './refusal.ts';
import type { Request } from './request.ts';
import { failed, STOPPING } from './said.ts';
import type { Sender } from './sender.ts';

type Refused = Decision & { readonly do: 'reject' };

export type DecidingRules = Rules & { readonly fresh_s: number };

/** Decides about writes by a record that is fresh enough (CONTRACT §3.10), reading the feature first where it is not. */
export class Deciding {
  readonly #rules: DecidingRules;
  readonly #parts: CommandParts;
  readonly #sender: Sender;

  constructor(rules: DecidingRules, parts: CommandParts, sender: Sender) {
    this.#rules = rules;
    this.#parts = parts;
    this.#sender = sender;
  }

  /** By the feature as it is shown now; undefined where it is not known. */
  evaluate(state: DeviceState, write: Write): Decision | undefined {
    const feature = state.shown(write.feature);
    const sent = this.#sender.sentLately(state, write.feature);
    return feature && reversible(evaluate(write, feature, this.#rules, sent), write, feature, this.#rules);
  }

  /** Refuses a write that no newer record would let through; true where it did. */
  refusesAtOnce(member: Member): boolean {
    return this.#leaveOut([member], ({ mayAge }) => !mayAge).length === 0;
  }

  /** True for a week of which every day is named. */
  isWhole({ request, write }: Member): boolean {
    const decision = this.evaluate(request.state, write);
    return decision !== undefined && decision.do !== 'reject' && decision.written?.named.length === DAYS.length;
  }

  /** Decides about writes to one feature; those that are refused, or failed as there is no call for them, are answered and left out. */
  async decide(members: readonly Member[]): Promise<{ readonly decided: readonly Decided[]; readonly feature: Feature } | undefined> {
    const [first] = members;
    if (!first) return undefined;
    const { state } = first.request;
    const name = first.write.feature;
    await this.#sender.looked(state, name);
    let left = this.#leaveOut(members, ({ mayAge }) => !mayAge);
    if (!(await this.#refresh(state, name, left))) return undefined;
    if (!this.#sender.mayCall() && left.some((member) => this.#wantsCall(member))) {
      left = await this.#waitForCall(left);
      if (!(await this.#refresh(state, name, left))) return undefined;
    }
    left = this.#leaveOut(left, () => true);
    const feature = state.shown(name);
    const decided = left.flatMap((member) => {
      const decision = this.evaluate(state, member.write);
      return decision ? [{ ...member, decision }] : [];
    });
    if (feature && decided.length > 0) return { decided, feature };
    for (const { request, write } of left) this.#parts.answers.refuse(request.message, request.whom, gone(name), write);
    return undefined;
  }

  /** Reads a feature for messages that wait for it; where that fails each of them has failed. */
  async readNow(
    state: DeviceState,
    feature: string,
    waiting: readonly { readonly request: Request; readonly write?: Write }[],
  ): Promise<boolean> {
    const refused = (await this.#sender.callRefused()) ?? (await this.#read(state, feature));
    for (const { request, write } of refused ? waiting : []) this.#answer(request, refused, write);
    return refused === undefined;
  }

  /** Refuses the members whose decision is such a refusal, and gives the others. */
  #leaveOut(members: readonly Member[], isOut: (refused: Refused) => boolean): readonly Member[] {
    return members.filter(({ request, write }) => {
      const decision = this.evaluate(request.state, write);
      if (decision?.do !== 'reject' || !isOut(decision)) return true;
      this.#parts.answers.refuse(request.message, request.whom, refusalOf(decision), write);
      return false;
    });
  }

  /** Makes sure that the record is fresh, where the quota allows; false where nothing is left to decide. */
  async #refresh(state: DeviceState, name: string, left: readonly Member[]): Promise<boolean> {
    if (left.length === 0) return false;
    const isKnown = state.shown(name) !== undefined;
    if (isKnown && (this.#isFresh(state, name) || !this.#sender.mayCall())) return true;
    return this.readNow(state, name, left);
  }

  #isFresh(state: DeviceState, name: string): boolean {
    const readAtMs = state.features.get(name)?.readAtMs ?? Number.NEGATIVE_INFINITY;
    return this.#parts.clock.elapsedMs() - readAtMs <= this.#rules.fresh_s * 1000;
  }

  /** Waits until there is a call for those that want one; where there is none they have failed. */
  async #waitForCall(members: readonly Member[]): Promise<readonly Member[]> {
    const refused = await this.#sender.callRefused();
    if (!refused) return members;
    for (const member of members) if (this.#wantsCall(member)) this.#answer(member.request, refused, member.write);
    return members.filter((member) => !this.#wantsCall(member));
  }

  #wantsCall({ request, write }: Member): boolean {
    return !write.dryRun && this.evaluate(request.state, write)?.do === 'send';
  }

  /** The answer where the read failed. */
  async #read(state: DeviceState, feature: string): Promise<Said | undefined> {
    const read = this.#parts.readFor(state, feature);
    this.#parts.counted(read);
    let result = await this.#parts.reader.read(read);
    const readAtMs = state.features.get(feature)?.readAtMs;
    // It may have been a read that was begun before something was sent, and shows nothing of that.
    if (result.ok && readAtMs === Number.NEGATIVE_INFINITY && this.#sender.mayCall()) {
      this.#parts.counted(read);
      result = await this.#parts.reader.read(read);
    }
    if (result.ok) return undefined;
    const message = `not sent, as the present state could not be read first: ${result.failure.message}`;
    return this.#parts.signal.aborted ? STOPPING : { ...failed(result.failure), message };
  }

  #answer(request: Request, said: Said | undefined, write?: Write): void {
    if (said) this.#parts.answers.answer(request.message, request.whom, said, write);
  }
}

const refusalOf = ({ code, message, errors }: Refused): Refusal => ({
  code,
  message,
  ...(errors ? { errors } : {}),
});

const gone = (feature: string): Refusal => ({ code: 'unknown_feature', message: `the platform no longer shows ${feature} of this device` });
