import { isDeepStrictEqual } from 'node:util';
import { checkArguments } from '../../../features/command.ts';
import { effectOf } from '../../../features/effect.ts';
import type { Command, Feature, Json } from '../../../features/feature.ts';
import type { AnswerFacts } from '../../../language/answers/answersDe.ts';
import { readConstraints } from '../../../schedule/constraints.ts';
import { completeWeek, intrinsicIssues, validateWeek } from '../../../schedule/validateWeek.ts';
import { changedDays, DAYS, type Day, type Week } from '../../../schedule/week.ts';
import type { WrittenWeek } from '../../../schedule/writtenWeek.ts';
import type { Issue } from '../../../shared/issue.ts';
import { matchesAny } from '../../../shared/pattern.ts';
import type { Envelope } from '../../../topics/commandPayload.ts';
import { schedulePropertyOf, weekOn } from '../../../topics/featureState.ts';
import { revision } from '../../../topics/recordPayload.ts';
import type { RefusalCode } from '../../../topics/resultPayload.ts';
import type { Effect } from '../../state/valueParts.ts';
import type { About } from '../request/commandRequest.ts';
import { similarTo } from '../request/commandTarget.ts';
import { invalid, type Refusal } from '../request/rejection.ts';

/** A parsed write: the command of the platform and what to send with it. */
export type PlannedWrite = About & {
  readonly feature: string;
  readonly command: string;
  readonly content: WriteContent | DeferredContent;
  /** A dry run: the write is only checked. */
  readonly dryRun: boolean;
  /** The temperature (°C) of an override that does not show it: the composite keeps it once accepted. */
  readonly setpoint?: { readonly composite: string; readonly celsius: number };
};

/** A week or some of its days, parsed from JSON or text, with the places in the payload. */
type WeekContent = { readonly kind: 'week'; readonly param: string; readonly week: WrittenWeek };

/** Values that are kept until the missing properties are written too. */
export type WaitingValues = { readonly values: ReadonlyMap<string, Json>; readonly missing: readonly string[] };

/** The written values, and the values that still wait: `start 2030-12-21`. */
type StillWaiting = { readonly message: string; readonly written: readonly string[]; readonly waiting: readonly string[] };

export type ArgumentsContent = {
  readonly kind: 'arguments';
  readonly args: Readonly<Record<string, Json>>;
  /** The place of a parameter in the payload, by its JSON pointer in `args`. */
  readonly placeOf: (path: string) => string;
  /** The parameter that the write's end fills. */
  readonly endsBy?: string;
  /** Set where properties chose the command; `completed`: shown values fill the parameters `filled`. */
  readonly chosen?: {
    readonly effect: ReadonlyMap<string, Json> | undefined;
    readonly completed: boolean;
    readonly filled?: readonly string[];
    /** Set where other properties are missing: these values wait for them. */
    readonly wait?: WaitingValues;
    /** What to do where this write conflicts with one that waits. */
    readonly hint?: StillWaiting;
  };
};

type WriteContent = WeekContent | ArgumentsContent;

/** Content that depends on the feature at its turn, such as an undo. `resolve` is called after each read. */
export type DeferredContent = {
  readonly kind: 'deferred';
  /** The feature is always read first, even where no call is left. */
  readonly alwaysRead?: true;
  /** Why it restores former values. Only a `restore` can itself be undone. */
  readonly purpose?: 'undo' | 'revert' | 'restore';
  readonly resolve: (feature: Feature) => Decision | ResolvedContent;
};

/** `undoes`: for an undo, the group of writes that it undoes. */
type ResolvedContent = { readonly command: string; readonly content: WriteContent; readonly undoes?: number };

export type Decision =
  /** `mayAge`: a newer record could change the decision, so an old record is read again first. */
  | (Refusal & { readonly kind: 'reject'; readonly mayAge: boolean })
  | { readonly kind: 'unchanged'; readonly written?: WholeWeek }
  /** Nothing is sent until the missing properties are written. */
  | (WaitingValues & { readonly kind: 'wait'; readonly written?: never })
  /** Waiting values are discarded; the platform has nothing to cancel. */
  | { readonly kind: 'discard'; readonly written?: never }
  | {
      readonly kind: 'send';
      readonly command: string;
      readonly args: Readonly<Record<string, Json>>;
      readonly effect: Effect | undefined;
      /** True where shown values are sent that the payload does not name. */
      readonly completed: boolean;
      readonly changed?: readonly Day[];
      readonly written?: WholeWeek;
      /** For an undo: the group of writes that it undoes. */
      readonly undoes?: number;
    };

/** The whole week after a write; `named`: the days of the payload; `present`: the week shown now. */
type WholeWeek = {
  readonly param: string;
  readonly property: string | undefined;
  readonly present: Week | undefined;
  readonly week: Week;
  readonly named: readonly Day[];
};

export type Sending = Decision & { readonly kind: 'send' };

/** The settings that refuse commands: patterns of `<feature>/<command>`. */
export type Allowed = { readonly allow: readonly string[]; readonly deny: readonly string[] };
export type Rules = Allowed & { readonly per_hour: number };

/** A refusal; `mayAge` as in `Decision`. */
export const refuse = (code: RefusalCode, message: string, mayAge = false, facts?: AnswerFacts): Decision => ({
  kind: 'reject',
  code,
  message,
  mayAge,
  facts,
});
const rejectPayload = (errors: readonly Issue[]): Decision => ({ kind: 'reject', ...invalid(errors), mayAge: false });

/** Decides one write by the shown feature, in the order of docs/errors.md. */
export const evaluate = (write: PlannedWrite, feature: Feature, rules: Rules, sentInLastHour: number): Decision => {
  const { content } = write;
  if (content.kind === 'deferred') {
    const resolved = content.resolve(feature);
    if ('kind' in resolved) return conflict(write, feature) ?? resolved;
    const { undoes, ...planned } = resolved;
    const decision = evaluate({ ...write, ...planned }, feature, rules, sentInLastHour);
    return decision.kind === 'send' && undoes !== undefined ? { ...decision, undoes } : decision;
  }
  const command = feature.commands.get(write.command);
  if (!command) return { kind: 'reject', ...(feature.isEnabled ? noCommand(write.command, feature) : disabled(feature)), mayAge: true };
  const refusal = notAllowed(write, rules) ?? conflict(write, feature);
  const decision =
    content.kind === 'week' ? weekDecision(content, feature, command, refusal) : (refusal ?? argumentsDecision(content, feature, command));
  if (decision.kind !== 'send' || write.dryRun) return decision;
  if (sentInLastHour >= rules.per_hour) {
    return refuse(
      'too_often',
      `${sentInLastHour} commands went to ${feature.name} within the last hour; commands.per_hour allows ${rules.per_hour}: does an automation send in a loop?`,
      false,
      { about: 'per_hour', feature: feature.name, count: sentInLastHour, most: rules.per_hour },
    );
  }
  return decision;
};

/** The refusal of a command that the feature does not have. */
export const noCommand = (name: string, feature: Feature): Refusal => {
  const all = [...feature.commands.keys()];
  const { near, hint } = similarTo(name, all, `it has ${all.length > 0 ? all.join(', ') : 'none'}`);
  const facts = { about: 'no_command', feature: feature.name, name, near, known: all } as const;
  return { code: 'unknown_command', message: `${feature.name} has no command ${name}; ${hint}`, facts };
};

/** The refusal of any command to a feature that the platform has disabled. */
export const disabled = ({ name }: Feature): Refusal => ({ code: 'not_executable', message: `${name} is disabled on the platform now` });

/** False for a command that the settings refuse. Hubs are not offered such commands. */
export const isAllowed = (rules: Allowed, feature: string, command: string): boolean =>
  notAllowed({ feature, command }, rules) === undefined;

const notAllowed = ({ feature, command }: Pick<PlannedWrite, 'feature' | 'command'>, { allow, deny }: Allowed): Decision | undefined => {
  const name = `${feature}/${command}`;
  if (!matchesAny(name, allow))
    return refuse('forbidden', `${name} is not allowed by the setting commands.allow`, false, { about: 'allow', name });
  return matchesAny(name, deny)
    ? refuse('forbidden', `${name} is forbidden by the setting commands.deny`, false, { about: 'deny', name })
    : undefined;
};

/** The refusal of a write whose `if_rev` is not the revision of the shown feature. */
export const otherRevision = ({ ifRev }: Envelope, feature: Feature | undefined): Refusal | undefined => {
  if (ifRev === undefined) return undefined;
  const rev = feature && revision(feature);
  if (ifRev === rev) return undefined;
  const facts = { about: 'other_rev', rev, wanted: ifRev } as const;
  const has = rev === undefined ? 'no rev' : `rev ${rev}`;
  return { code: 'conflict', message: `the record has ${has}, not ${ifRev}: it was changed since you read it`, facts };
};

const conflict = ({ envelope }: PlannedWrite, feature: Feature): Decision | undefined => {
  const refusal = otherRevision(envelope, feature);
  return refusal && { kind: 'reject', ...refusal, mayAge: true };
};

/** The refusal of a command that the device does not accept now. */
export const notExecutable = (feature: Feature, command: Command): Decision | undefined => {
  if (command.isExecutable) return undefined;
  const others = [...feature.commands.values()].filter(({ isExecutable }) => isExecutable).map(({ name }) => name);
  return refuse(
    'not_executable',
    `the device does not accept ${command.name} now${others.length > 0 ? `; it accepts ${others.join(', ')}` : ''}`,
    true,
    { about: 'not_now', command: command.name, others },
  );
};

/** Rules for every week are checked before `refusal`, rules of the schedule after it. */
const weekDecision = (
  { param, week: written }: WeekContent,
  feature: Feature,
  command: Command,
  refusal: Decision | undefined,
): Decision => {
  const property = schedulePropertyOf(feature);
  const present = weekOn(feature);
  const constraints = readConstraints(command.params.get(param)?.constraints ?? {});
  const checked = validateWeek(written, constraints, present);
  if (!checked.ok && intrinsicIssues(written, present).length > 0) return rejectPayload(checked.issues);
  if (refusal) return refusal;
  const notNow = notExecutable(feature, command);
  if (!checked.ok) return notNow ?? rejectPayload(checked.issues);
  const named = [...checked.value.keys()];
  const week = completeWeek(checked.value, present ?? EMPTY_WEEK);
  const whole = { param, property, present, week, named };
  if (present && changedDays(present, week).length === 0) return { kind: 'unchanged', written: whole };
  if (notNow) return notNow;
  if (present || named.length === DAYS.length) return sendWeek(command.name, whole);
  return refuse('incomplete', 'the platform shows no week to take the other days from: send all seven days', true, { about: 'seven_days' });
};

/** The command that writes this week. */
export const sendWeek = (command: string, written: WholeWeek): Sending => {
  const { param, property, present, week } = written;
  const changed = changedDays(present ?? EMPTY_WEEK, week);
  const effect = property === undefined ? undefined : { values: new Map([[property, week]]), days: changed };
  const completed = written.named.length < DAYS.length;
  return { kind: 'send', command, args: { [param]: week }, effect, completed, changed, written };
};

const EMPTY_WEEK: Week = { mon: [], tue: [], wed: [], thu: [], fri: [], sat: [], sun: [] };

// Rules about parameters apply to the present value too, unlike rules about values.
const FORM: ReadonlySet<string> = new Set(['required', 'type']);

const argumentsDecision = ({ args, placeOf, endsBy, chosen }: ArgumentsContent, feature: Feature, command: Command): Decision => {
  const issues = checkArguments(command, args, feature).filter(({ rule }) => !chosen?.wait || rule !== 'required');
  const values = chosen ? chosen.effect : effectOf(feature, command, args);
  const same =
    // A number of minutes counts from now; a date that is already shown changes nothing.
    (endsBy === undefined || endsBy === 'end') &&
    values !== undefined &&
    [...values].every(([name, value]) => isDeepStrictEqual(feature.properties.get(name)?.value, value));
  // The shown value may be written back even if the command would refuse it, such as an empty name.
  if (same && (chosen || !issues.some(({ rule }) => FORM.has(rule)))) return { kind: 'unchanged' };
  const refusal = notExecutable(feature, command);
  if (refusal) return refusal;
  if (issues.length > 0) {
    const refused = invalid(issues.map((issue) => ({ ...issue, path: placeOf(issue.path) })));
    const hint = chosen?.hint;
    if (!hint) return { kind: 'reject', ...refused, mayAge: false };
    const facts = { about: 'still_waits', errors: issues, written: hint.written, waiting: hint.waiting } as const;
    return { kind: 'reject', ...refused, message: `${refused.message}; ${hint.message}`, mayAge: false, facts };
  }
  if (chosen?.wait) return { kind: 'wait', ...chosen.wait };
  return { kind: 'send', command: command.name, args, effect: values ? { values } : undefined, completed: chosen?.completed ?? false };
};
