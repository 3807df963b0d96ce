import type { Feature } from '../features/feature.ts';
import type { Owner } from '../schedule/plans/precedence.ts';
import type { Profile } from '../schedule/profile.ts';
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

/** An answer in the overview (`shownAnswer`), from this run or an earlier one. */
export type ShownAnswer = Readonly<Record<string, unknown>>;

/** The content of an overview besides the record. */
export type OverviewParts = {
  readonly profiles: readonly Profile[];
  /** Whether the settings allow this command. */
  readonly mayRun: (feature: string, command: string) => boolean;
  /** The time zone of the schedule; undefined if unknown. */
  readonly zone: string | undefined;
  /** The modes now and next; undefined if the week is not followed or its zone is unknown. */
  readonly moments?: Moments | undefined;
  /** When a temporary write ends (RFC 3339). */
  readonly until: string | undefined;
  /** The days of a temporary write that were changed elsewhere. */
  readonly contested: readonly string[];
  /** The owner of the week's values (a plan or a temporary write), and the reason of a plan. */
  readonly owned?: { readonly owner: Owner; readonly reason?: string; readonly waits?: 'calls' } | undefined;
  /** The last answers, newest first. */
  readonly answers: readonly ShownAnswer[];
};

/** Home Assistant's recorder accepts 16 KiB of attributes; a week of 7 × 20 entries has 9 KiB. */
const LONGEST_PROFILES = 2000;
const MOST_ERRORS = 3;
const LONGEST_MESSAGE = 200;

/**
 * The topic `overview` of a schedule: the data that a dashboard needs to show and write its week, as one JSON
 * object. No message for a feature without a readable week.
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

/** The modes now and next; null between entries, and if the week never changes. */
const modesOf = ({ now, change }: Moments): object => ({ now: now ?? null, next: change ? change.mode : null });

/** The valid profiles by name, as text if possible; as many as the size limit allows. */
const shownProfiles = (feature: Feature, profiles: readonly Profile[]): Readonly<Record<string, unknown>> => {
  const shown: Record<string, unknown> = {};
  const constraints = constraintsOf(feature);
  let length = 0;
  for (const { name, week } of profiles) {
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

/** A path contains user input of any length. */
const shortIssue = (issue: Issue): Issue => ({ ...issue, path: cut(issue.path), message: cut(issue.message) });

const cut = (text: string): string => (text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text);

/** The fields of an answer in the overview. */
export const shownAnswer = ({ id, status, code, message, errors, until, at }: Omit<Answer, 'topic'>): ShownAnswer => ({
  id,
  status,
  code,
  message: message && cut(message),
  errors: errors?.slice(0, MOST_ERRORS).map(shortIssue),
  until,
  at,
});
