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

/** A day without a good read is a problem; a shorter time may be a router restart. */
const OFFLINE_AFTER_MS = 86_400_000;
const LOGIN_ENDS_WITHIN_MS = 14 * 86_400_000;

/** The data of a problem sensor; times in RFC 3339. */
type Problem = {
  readonly message: string;
  readonly since?: string;
  readonly until?: string;
  readonly can_restart?: true;
  /** For frozen data: the rule that applies, and the features. */
  readonly rule?: string;
  readonly features?: readonly string[];
};

export type Problems<Name extends string> = { readonly [Key in Name]?: Problem };

/** How messages are written: language, time zone of the times, and the account named in commands. */
export type Wording = { readonly language: Language; readonly zone: string; readonly account?: AccountName };

/** Rounded to the minute: the clock difference varies slightly, and such a change is not news. */
const instantOf = (atMs: number): string => new Date(Math.round(atMs / MINUTE_MS) * MINUTE_MS).toISOString();
const wallTime = (instant: string, zone: string): WallTime => localAt(Date.parse(instant), zone);

/** The account's calls, as counted by the bridge. */
export type CallsUsed = {
  /** Calls of other programs in the last 24 hours, known only from refusals. */
  readonly others: number;
  readonly perDay: number;
  /** True while no read is allowed. */
  readonly isUsedUp: boolean;
  /** When the platform's refusal ends (epoch milliseconds). */
  readonly untilMs?: number;
  /** Since when the account's plan allows no read (402), in epoch ms; undefined if it allows one. */
  readonly refusedMs?: number | undefined;
};

/** The problems of the bridge itself. `isRefused`: the platform refuses a login with valid tokens. */
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

/** Facts about a device's reads. */
export type LastRead = {
  readonly isOffline: boolean;
  /** True if the platform itself reports it. */
  readonly isReportedOffline: boolean;
  /** True if the platform refuses all data of the device to the account (402). */
  readonly isRefused: boolean;
  /** The time of the last read, and now (epoch milliseconds). */
  readonly atMs: number;
  readonly nowMs: number;
};

/** A temporary write with parts that were changed elsewhere. */
type Conflict = { readonly feature: string; readonly untilMs: number; readonly names: readonly string[] };

/** The user's word for a feature or its property; circuits and rooms have the name that the user gave. */
type NameOf = (feature: string, property?: string) => string;

/** The words for the days and properties of a feature; empty if they equal the feature's name. */
const partsOf = ({ feature, names }: Conflict, language: Language, calledBy: NameOf): readonly string[] => {
  const days = DAYS.filter((day) => names.includes(day));
  const others = names.filter((name) => !days.some((day) => day === name)).map((name) => calledBy(feature, name));
  const week = days.length > 0 ? [dayRuns(runsOfDays(days), language)] : [];
  return [...week, ...others.filter((name) => name !== calledBy(feature))];
};

/** Temporary writes that were changed elsewhere: the user must choose. `features`: the device's. */
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

/** Faults above this number are counted, not named. */
const MOST_NAMED = 5;

/** The active faults and warnings of a device, the most severe first. */
export const faultProblems = (faults: readonly Life[], { language, zone }: Wording): Problems<'fault'> => {
  if (faults.length === 0) return {};
  const since = new Date(Math.min(...faults.map(momentOf))).toISOString();
  const say = PROBLEMS[language];
  const named = faults.slice(0, MOST_NAMED).map((life) => say.fault(life.code, life.text, localAt(momentOf(life), zone)));
  const more = faults.length > MOST_NAMED ? [say.moreFaults(faults.length - MOST_NAMED)] : [];
  return { fault: { message: [...named, ...more, say.faultAdvice(faults.every(({ kind }) => kind === 'warning'))].join(' '), since } };
};

/** Frozen data while reads work; `canRestart`: the gateway's restart was accepted once. */
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
  { isOffline, isReportedOffline, isRefused, atMs, nowMs }: LastRead,
  { language, zone, account }: Wording,
): Problems<'connection'> => {
  if (!isOffline || nowMs - atMs < OFFLINE_AFTER_MS) return {};
  const since = instantOf(atMs);
  if (isRefused) return { connection: { message: PROBLEMS[language].deviceRefused, since } };
  const say = isReportedOffline ? PROBLEMS[language].gatewayOffline : PROBLEMS[language].nothingRead;
  return { connection: { message: say(wallTime(since, zone), commandFor('check', account)), since } };
};
