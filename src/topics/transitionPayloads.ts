import type { Feature } from '../features/feature.ts';
import { readConstraints } from '../schedule/constraints.ts';
import { type Change, type Mode, modeAt, nextChange } from '../schedule/transitions.ts';
import { readWeek } from '../schedule/week.ts';
import { printInstant } from '../schedule/zone.ts';
import type { Message } from '../shared/message.ts';
import { featureTopic } from './topicNames.ts';

/** What a schedule asks for at an instant. */
export type Moments = {
  /** Undefined between the entries of a schedule that names no default mode. */
  readonly now: Mode;
  /** Undefined where the week never changes mode. */
  readonly change: Change | undefined;
  /** The zone of `S/next_at`. */
  readonly zone: string;
};

/** What the week in this property asks for at an instant (epoch milliseconds); undefined without a week, and while the feature is not active. */
export const momentsOf = (feature: Feature, property: string, atMs: number, zone: string): Moments | undefined => {
  const value = feature.properties.get(property)?.value;
  if (value === undefined || feature.properties.get('active')?.value === false) return undefined;
  const week = readWeek(value);
  if (!week.ok) return undefined;
  const mode = defaultModeOf(feature);
  return { now: modeAt(week.value, mode, atMs, zone), change: nextChange(week.value, mode, atMs, zone), zone };
};

// The command that writes the week names the mode between its entries; a schedule that cannot be written names none.
const defaultModeOf = ({ commands }: Feature): Mode =>
  [...commands.values()]
    .flatMap(({ params }) => [...params.values()])
    .filter(({ type }) => type === 'Schedule')
    .map(({ constraints }) => readConstraints(constraints).defaultMode)
    .find((mode) => mode !== undefined);

/** `S/now`, `S/next` and `S/next_at` (CONTRACT §2.2), as far as there is something to say. */
export const momentMessages = (base: string, device: string, feature: string, { now, change, zone }: Moments): Message[] => {
  const said = [
    ['now', now],
    ['next', change?.mode],
    ['next_at', change && printInstant(change.atMs, zone)],
  ] as const;
  return said.flatMap(([leaf, payload]) => (payload ? [{ topic: featureTopic(base, device, feature, leaf), payload, retain: true }] : []));
};
