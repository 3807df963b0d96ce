import type { Feature } from '../../../features/feature.ts';
import { writingsOf } from '../../../features/writings.ts';
import { schedulerOf } from '../../../topics/scheduleCommand.ts';
import { featureTopic, propertyTopic } from '../../../topics/topicNames.ts';
import type { WriteStore } from '../../ports.ts';
import type { DeviceState } from '../../state/deviceState.ts';
import { valuesOf } from '../write/change.ts';
import { isSent, readWrite, type SentWrite } from '../write/write.ts';
import { type FormerValue, type NoTakeBack, takeBack } from './takeBack.ts';

const LONGEST_TOPIC = 400;
/** Of the 64 letters of a name each has two units at most. */
const LONGEST_USER = 128;

export type ChangeHistory = ReturnType<typeof changeHistory>;

type MessageSettings = { readonly base: string; readonly mayRun: (feature: string, command: string) => boolean };

/** The message that takes a change back by an ordinary write, or why there is none. */
type UndoMessage = { readonly topic: string; readonly payload: string } | { readonly why: NoTakeBack | 'not_writable' };

/** What the bridge has changed in a year, for the page: author, time, the values before and after, and the outcome. */
export const changeHistory = (
  store: Pick<WriteStore, 'newest'>,
  states: ReadonlyMap<string, Pick<DeviceState, 'device' | 'shown'>>,
  settings: MessageSettings,
) => {
  const entryOf = (write: SentWrite, outcome: NonNullable<SentWrite['outcome']>) => {
    const { key, at, feature, command, change, until, name, topic, by = { kind: 'mqtt' } } = write;
    const state = states.get(write.device);
    const device = state?.device.name ?? name;
    const shown = state?.shown(feature);
    const found = takeBack([write], shown);
    const undo: UndoMessage = 'why' in found ? found : shown ? messageOf(found.values, device, shown, settings) : { why: 'gone' };
    return {
      /** The names of the device in topics: now, and when the change was made. */
      device,
      name,
      feature,
      command,
      /** The topic of the command. */
      topic: topic.slice(0, LONGEST_TOPIC),
      by: { kind: by.kind, ...(by.user === undefined ? {} : { user: by.user.slice(0, LONGEST_USER) }) },
      /** By property, of a week by property and day; absent where they are not known, or too long to be kept. */
      ...(change ? { before: valuesOf(change, 'former'), after: valuesOf(change, 'written') } : {}),
      /** When it ends by itself (RFC 3339). */
      ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
      ...outcome,
      key,
      at: new Date(at).toISOString(),
      undo,
    };
  };

  return {
    /** The newest changes first; `before`: those with a smaller key. Devices are named as in topics. */
    newest: ({ before, device, feature }: { before?: number; device?: string; feature?: string }, most: number) => {
      const [key] = device === undefined ? [] : ([...states].find(([, state]) => state.device.name === device) ?? ['']);
      const which = { ...(before === undefined ? {} : { before }), ...(key === undefined ? {} : { device: key }) };
      return store.newest({ ...which, ...(feature === undefined ? {} : { feature }) }, most).flatMap((row) => {
        const write = readWrite(row);
        return write && isSent(write) && write.outcome ? [entryOf(write, write.outcome)] : [];
      });
    },
  };
};

/** The message that writes these values of a feature: the days of its week, or other properties. */
const messageOf = (values: readonly FormerValue[], device: string, feature: Feature, { base, mayRun }: MessageSettings): UndoMessage => {
  const isAllowed = (command: string | undefined): boolean => command !== undefined && mayRun(feature.name, command);
  const writable = new Set(writingsOf(feature).flatMap(({ property, command }) => (isAllowed(command.name) ? [property] : [])));
  const canWriteWeek = isAllowed(schedulerOf(feature)?.command);
  const written = values.filter(({ property, day }) => (day === undefined ? writable.has(property) : canWriteWeek));
  const [first, ...others] = written;
  if (!first) return { why: 'not_writable' };
  if (first.day === undefined && others.length === 0)
    return { topic: `${propertyTopic(base, device, feature.name, first.property)}/set`, payload: JSON.stringify({ value: first.value }) };
  const payload = Object.fromEntries(written.map(({ property, day = property, value }) => [day, value]));
  return { topic: featureTopic(base, device, feature.name, 'set'), payload: JSON.stringify(payload) };
};
