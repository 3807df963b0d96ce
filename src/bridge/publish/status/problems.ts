import { type Life, momentOf } from '../../../features/faults/lives.ts';
import type { Feature } from '../../../features/feature.ts';
import type { Stale } from '../../../features/frozen/rules.ts';
import { labelOf, partNames } from '../../../homeassistant/names.ts';
import { type AccountName, commandFor } from '../../../language/accounts/loginHelp.ts';
import { dayRuns } from '../../../language/hints/shortDays.ts';
import type { Language } from '../../../language/language.ts';
import { nameOf } from '../../../language/names/name.ts';
import { PROBLEMS, type WallTime } from '../../../language/problems.ts';
import { runsOfDays } from '../../../schedule/text/dayWords.ts';
import { DAYS } from '../../../schedule/week.ts';
import { localAt } from '../../../schedule/zone.ts';
import { MINUTE_MS } from '../../../shared/clock.ts';
import type { AuthReport } from '../../ports.ts';

/** A day without a good read is a problem; before, it may be a router that starts again. */
const OFFLINE_AFTER_MS = 86_400_000;
const LOGIN_ENDS_WITHIN_MS = 14 * 86_400_000;

/** What a problem sensor says; the moments in RFC 3339. */
type Problem = {
  readonly message: string;
  readonly since?: string;
  readonly until?: string;
  readonly can_restart?: true;
  /** Of frozen data: which rule says so, and of which features. */
  readonly rule?: string;
  readonly features?: readonly string[];
};

export type Problems<Name extends string> = { readonly [Key in Name]?: Problem };

/** How sentences are written: the language, the time zone of their moments, and the account that commands name. */
export type Wording = { readonly language: Language; readonly zone: string; readonly account?: AccountName };

/** Moments are rounded to the minute: clocks differ by a moment at each look, and a message that only differs by that is no news. */
const instantOf = (atMs: number): string => new Date(Math.round(atMs / MINUTE_MS) * MINUTE_MS).toISOString();
const wallTime = (instant: string, zone: string): WallTime => localAt(Date.parse(instant), zone);

/** The calls of the account, as the bridge counts them. */
export type CallsUsed = {
  /** Calls of other programs in the last 24 hours, as far as a refusal has shown them. */
  readonly others: number;
  readonly perDay: number;
  /** True while nothing may be read. */
  readonly isUsedUp: boolean;
  /** Until when the platform refuses calls (epoch milliseconds). */
  readonly untilMs?: number;
  /** Since when (epoch milliseconds) the plan of the account allows no read at all (402); undefined where it allows one. */
  readonly refusedMs?: number | undefined;
};

/** The problems of the bridge itself. `isRefused`: the platform refuses a login whose tokens are valid. */
export const bridgeProblems = (
  auth: AuthReport,
  isRefused: boolean,
  calls: CallsUsed,
  nowMs: number,
  wording: Wording,
): Problems<'login' | 'calls' | 'plan'> => {
  const { language, zone } = wording;
  const login = loginProblem(auth, isRefused, nowMs, wording);
  const plan = calls.refusedMs === undefined ? {} : { plan: { message: PROBLEMS[language].allRefused, since: instantOf(calls.refusedMs) } };
  const found = { ...(login === undefined ? {} : { login }), ...plan };
  if (!calls.isUsedUp || calls.others === 0) return found;
  const until = calls.untilMs === undefined ? undefined : instantOf(calls.untilMs);
  const message = PROBLEMS[language].callsUsedUp(calls.others, calls.perDay, until === undefined ? undefined : wallTime(until, zone));
  return { ...found, calls: { message, ...(until === undefined ? {} : { until }) } };
};

const loginProblem = (auth: AuthReport, isRefused: boolean, nowMs: number, { language, zone, account }: Wording): Problem | undefined => {
  const say = PROBLEMS[language];
  if (auth.state === 'login_needed') return { message: say.loginNeeded(commandFor('login', account)), since: auth.since };
  if (isRefused) return { message: say.loginRefused(commandFor('check', account)), since: auth.since };
  const end = auth.consent_expires_at ?? auth.login_needed_at;
  if (end === undefined || Date.parse(end) - nowMs >= LOGIN_ENDS_WITHIN_MS) return undefined;
  return { message: say.loginEnds(wallTime(end, zone), commandFor('login', account)), until: end };
};

/** What is known of the reads of a device. */
export type LastRead = {
  readonly isOffline: boolean;
  /** True where the platform itself says so. */
  readonly isSaidOffline: boolean;
  /** When something was read last, and now (epoch milliseconds). */
  readonly atMs: number;
  readonly nowMs: number;
};

/** A temporary write of which somebody else has changed these parts. */
type Conflict = { readonly feature: string; readonly untilMs: number; readonly names: readonly string[] };

/** What people call a feature, or a property of it: of a circuit or room by the name that they gave it. */
type NameOf = (feature: string, property?: string) => string;

/** What people call the days and properties of a feature; nothing where that is the name of the feature. */
const partsOf = ({ feature, names }: Conflict, language: Language, calledBy: NameOf): readonly string[] => {
  const days = DAYS.filter((day) => names.includes(day));
  const others = names.filter((name) => !days.some((day) => day === name)).map((name) => calledBy(feature, name));
  const week = days.length > 0 ? [dayRuns(runsOfDays(days), language)] : [];
  return [...week, ...others.filter((name) => name !== calledBy(feature))];
};

/** What waits for a person to choose between a temporary write and what somebody else has changed of it; `features`: those of the device. */
export const conflictProblems = (
  conflicts: readonly Conflict[],
  features: Iterable<Feature>,
  { language, zone }: Wording,
): Problems<'conflict'> => {
  const [first] = [...conflicts].sort((a, b) => a.untilMs - b.untilMs);
  if (!first) return {};
  const named = partNames(features);
  const calledBy: NameOf = (feature, property) => labelOf({ named, language }, feature, property).name;
  const sentences = conflicts.map((conflict) =>
    PROBLEMS[language].changedMeanwhile(calledBy(conflict.feature), partsOf(conflict, language, calledBy), localAt(conflict.untilMs, zone)),
  );
  return { conflict: { message: sentences.join(' '), until: new Date(first.untilMs).toISOString() } };
};

/** More faults are counted, not named. */
const MOST_NAMED = 5;

/** Faults and warnings of a device that last, the weightiest first. */
export const faultProblems = (faults: readonly Life[], { language, zone }: Wording): Problems<'fault'> => {
  if (faults.length === 0) return {};
  const since = new Date(Math.min(...faults.map(momentOf))).toISOString();
  const say = PROBLEMS[language];
  const named = faults.slice(0, MOST_NAMED).map((life) => say.fault(life.code, life.text, localAt(momentOf(life), zone)));
  const more = faults.length > MOST_NAMED ? [say.moreFaults(faults.length - MOST_NAMED)] : [];
  return { fault: { message: [...named, ...more, say.faultAdvice(faults.every(({ kind }) => kind === 'warning'))].join(' '), since } };
};

/** What stands of a device while its reads work; `canRestart`: the restart of its gateway was once accepted. */
export const staleProblems = (stale: Stale | undefined, canRestart: boolean, { language, zone }: Wording): Problems<'stale'> => {
  if (!stale) return {};
  const { features } = stale;
  const say = PROBLEMS[language];
  const since = instantOf(stale.since);
  const rule = stale.rule === 'pulse' && stale.isSlow ? 'battery' : stale.rule;
  const names = features.map((feature) => nameOf(feature, undefined, language));
  const message = say.stale[rule](say.moment(wallTime(since, zone)), names);
  return { stale: { message, since, rule, ...(features.length > 0 ? { features } : {}), ...(canRestart ? { can_restart: true } : {}) } };
};

/** The problems of a device. */
export const deviceProblems = (
  { isOffline, isSaidOffline, atMs, nowMs }: LastRead,
  { language, zone, account }: Wording,
): Problems<'connection'> => {
  if (!isOffline || nowMs - atMs < OFFLINE_AFTER_MS) return {};
  const since = instantOf(atMs);
  const say = isSaidOffline ? PROBLEMS[language].gatewayOffline : PROBLEMS[language].nothingRead;
  return { connection: { message: say(wallTime(since, zone), commandFor('check', account)), since } };
};
