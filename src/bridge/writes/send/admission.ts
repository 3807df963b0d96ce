import { type Clock, type LastHour, lastHour } from '../../../shared/clock.ts';
import { broken } from '../../../shared/issue.ts';
import { revision } from '../../../topics/recordPayload.ts';
import { type DeviceState, deviceKey } from '../../state/deviceState.ts';
import type { Needs } from '../../state/pendingWrites.ts';
import { END_NOT_KEPT, NO_QUOTA, rejected, STOPPING, superseded, valid } from '../answers/results.ts';
import type { Ends } from '../ends/ends.ts';
import { endOfProgram, irreversible } from '../ends/revertCommand.ts';
import { evaluate, type PlannedWrite, type Rules } from '../parse/evaluate.ts';
import { aboutOf, type ResolvedWrite } from '../parse/resolveWrite.ts';
import { type About, type CommandResult, type DeviceRequest, type Reply, reply, replyAll } from '../request/commandRequest.ts';
import { invalid } from '../request/rejection.ts';
import { placeKey, placeOf, type WriteLog } from '../write/writeLog.ts';
import { alone, type Decided, type Member, mergeWrites, type SentCommand } from './mergeWrites.ts';
import type { RecordReader } from './recordReader.ts';
import type { WaitingWrites } from './waiting.ts';

type Evaluated =
  | Exclude<ResolvedWrite, { readonly kind: 'write' }>
  | (Pick<Decided, 'feature' | 'decision' | 'joined'> & {
      readonly kind: 'decided';
      readonly from: readonly string[];
      readonly about: PlannedWrite;
    });

/**
 * What a decision leads to. `nothing`: a refusal or an unchanged value. `send_completed`: record values are
 * also sent, kept for the end, or compared. `send_as_given`: the write names all values that are sent.
 * `change_waiting`: values are kept for others, or waiting values are discarded.
 */
type Plan = 'nothing' | 'dry_run' | 'send_completed' | 'send_as_given' | 'change_waiting';

/** A write as decided now; `evaluated` and `plan` are undefined for an unknown feature. */
type Assessed = {
  readonly member: Member;
  readonly evaluated: Evaluated | undefined;
  readonly plan: Plan | undefined;
  /** The features whose records are too old for the decision. */
  readonly stale: readonly string[];
};

/** Maximum wait of a command for a call: by then a full ten-minute window of the quota has room again. */
const LONGEST_WAIT_MS = 600_000;
/** Maximum record age where the record does not complete a write, but decides its feature or a dry run. */
const DECIDES_MS = 60_000;
/** Maximum checking reads per hour and feature for writes that send nothing: a flow may repeat a value. */
const CHECKS_PER_HOUR = 6;
/** The first read may have begun too early to count; the second has not. */
const MOST_READS = 2;

export type Admission = ReturnType<typeof admission>;

/**
 * Decides writes by the records of their features. A record that completes a write is at most `fresh_s`
 * seconds old: an edit in the vendor's app must not be overwritten. `sent`: commands of the last hour by
 * place.
 */
export const admission = (
  rules: Rules & { readonly fresh_s: number },
  sent: Pick<LastHour, 'count'>,
  records: RecordReader,
  ends: Pick<Ends, 'running' | 'move' | 'begin'>,
  waiting: Pick<WaitingWrites, 'isAllToCancel' | 'add' | 'cancel' | 'unchanged'>,
  { together }: Pick<WriteLog, 'together'>,
  clock: Clock,
  signal: AbortSignal,
) => {
  /** Checking reads of the last hour for writes that sent nothing, by device and features. */
  const checks = lastHour(clock);

  const evaluateMember = ({ request, write: parsed }: Member): Evaluated | undefined => {
    const { state } = request.target;
    const chosen: ResolvedWrite | undefined =
      'choose' in parsed ? parsed.choose(state) : { kind: 'write', write: parsed, from: [parsed.feature] };
    if (chosen?.kind !== 'write') return chosen;
    const { write, from, joined = [] } = chosen;
    const { end } = write.envelope;
    if (end && write.untilMs !== undefined && write.untilMs <= clock.now()) {
      const refusal = invalid([broken('past', end.path, 'this end has passed while the write waited for its turn')]);
      return { kind: 'refused', from, mayAge: false, about: write, refusal };
    }
    const feature = state.shown(write.feature);
    if (!feature) return undefined;
    const sentLately = sent.count(placeKey(placeOf(state.device, write.feature)));
    const made = evaluate(write, feature, rules, sentLately);
    const decision = irreversible(made, write, feature, rules) ?? made;
    const isAllowed = decision.kind !== 'reject' || decision.code === 'not_executable' || decision.code === 'too_often';
    if (isAllowed && waiting.isAllToCancel(state, feature, write.command))
      return { kind: 'decided', from, about: write, feature, decision: { kind: 'discard' } };
    if (decision.kind !== 'reject') return { kind: 'decided', from, about: write, feature, decision, joined };
    const { kind: _, mayAge, ...refusal } = decision;
    return { kind: 'refused', from, mayAge, about: write, refusal };
  };

  /** Maximum record age for this decision (milliseconds). */
  const maxAgeMs = (state: DeviceState, evaluated: Evaluated, plan: Plan): number => {
    const freshMs = rules.fresh_s * 1000;
    if (plan === 'send_completed') return freshMs;
    if (plan === 'nothing') return checks.count(checkKey(state, evaluated)) < CHECKS_PER_HOUR ? freshMs : DECIDES_MS;
    // The write names its feature and all values: no record value is sent.
    return plan === 'send_as_given' && evaluated.from.length === 1 ? Number.MAX_VALUE : DECIDES_MS;
  };

  const assess = (member: Member, sinceMs: number): Assessed => {
    const { request, write } = member;
    const evaluated = evaluateMember(member);
    if (!evaluated) return { member, evaluated, plan: undefined, stale: [write.feature] };
    const plan = planOf(evaluated);
    if (plan === 'change_waiting') return { member, evaluated, plan, stale: [] };
    const isRevert = 'content' in write && write.content.kind === 'deferred' && write.content.alwaysRead === true;
    // Without a free call the known record decides, unless the write sends record values or is a revert.
    if (plan !== 'send_completed' && !isRevert && records.waitMs(1) !== 0) return { member, evaluated, plan, stale: [] };
    const { state } = request.target;
    const notBeforeMs = sinceMs - maxAgeMs(state, evaluated, plan);
    const needs = needsOf(evaluated, plan);
    return { member, evaluated, plan, stale: evaluated.from.filter((name) => !records.isFresh(state, name, notBeforeMs, needs)) };
  };

  /** The result where no value changes. An end is moved: of the temporary write or the running program. */
  const unchanged = (request: DeviceRequest, about: About & Partial<Pick<PlannedWrite, 'content' | 'dryRun'>>): CommandResult => {
    const { target, source: topic, id, by } = request;
    const { state } = target;
    const { feature, untilMs, dryRun, envelope } = about;
    const shown = feature === undefined ? undefined : state.shown(feature);
    if (!shown || untilMs === undefined || dryRun) return { status: 'unchanged' };
    const place = placeOf(state.device, shown.name);
    if (ends.running(place)) return { status: ends.move(place, untilMs, request) ? 'applied' : 'unchanged' };
    const end = endOfProgram(about, shown, untilMs, rules);
    if (!end) return { status: 'unchanged' };
    const command = about.command ?? 'activate';
    const asked = { name: state.device.name, topic, id: envelope.id ?? id, by, command, composite: about.details?.feature };
    const row = { ...place, ...asked, at: clock.now(), state: 'settled', until: untilMs, end, outcome: { status: 'applied' } } as const;
    return ends.begin({ ...row, answer: 'delivered' }) ? { status: 'applied' } : END_NOT_KEPT;
  };

  /** The result of a write that needs no further read; undefined where a decision was made. */
  const resultOf = ({ member: { request, write }, evaluated, plan, stale }: Assessed): CommandResult | undefined => {
    if (evaluated?.kind === 'refused') return { status: 'rejected', ...evaluated.refusal };
    if (!evaluated || (plan === 'send_completed' && stale.length > 0)) return gone(write.feature);
    if (evaluated.kind === 'decided') return undefined;
    const { feature, about } = evaluated;
    return { ...unchanged(request, about), rev: feature && revision(feature) };
  };

  /** Waits for calls for these writes. Writes that waited too long, or that get no call at all, fail. */
  const waitForCalls = async (assessed: readonly Assessed[], waitMs: number | undefined, isReadNeeded: boolean) => {
    const wanting = assessed.filter((one) => isReadNeeded || wantsCall(one));
    const untilMs = Math.min(...wanting.map(({ member: { request } }) => request.atMs)) + LONGEST_WAIT_MS;
    const failed = await records.waitForCall(waitMs, untilMs);
    const isLate = ({ member: { request } }: Assessed): boolean => failed !== NO_QUOTA || request.atMs + LONGEST_WAIT_MS <= untilMs;
    return answer(assessed, (one) => (wanting.includes(one) && isLate(one) ? failed : undefined));
  };

  /** Replies to each write that has a result, and returns the others. */
  const answer = (assessed: readonly Assessed[], resultFor: (one: Assessed) => CommandResult | undefined): readonly Assessed[] => {
    const replies: Reply[] = [];
    const left = assessed.filter((one) => {
      const result = resultFor(one);
      const { request, write } = one.member;
      if (result) replies.push([request, result, one.evaluated?.about ?? aboutOf(write, request.target.state)]);
      return result === undefined;
    });
    replyAll(replies, together);
    return left;
  };

  /** Decides each of these writes to one feature, after the necessary reads. */
  const decideEach = async (state: DeviceState, members: readonly Member[]): Promise<readonly Decided[]> => {
    let left = members;
    let sinceMs = clock.elapsedMs();
    const reads = new Map<string, number>();
    let failed: { readonly name: string; readonly result: CommandResult } | undefined;
    for (;;) {
      // Each write is evaluated once per round; all steps below use this evaluation.
      let assessed: readonly Assessed[] = left.map((member) => assess(member, sinceMs));
      assessed = answer(assessed, (one) => {
        if (failed && one.stale.includes(failed.name)) return failed.result;
        return one.evaluated?.kind === 'refused' && !one.evaluated.mayAge ? resultOf(one) : undefined;
      });
      failed = undefined;
      const [name] = assessed.flatMap(({ evaluated, stale }) => {
        const most = evaluated ? MOST_READS : 1;
        return stale.filter((one) => (reads.get(one) ?? 0) < most);
      });
      const isReadNeeded = name !== undefined;
      const isSent = assessed.some((one) => wantsCall(one) || (isReadNeeded && !one.evaluated));
      const waitMs = records.waitMs(Number(isReadNeeded) + Number(isSent));
      if (waitMs !== 0) {
        assessed = await waitForCalls(assessed, waitMs, isReadNeeded);
        sinceMs = clock.elapsedMs();
        reads.clear();
      } else if (isReadNeeded) {
        reads.set(name, (reads.get(name) ?? 0) + 1);
        for (const { evaluated, plan } of assessed) if (evaluated && plan === 'nothing') checks.add(checkKey(state, evaluated));
        const refreshed = await records.refresh(state, name, mostNeeds(assessed));
        if (refreshed.failed) failed = { name, result: refreshed.failed };
        if (refreshed.waitedUntilMs !== undefined) {
          sinceMs = refreshed.waitedUntilMs;
          reads.clear();
        }
      } else {
        return answer(assessed, resultOf).flatMap(({ member: { request }, evaluated }) =>
          evaluated?.kind === 'decided' ? [{ ...evaluated, write: evaluated.about, request }] : [],
        );
      }
      left = assessed.map(({ member }) => member);
    }
  };

  return {
    /** Decides a write by the shown values; undefined for an unknown feature. */
    evaluate: evaluateMember,

    /** Returns the one command for these writes to a feature, if any; replies to the other writes. */
    decide: async (members: readonly Member[]): Promise<SentCommand | undefined> => {
      const [member] = members;
      if (!member || signal.aborted) {
        const stopped = members.map(({ request, write }): Reply => [request, STOPPING, aboutOf(write, request.target.state)]);
        replyAll(stopped, together);
        return undefined;
      }
      const { state } = member.request.target;
      const decided = await decideEach(state, members);
      const [only, ...more] = decided;
      const { sending, shares, ...others } = only && more.length === 0 ? alone(only) : mergeWrites(decided);
      for (const { request, write, feature, joined = [] } of others.unchanged) {
        reply(request, write.dryRun ? valid(feature) : { ...unchanged(request, write), rev: revision(feature) }, write);
        if (!write.dryRun) waiting.unchanged(state, feature.name, joined, propertiesOf(write));
      }
      for (const { request, write, feature, decision } of others.changeWaiting) {
        if (decision.kind === 'wait') waiting.add(request, write, decision);
        if (decision.kind !== 'discard') continue;
        waiting.cancel(state, feature.name);
        reply(request, { ...DISCARDED, rev: revision(feature) }, write);
      }
      const replaced = others.overwritten.map(({ request, write }): Reply => [request, superseded(), write]);
      replyAll(replaced, together);
      const [first] = shares;
      if (!sending || !first || !only) return undefined;
      const before = only.feature;
      const { request, write } = first;
      if (!write.dryRun) return { ...sending, state, feature: write.feature, shares, before };
      reply(request, valid(before, sending), write);
      return undefined;
    },

    /** Reads the feature of a command for the first time; false where the command has failed. */
    readFirst: async (request: DeviceRequest): Promise<boolean> => {
      const { state, feature } = request.target;
      const failed = await records.readWhenAllowed(state, feature, request.atMs + LONGEST_WAIT_MS);
      if (failed) reply(request, failed);
      return failed === undefined;
    },
  };
};

const planOf = (evaluated: Evaluated): Plan => {
  if (evaluated.kind !== 'decided') return 'nothing';
  const { about: write, decision } = evaluated;
  if (write.dryRun) return 'dry_run';
  if (decision.kind === 'wait' || decision.kind === 'discard') return 'change_waiting';
  if (decision.kind !== 'send') return 'nothing';
  const isCompared = write.content.kind === 'deferred' || write.envelope.ifRev !== undefined;
  return decision.completed || isCompared || write.untilMs !== undefined ? 'send_completed' : 'send_as_given';
};

/** True where a command is sent. */
const wantsCall = ({ plan }: Assessed): boolean => plan === 'send_completed' || plan === 'send_as_given';

const checkKey = ({ device }: DeviceState, { from }: Evaluated): string => [deviceKey(device), ...from].join(' ');

const needsOf = (evaluated: Evaluated | undefined, plan: Plan | undefined): Needs => {
  if (evaluated?.kind !== 'decided' || evaluated.decision.kind !== 'send' || plan === 'send_completed') return 'truth';
  // The write names all values, but its effect depends on the present ones.
  return evaluated.decision.effect ? 'values' : 'outcome';
};

/** The strictest need among these. */
const mostNeeds = (assessed: readonly Assessed[]): Needs => {
  const all = assessed.map(({ evaluated, plan }) => needsOf(evaluated, plan));
  return all.find((needs) => needs === 'truth') ?? all.find((needs) => needs === 'values') ?? 'outcome';
};

/** The properties that a write names. */
const propertiesOf = ({ content }: PlannedWrite): readonly string[] =>
  content.kind === 'arguments' && content.chosen ? [...(content.chosen.effect?.keys() ?? [])] : [];

const DISCARDED: CommandResult = {
  status: 'applied',
  message: 'the waiting values were discarded; the platform had nothing to cancel',
  facts: { about: 'discarded' },
};

const gone = (feature: string): CommandResult => rejected('unknown_feature', `the platform no longer shows ${feature} of this device`);
