import type { Feature } from '../../features/feature.ts';
import { type Constraints, readConstraints } from '../../schedule/constraints.ts';
import { shownWeek } from '../../schedule/shown/shownWeek.ts';
import type { Week } from '../../schedule/week.ts';
import { featureTopic } from '../../topics/topicNames.ts';
import type { Device, Topics } from './device.ts';

/** A schedule, from its topics. */
export type Schedule = {
  /** The topic of the feature. */
  readonly topic: string;
  readonly device: string;
  readonly feature: string;
  readonly week: Week;
  readonly constraints: Constraints;
  /** False if no command can write it now. */
  readonly isWritable: boolean;
  readonly isActive: boolean;
  readonly now?: string;
  readonly next?: string;
  /** RFC 3339, in the zone of the schedule. */
  readonly nextAt?: string;
  readonly text?: string;
  readonly profile?: string;
  readonly until?: string;
};

/** A schedule with its device. */
export type Place = { readonly device: Device; readonly schedule: Schedule };

const LEAVES = ['now', 'next', 'next_at', 'text', 'profile', 'until'] as const;

/** The schedule of a feature; undefined if it has none or an unreadable one. */
export const scheduleIn = (topics: Topics, base: string, device: Device, name: string): Schedule | undefined => {
  const feature = device.features.get(name);
  const entries = [...(feature?.properties.values() ?? [])].find(({ type }) => type === 'Schedule');
  const week = shownWeek(entries?.value);
  if (!feature || !week) return undefined;
  const topic = featureTopic(base, device.name, name, '').slice(0, -1);
  const [now, next, nextAt, text, profile, until] = LEAVES.map((leaf) => topics.get(`${topic}/${leaf}`));
  const shown = Object.entries({ now, next, nextAt, text, profile, until }).filter(([, value]) => value !== undefined);
  return {
    topic,
    device: device.name,
    feature: name,
    week,
    ...writing(feature),
    isActive: feature.properties.get('active')?.value !== false,
    ...Object.fromEntries(shown),
  };
};

const writing = ({ commands }: Feature): Pick<Schedule, 'constraints' | 'isWritable'> => {
  for (const { isExecutable, params } of commands.values())
    for (const { type, constraints } of params.values())
      if (type === 'Schedule') return { constraints: readConstraints(constraints), isWritable: isExecutable };
  return { constraints: {}, isWritable: false };
};

/** All schedules of a device, by feature name. */
export const schedulesOf = (topics: Topics, base: string, device: Device): readonly Schedule[] =>
  [...device.features.keys()].sort().flatMap((name) => scheduleIn(topics, base, device, name) ?? []);
