import type { NamedWeek } from '../editor/types.ts';
import { type Constraints, readConstraints } from '../schedule/constraints.ts';
import { namedWeeks } from '../schedule/profile.ts';
import { localInstant } from '../schedule/shown/localNow.ts';
import { shownWeek } from '../schedule/shown/shownWeek.ts';
import { DAYS, type Day, type Week } from '../schedule/week.ts';
import { isRecord } from '../shared/json.ts';
import type { Hass, HassState } from './hass.ts';

/** An answer of the bridge to a write, as in the attributes. */
export type GivenAnswer = Readonly<Record<string, unknown>>;

/** A schedule from the attributes of its week entity (docs/topics.md, `overview`). */
export type Overview = {
  readonly week: Week;
  readonly constraints: Constraints;
  readonly rev: string;
  /** True if the heating takes changes now, the settings allow them, and the entity is writable. */
  readonly isWritable: boolean;
  /** True for a text entity, even while the heating takes no changes. */
  readonly isText: boolean;
  readonly isActive: boolean;
  readonly zone: string | undefined;
  /** The end of a temporary write, in local time with offset. */
  readonly until: string | undefined;
  /** The days of a temporary write that have since been changed elsewhere. */
  readonly contested: readonly Day[];
  readonly profiles: readonly NamedWeek[];
  readonly answers: readonly GivenAnswer[];
};

export const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Converts the end in an answer from UTC to local time. */
const withLocalEnd = (answer: GivenAnswer, zone: string | undefined): GivenAnswer => {
  const until = textIn(answer['until']);
  return until === undefined ? answer : { ...answer, until: localInstant(until, zone) };
};

/** The schedule of an entity; undefined if its attributes have none. */
export const overviewOf = ({ entity_id: id, attributes }: HassState): Overview | undefined => {
  const { entries, constraints, rev, writable, active, zone, until, contested, profiles, answers } = attributes;
  if (typeof rev !== 'string' || !isRecord(constraints)) return undefined;
  const week = shownWeek(entries);
  if (!week) return undefined;
  const isText = id.startsWith('text.');
  return {
    week,
    constraints: readConstraints(constraints),
    rev,
    isText,
    isWritable: isText && writable === true,
    isActive: active !== false,
    zone: textIn(zone),
    until: textIn(until),
    contested: Array.isArray(contested) ? DAYS.filter((day) => contested.includes(day)) : [],
    profiles: namedWeeks(profiles),
    answers: Array.isArray(answers) ? answers.filter(isRecord).map((answer) => withLocalEnd(answer, textIn(zone))) : [],
  };
};

const isCandidate = ({ entity_id: id, attributes }: HassState): boolean =>
  (id.startsWith('text.') || id.startsWith('sensor.')) && typeof attributes['rev'] === 'string' && isRecord(attributes['entries']);

/** The week entities of heating2mqtt, writable ones first. */
export const weekEntities = ({ states }: Pick<Hass, 'states'>): readonly HassState[] =>
  Object.values(states)
    .filter((state) => isCandidate(state) && overviewOf(state) !== undefined)
    .toSorted((a, b) => Number(b.entity_id.startsWith('text.')) - Number(a.entity_id.startsWith('text.')));
