import type { Feature } from '../features/feature.ts';
import { DAYS } from '../schedule/week.ts';
import { revision } from '../topics/record.ts';
import type { About, Said } from './answers.ts';
import { reversible } from './comingBack.ts';
import type { CommandParts } from './commandParts.ts';
import { type Decision, evaluate, type Rules, type Write } from './evaluate.ts';
import type { DeviceState } from './home.ts';
import type { Decided, Member } from './merging.ts';
import type { Refusal } from './refusal.ts';
import type { Request } from './request.ts';
import { failed, STOPPING } from './said.ts';
import type { Sender } from './sender.ts';
import { aboutOf, type Chosen, chosenNow, type Understood } from './wanted.ts';

export type DecidingRules = Rules & { readonly fresh_s: number };

type Refused = Extract<Chosen, { readonly is: 'refused' }>;
type Evaluated = Exclude<Chosen, { readonly is: 'write' }> | EvaluatedWrite;
type EvaluatedWrite = {
  readonly is: 'decided';
  readonly from: readonly string[];
  readonly write: Write;
  readonly feature: Feature;
  readonly decision: Exclude<Decision, { readonly do: 'reject' }>;
};

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
    await this.#sender.looked(state, first.write.feature);
    let left = this.#leaveOut(members, ({ mayAge }) => !mayAge);
    if (!(await this.#refresh(state, left))) return [];
    if (!this.#sender.mayCall() && left.some((member) => this.#wantsCall(member))) {
      left = await this.#waitForCall(left);
      if (!(await this.#refresh(state, left))) return [];
    }
    return this.#leaveOut(left, () => true).flatMap((member) => this.#decided(member));
  }

  /** Reads a feature for messages that wait for it; where that fails each of them has failed. */
  async readNow(
    state: DeviceState,
    feature: string,
    waiting: readonly { readonly request: Request; readonly write?: Understood }[],
  ): Promise<boolean> {
    const refused = (await this.#sender.callRefused()) ?? (await this.#read(state, feature));
    for (const { request, write } of refused ? waiting : []) this.#answer(request, refused, write && aboutOf(write, state));
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

  #decided({ request, write }: Member): readonly Decided[] {
    const evaluated = this.#evaluate(request.state, write);
    if (evaluated?.is === 'decided') return [{ ...evaluated, request }];
    if (evaluated?.is === 'unchanged') {
      const { feature, about } = evaluated;
      const said = this.#parts.ends.returns.moved(request, about) ?? { status: 'unchanged' };
      this.#answer(request, { ...said, ...(feature ? { rev: revision(feature) } : {}) }, about);
    } else this.#parts.answers.refuse(request.message, request.whom, gone(write.feature), aboutOf(write, request.state));
    return [];
  }

  /** Makes sure that all records by which is decided are fresh, where the quota allows; false where nothing is left to decide. */
  async #refresh(state: DeviceState, left: readonly Member[]): Promise<boolean> {
    const read = new Set<string>();
    const namesOf = ({ write }: Member): readonly string[] => {
      const evaluated = this.#evaluate(state, write);
      if (!evaluated) return read.has(write.feature) ? [] : [write.feature];
      return this.#sender.mayCall() ? evaluated.from.filter((name) => !read.has(name) && !this.#isFresh(state, name)) : [];
    };
    while (left.length > 0) {
      const [stale] = left.flatMap(namesOf);
      if (stale === undefined) return true;
      read.add(stale);
      if (!(await this.readNow(state, stale, left))) return false;
    }
    return false;
  }

  #isFresh(state: DeviceState, name: string): boolean {
    const readAtMs = state.features.get(name)?.readAtMs ?? Number.NEGATIVE_INFINITY;
    return this.#parts.clock.elapsedMs() - readAtMs <= this.#rules.fresh_s * 1000;
  }

  /** Waits until there is a call for those that want one; where there is none they have failed. */
  async #waitForCall(members: readonly Member[]): Promise<readonly Member[]> {
    const refused = await this.#sender.callRefused();
    if (!refused) return members;
    for (const { request, write } of members.filter((member) => this.#wantsCall(member))) {
      this.#answer(request, refused, aboutOf(write, request.state));
    }
    return members.filter((member) => !this.#wantsCall(member));
  }

  #wantsCall({ request, write }: Member): boolean {
    const evaluated = this.#evaluate(request.state, write);
    return evaluated?.is === 'decided' && evaluated.decision.do === 'send' && !evaluated.write.dryRun;
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

  #answer(request: Request, said: Said | undefined, about?: About): void {
    if (said) this.#parts.answers.answer(request.message, request.whom, said, about);
  }
}

const gone = (feature: string): Refusal => ({ code: 'unknown_feature', message: `the platform no longer shows ${feature} of this device` });
