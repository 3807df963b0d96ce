import type { Feature } from '../../features/feature.ts';
import { DAYS } from '../../schedule/week.ts';
import type { Clock } from '../../shared/clock.ts';
import { broken } from '../../shared/issue.ts';
import { revision } from '../../topics/recordPayload.ts';
import { type CommandResult, type DeviceRequest, reject, reply } from '../commands/commandRequest.ts';
import { type About, type Decision, evaluate, type Rules, type Write } from '../commands/evaluate.ts';
import { invalid, type Refusal } from '../commands/rejection.ts';
import { aboutOf, type ResolvedWrite, resolveWrite } from '../commands/resolveWrite.ts';
import { type DeviceState, deviceKey } from '../devices/deviceState.ts';
import type { Needs } from '../devices/pendingWrites.ts';
import type { OverrideRepository } from '../overrides/overrideRepository.ts';
import { reversible } from '../overrides/revertCommand.ts';
import type { CommandSender } from './commandSender.ts';
import { type Decided, type Member, mergeWrites, superseded } from './mergeWrites.ts';
import type { RecordReader } from './recordReader.ts';
import { NO_QUOTA, STOPPING, valid } from './results.ts';
import type { Sent } from './sentCommand.ts';

type AdmissionRules = Rules & { readonly fresh_s: number };

type Refused = Extract<ResolvedWrite, { readonly kind: 'refused' }>;
type Evaluated = Exclude<ResolvedWrite, { readonly kind: 'write' }> | EvaluatedWrite;
type EvaluatedWrite = {
  readonly kind: 'decided';
  readonly from: readonly string[];
  readonly about: Write;
  readonly feature: Feature;
  readonly decision: Exclude<Decision, { readonly kind: 'reject' }>;
};

/** A write as it is decided by what is known now; `evaluated` is undefined where its feature is not known. */
type Assessed = {
  readonly member: Member;
  readonly evaluated: Evaluated | undefined;
  /** The features whose records are too old for the decision. */
  readonly stale: readonly string[];
};

/** How long a command waits for a call, from when it came: a full window of ten minutes has room again by then. */
const LONGEST_WAIT_MS = 600_000;
/** The age of a record that only decides and does not complete: which feature takes the write, or what a dry run would do. */
const DECIDES_MS = 60_000;
/** How many results an hour without a command are checked by a read, for each feature: a flow may repeat the shown value. */
const CHECKS_PER_HOUR = 6;
const HOUR_MS = 3_600_000;
/** The first read may have been under way already, and be too old. The second is not. */
const MOST_READS = 2;

/**
 * Decides about writes by the records of their features. Old records are read first: values that a write does not name are completed by a
 * record of at most `fresh_s`, so that an edit in the vendor's app is not overwritten.
 */
export class Admission {
  readonly #rules: AdmissionRules;
  readonly #sender: CommandSender;
  readonly #records: RecordReader;
  readonly #overrides: OverrideRepository;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  /** When results without a command were checked by a read, by device and feature (`Clock.elapsedMs`). */
  readonly #checks = new Map<string, readonly number[]>();

  constructor(
    rules: AdmissionRules,
    sender: CommandSender,
    records: RecordReader,
    overrides: OverrideRepository,
    clock: Clock,
    signal: AbortSignal,
  ) {
    this.#rules = rules;
    this.#sender = sender;
    this.#records = records;
    this.#overrides = overrides;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Refuses a write that no newer record would let through. Of the others: whether every day of the week is named. */
  screen(member: Member): 'refused' | 'whole' | 'part' {
    const evaluated = this.#evaluate(member);
    if (evaluated?.kind === 'refused' && !evaluated.mayAge) {
      reject(member.request, evaluated.refusal, evaluated.about);
      return 'refused';
    }
    return evaluated?.kind === 'decided' && evaluated.decision.written?.named.length === DAYS.length ? 'whole' : 'part';
  }

  /** The one command to send for these writes to a feature, if any. Writes that it does not carry out have got their results. */
  async decide(members: readonly Member[]): Promise<Sent | undefined> {
    if (this.#signal.aborted) {
      for (const { request, write } of members) reply(request, STOPPING, aboutOf(write, request.target.state));
      return undefined;
    }
    const decided = await this.#decideEach(members);
    const { sending, shares, unchanged, overwritten } = mergeWrites(decided);
    for (const { request, write, feature } of unchanged) {
      const rev = revision(feature);
      reply(request, write.dryRun ? valid(feature) : { ...this.#unchanged(request, write), rev }, write);
    }
    for (const { request, write } of overwritten) reply(request, superseded(), write);
    const [{ feature: before } = {}] = decided;
    const [first] = shares;
    if (!sending || !first || !before) return undefined;
    const { request, write } = first;
    if (!write.dryRun) return { ...sending, state: request.target.state, feature: write.feature, shares, before };
    reply(request, valid(before, sending), write);
    return undefined;
  }

  /** The first read of the feature that a command writes to; false where the command has failed. */
  async readFirst(request: DeviceRequest): Promise<boolean> {
    const { state, feature } = request.target;
    const failed = await this.#records.readWhenAllowed(state, feature, request.atMs + LONGEST_WAIT_MS);
    if (failed) reply(request, failed);
    return failed === undefined;
  }

  /** Decides about each of these writes to one feature, after the reads that this needs. */
  async #decideEach(members: readonly Member[]): Promise<readonly Decided[]> {
    const [first] = members;
    if (!first) return [];
    const { state } = first.request.target;
    let left = members;
    let sinceMs = this.#clock.elapsedMs();
    const reads = new Map<string, number>();
    let failed: { readonly name: string; readonly result: CommandResult } | undefined;
    for (;;) {
      // Each write is evaluated once by what is known now; everything below follows from that.
      let assessed: readonly Assessed[] = left.map((member) => this.#assess(member, sinceMs));
      if (failed) {
        const { name, result } = failed;
        assessed = this.#fail(assessed, result, ({ stale }) => stale.includes(name));
      }
      assessed = this.#leaveOut(assessed, ({ mayAge }) => !mayAge);
      left = assessed.map(({ member }) => member);
      failed = undefined;
      const [name] = assessed.flatMap((one) => this.#toRead(one, reads));
      const isReadNeeded = name !== undefined;
      const calls = (isReadNeeded ? 1 : 0) + (assessed.some((one) => mayWantCall(one, isReadNeeded)) ? 1 : 0);
      const waitMs = this.#records.waitMs(calls);
      if (waitMs === undefined || waitMs > 0) {
        left = await this.#waitForCalls(assessed, waitMs, isReadNeeded);
        sinceMs = this.#clock.elapsedMs();
        reads.clear();
      } else if (isReadNeeded) {
        reads.set(name, (reads.get(name) ?? 0) + 1);
        this.#noteChecks(assessed);
        const result = await this.#records.refresh(state, name, mostNeeds(assessed));
        if (result) failed = { name, result };
      } else return this.#leaveOut(assessed, () => true).flatMap((one) => this.#decided(one));
    }
  }

  #evaluate({ request, write: understood }: Member): Evaluated | undefined {
    const { state } = request.target;
    const chosen = resolveWrite(understood, state);
    if (chosen?.kind !== 'write') return chosen;
    const { write, from } = chosen;
    const { end } = write.envelope;
    // A write may wait for longer than it was to last.
    if (end && write.untilMs !== undefined && write.untilMs <= this.#clock.now()) {
      const refusal = invalid([broken('past', end.path, 'this end has passed while the write waited for its turn')]);
      return { kind: 'refused', from, mayAge: false, about: write, refusal };
    }
    const feature = state.shown(write.feature);
    if (!feature) return undefined;
    const sent = this.#sender.sentLately(state, write.feature);
    const decision = reversible(evaluate(write, feature, this.#rules, sent), write, feature, this.#rules);
    if (decision.kind !== 'reject') return { kind: 'decided', from, about: write, feature, decision };
    const { code, message, errors, mayAge } = decision;
    return { kind: 'refused', from, mayAge, about: write, refusal: { code, message, ...(errors ? { errors } : {}) } };
  }

  #assess(member: Member, sinceMs: number): Assessed {
    const { request, write } = member;
    const evaluated = this.#evaluate(member);
    if (!evaluated) return { member, evaluated, stale: [write.feature] };
    // A revert is always decided by a read. Without a call it is tried later.
    const isRevert = 'content' in write && write.content.kind === 'deferred' && write.content.alwaysRead === true;
    // Without a call a write that sends no shown values is decided by the known record.
    if (!needsTruth(evaluated) && !isRevert && this.#records.waitMs(1) !== 0) return { member, evaluated, stale: [] };
    const { state } = request.target;
    const notBeforeMs = sinceMs - this.#maxAgeMs(state, evaluated);
    const needs = needsOf(evaluated);
    return { member, evaluated, stale: evaluated.from.filter((name) => !this.#records.isFresh(state, name, notBeforeMs, needs)) };
  }

  /** The features to read before this can be decided. `reads` counts the reads of this turn. */
  #toRead({ evaluated, stale }: Assessed, reads: ReadonlyMap<string, number>): readonly string[] {
    const most = evaluated ? MOST_READS : 1;
    return stale.filter((name) => (reads.get(name) ?? 0) < most);
  }

  /** Refuses the writes whose refusal matches, and returns the others. */
  #leaveOut(assessed: readonly Assessed[], isOut: (refused: Refused) => boolean): readonly Assessed[] {
    return assessed.filter(({ member: { request }, evaluated }) => {
      if (evaluated?.kind !== 'refused' || !isOut(evaluated)) return true;
      reject(request, evaluated.refusal, evaluated.about);
      return false;
    });
  }

  #decided({ member: { request, write }, evaluated, stale }: Assessed): readonly Decided[] {
    const isKnown = evaluated && (!needsTruth(evaluated) || stale.length === 0);
    if (isKnown && evaluated.kind === 'decided') return [{ ...evaluated, write: evaluated.about, request }];
    if (isKnown && evaluated.kind === 'unchanged') {
      const { feature, about } = evaluated;
      reply(request, { ...this.#unchanged(request, about), ...(feature ? { rev: revision(feature) } : {}) }, about);
    } else reject(request, gone(write.feature), evaluated?.about ?? aboutOf(write, request.target.state));
    return [];
  }

  /** The result of a write that changes no value. Where it has an end, a temporary write on the feature gets that end. */
  #unchanged({ target: { state } }: DeviceRequest, { feature, untilMs, dryRun = false }: About & Partial<Write>): CommandResult {
    const device = deviceKey(state.device);
    const isMoved = untilMs !== undefined && feature !== undefined && !dryRun && this.#overrides.move({ device, feature }, untilMs);
    return { status: isMoved ? 'applied' : 'unchanged' };
  }

  /** The maximum age of the records for this decision (milliseconds). */
  #maxAgeMs(state: DeviceState, evaluated: Evaluated): number {
    const freshMs = this.#rules.fresh_s * 1000;
    if (needsTruth(evaluated)) return freshMs;
    if (evaluated.kind === 'decided' && evaluated.about.dryRun) return DECIDES_MS;
    if (sendsNothing(evaluated)) return this.#checked(checkKey(state, evaluated)).length < CHECKS_PER_HOUR ? freshMs : DECIDES_MS;
    // The write names its feature and all values: nothing of the record is sent.
    return evaluated.from.length === 1 ? Number.MAX_VALUE : DECIDES_MS;
  }

  #noteChecks(assessed: readonly Assessed[]): void {
    for (const { member, evaluated } of assessed) {
      if (!evaluated || !sendsNothing(evaluated)) continue;
      const key = checkKey(member.request.target.state, evaluated);
      this.#checks.set(key, [...this.#checked(key), this.#clock.elapsedMs()]);
    }
  }

  #checked(key: string): readonly number[] {
    const since = this.#clock.elapsedMs() - HOUR_MS;
    return (this.#checks.get(key) ?? []).filter((at) => at > since);
  }

  /** Waits until there are calls for these writes. Those that came too long ago, or find no call at all, fail. */
  async #waitForCalls(assessed: readonly Assessed[], waitMs: number | undefined, isReadNeeded: boolean): Promise<readonly Member[]> {
    const wanting = assessed.filter((one) => isReadNeeded || mayWantCall(one, false));
    const untilMs = Math.min(...wanting.map(({ member: { request } }) => request.atMs)) + LONGEST_WAIT_MS;
    const failed = await this.#records.waitForCall(waitMs, untilMs);
    const isLate = ({ member: { request } }: Assessed): boolean => failed !== NO_QUOTA || request.atMs + LONGEST_WAIT_MS <= untilMs;
    const left = failed ? this.#fail(assessed, failed, (one) => wanting.includes(one) && isLate(one)) : assessed;
    return left.map(({ member }) => member);
  }

  #fail(assessed: readonly Assessed[], result: CommandResult, isFailed: (one: Assessed) => boolean): readonly Assessed[] {
    return assessed.filter((one) => {
      if (!isFailed(one)) return true;
      const { request, write } = one.member;
      reply(request, result, one.evaluated?.about ?? aboutOf(write, request.target.state));
      return false;
    });
  }
}

/** `isReadNeeded`: a record has to be read before the decision. */
const mayWantCall = ({ evaluated }: Assessed, isReadNeeded: boolean): boolean => {
  if (evaluated?.kind !== 'decided') return isReadNeeded && evaluated === undefined;
  return evaluated.decision.kind === 'send' && !evaluated.about.dryRun;
};

/** True where a command is sent, and shown values are sent with it, kept for its end, or compared first. */
const needsTruth = (evaluated: Evaluated): boolean => {
  if (evaluated.kind !== 'decided' || evaluated.decision.kind !== 'send' || evaluated.about.dryRun) return false;
  const { about: write, decision } = evaluated;
  return decision.completed || write.content.kind === 'deferred' || write.untilMs !== undefined || write.envelope.ifRev !== undefined;
};

const sendsNothing = (evaluated: Evaluated): boolean =>
  evaluated.kind !== 'decided' || (evaluated.decision.kind !== 'send' && !evaluated.about.dryRun);

const checkKey = ({ device }: DeviceState, { from }: Evaluated): string => [deviceKey(device), ...from].join(' ');

const needsOf = (evaluated: Evaluated | undefined): Needs => {
  if (evaluated?.kind !== 'decided' || evaluated.decision.kind !== 'send' || needsTruth(evaluated)) return 'truth';
  // The write names all values, but its effect depends on the present ones.
  return evaluated.decision.effect ? 'values' : 'outcome';
};

/** The strictest need among these. */
const mostNeeds = (assessed: readonly Assessed[]): Needs => {
  const all = assessed.map(({ evaluated }) => needsOf(evaluated));
  return all.find((needs) => needs === 'truth') ?? all.find((needs) => needs === 'values') ?? 'outcome';
};

const gone = (feature: string): Refusal => ({ code: 'unknown_feature', message: `the platform no longer shows ${feature} of this device` });
