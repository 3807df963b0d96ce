import type { Feature } from '../features/feature.ts';
import type { Owner } from '../schedule/plans/precedence.ts';
import { fittingProfiles, type Profile } from '../schedule/profile.ts';
import { printWeek } from '../schedule/text/weekText.ts';
import { validateWeek } from '../schedule/validateWeek.ts';
import type { Issue } from '../shared/issue.ts';
import type { Message } from '../shared/message.ts';
import { weekOn } from './featureState.ts';
import { revision } from './recordPayload.ts';
import type { Answer } from './resultPayload.ts';
import { constraintsOf, schedulerOf } from './scheduleCommand.ts';
import { featureTopic } from './topicNames.ts';
import type { Moments } from './transitionPayloads.ts';

/** An answer as the overview shows it (`shownAnswer`), by this run or an earlier one. */
export type ShownAnswer = Readonly<Record<string, unknown>>;

/** What an overview says beside the record. */
export type OverviewParts = {
  readonly profiles: readonly Profile[];
  /** Whether the settings allow this command. */
  readonly mayRun: (feature: string, command: string) => boolean;
  /** The time zone of the schedule; undefined while it is not known. */
  readonly zone: string | undefined;
  /** What the week asks for now and next; undefined while it is not followed, or its zone is not known. */
  readonly moments?: Moments | undefined;
  /** When a temporary write ends (RFC 3339). */
  readonly until: string | undefined;
  /** The days of a temporary write that somebody else has changed. */
  readonly contested: readonly string[];
  /** Whose values the week has, where that is a plan or a person's temporary write; the reason of a plan. */
  readonly owned?: { readonly owner: Owner; readonly reason?: string; readonly waits?: 'calls' } | undefined;
  /** The last answers, newest first. */
  readonly answers: readonly ShownAnswer[];
};

/** The recorder of Home Assistant takes at most 16 KiB of attributes; a week of 7 × 20 entries has 9. */
const LONGEST_PROFILES = 2000;
const MOST_ERRORS = 3;
const LONGEST_MESSAGE = 200;

/**
 * The topic `overview` of a schedule: what a dashboard needs to show its week and to write it, as one JSON object. None for a feature without
 * a readable week.
 */
export const overviewMessages = (base: string, device: string, feature: Feature, parts: OverviewParts): readonly Message[] => {
  const week = weekOn(feature);
  if (!week) return [];
  const scheduler = schedulerOf(feature);
  const isWritable =
    scheduler !== undefined &&
    feature.commands.get(scheduler.command)?.isExecutable === true &&
    parts.mayRun(feature.name, scheduler.command);
  const profiles = shownProfiles(feature, parts.profiles);
  const { zone, moments, until, contested, owned, answers } = parts;
  const payload = JSON.stringify({
    entries: week,
    constraints: constraintsOf(feature),
    rev: revision(feature),
    writable: isWritable,
    active: feature.properties.get('active')?.value !== false,
    zone,
    ...(moments && modesOf(moments)),
    until,
    contested: contested.length === 0 ? undefined : contested,
    owner: owned?.owner,
    waits: owned?.waits,
    reason: owned?.reason && cut(owned.reason),
    profiles: Object.keys(profiles).length === 0 ? undefined : profiles,
    answers: answers.length === 0 ? undefined : answers,
  });
  return [{ topic: featureTopic(base, device, feature.name, 'overview'), payload, retain: true }];
};

/** The modes now and next; null where there is none: between entries, and where the week never changes. */
const modesOf = ({ now, change }: Moments): object => ({ now: now ?? null, next: change ? change.mode : null });

/** The profiles that fit, by name, as text where they have a text form; as many as there is room for. */
const shownProfiles = (feature: Feature, profiles: readonly Profile[]): Readonly<Record<string, unknown>> => {
  const shown: Record<string, unknown> = {};
  const constraints = constraintsOf(feature);
  let length = 0;
  for (const { name, week } of fittingProfiles(profiles, constraints)) {
    const checked = validateWeek(week, constraints, undefined);
    if (!checked.ok) continue;
    const days = Object.fromEntries(checked.value);
    const written = printWeek(days) ?? days;
    length += name.length + JSON.stringify(written).length;
    if (length > LONGEST_PROFILES) break;
    shown[name] = written;
  }
  return shown;
};

/** A path holds what was written, of any length. */
const shortIssue = (issue: Issue): Issue => ({ ...issue, path: cut(issue.path), message: cut(issue.message) });

const cut = (text: string): string => (text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text);

/** What the overview shows of an answer. */
export const shownAnswer = ({ id, status, code, message, errors, until, at }: Omit<Answer, 'topic'>): ShownAnswer => ({
  id,
  status,
  code,
  message: message && cut(message),
  errors: errors?.slice(0, MOST_ERRORS).map(shortIssue),
  until,
  at,
});
