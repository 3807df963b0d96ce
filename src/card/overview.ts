import type { NamedWeek } from '../editor/types.ts';
import { type Constraints, readConstraints } from '../schedule/constraints.ts';
import { namedWeeks } from '../schedule/profile.ts';
import { localInstant } from '../schedule/shown/localNow.ts';
import { shownWeek } from '../schedule/shown/shownWeek.ts';
import { DAYS, type Day, type Week } from '../schedule/week.ts';
import { isRecord } from '../shared/json.ts';
import type { Hass, HassState } from './hass.ts';

/** An answer of the bridge to a write, as the attributes have it. */
export type GivenAnswer = Readonly<Record<string, unknown>>;

/** A schedule as the attributes of its week show it (docs/topics.md, `overview`). */
export type Overview = {
  readonly week: Week;
  readonly constraints: Constraints;
  readonly rev: string;
  /** The heating takes changes now, the settings allow them, and the entity can be written. */
  readonly isWritable: boolean;
  /** True for a text, also while the heating takes no changes. */
  readonly isText: boolean;
  readonly isActive: boolean;
  readonly zone: string | undefined;
  /** The end of a temporary write, in local time with its offset. */
  readonly until: string | undefined;
  /** The days of a temporary write that were changed elsewhere since. */
  readonly contested: readonly Day[];
  readonly profiles: readonly NamedWeek[];
  readonly answers: readonly GivenAnswer[];
};

export const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** An answer has its end in UTC. */
const withLocalEnd = (answer: GivenAnswer, zone: string | undefined): GivenAnswer => {
  const until = textIn(answer['until']);
  return until === undefined ? answer : { ...answer, until: localInstant(until, zone) };
};

/** The schedule of an entity; undefined where its attributes have none. */
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

/** The entities that are weeks of heating2mqtt, those that can be written first. */
export const weekEntities = ({ states }: Pick<Hass, 'states'>): readonly HassState[] =>
  Object.values(states)
    .filter((state) => isCandidate(state) && overviewOf(state) !== undefined)
    .toSorted((a, b) => Number(b.entity_id.startsWith('text.')) - Number(a.entity_id.startsWith('text.')));
