import type { Feature } from '../features/feature.ts';
import { readWeek } from '../schedule/readWeek.ts';
import { type Change, type Mode, modeAt, nextChange } from '../schedule/transitions.ts';
import { printInstant } from '../schedule/zone.ts';
import type { Message } from '../shared/message.ts';
import { constraintsOf } from './scheduleCommand.ts';
import { featureTopic } from './topicNames.ts';
import { retainedMessages } from './valuePayload.ts';

/** The current and next mode of a schedule. */
export type Moments = {
  /** Undefined between entries if the schedule has no default mode. */
  readonly now: Mode;
  /** Undefined if the week never changes mode. */
  readonly change: Change | undefined;
  /** The time zone of `next_at`. */
  readonly zone: string;
};

/** The modes of a week at an instant (epoch ms); undefined without a week or if inactive. */
export const momentsOf = (feature: Feature, property: string, atMs: number, zone: string): Moments | undefined => {
  const week = readWeek(feature.properties.get(property)?.value);
  if (!week.ok || feature.properties.get('active')?.value === false) return undefined;
  const mode = constraintsOf(feature).defaultMode;
  return { now: modeAt(week.value, mode, atMs, zone), change: nextChange(week.value, mode, atMs, zone), zone };
};

/** The topics `now`, `next` and `next_at` that have a value. */
export const momentMessages = (base: string, device: string, feature: string, { now, change, zone }: Moments): Message[] =>
  retainedMessages(featureTopic(base, device, feature, ''), [
    ['now', now],
    ['next', change?.mode],
    ['next_at', change && printInstant(change.atMs, zone)],
  ]);
