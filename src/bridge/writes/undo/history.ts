import { writingsOf } from '../../../features/writings.ts';
import { schedulerOf } from '../../../topics/scheduleCommand.ts';
import { featureTopic, propertyTopic } from '../../../topics/topicNames.ts';
import type { WhichWrites, WriteStore } from '../../ports.ts';
import { type DeviceState, entryNamed } from '../../state/deviceState.ts';
import { valuesOf } from '../write/change.ts';
import { shortOf } from '../write/step.ts';
import { isSent, readWrite, type SentWrite } from '../write/write.ts';
import type { WriteLog } from '../write/writeLog.ts';
import { type FormerValue, type NoTakeBack, newestTakeBack, type TakeBack, takeBack } from './takeBack.ts';

export type ChangeHistory = ReturnType<typeof changeHistory>;

type MessageSettings = {
  readonly base: string;
  readonly mayRun: (feature: string, command: string) => boolean;
};

/** The message that undoes a change by an ordinary write, or why there is none. */
type UndoMessage = { readonly topic: string; readonly payload: string } | { readonly why: NoTakeBack | 'not_writable' };

/** The author, the time, the end by itself (RFC 3339), and the values by property, for a week by property and day. */
export const changeIn = ({ at, by = { kind: 'mqtt' }, change, until }: SentWrite) => ({
  by,
  /** Absent where unknown. */
  ...(change ? { before: valuesOf(change, 'former'), after: valuesOf(change, 'written') } : {}),
  ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
  at: new Date(at).toISOString(),
});

/** The bridge's changes of the last year, for the page: author, time, values, outcome. */
export const changeHistory = (
  store: Pick<WriteStore, 'newest'>,
  writes: Pick<WriteLog, 'sentOn'>,
  states: ReadonlyMap<string, Pick<DeviceState, 'device' | 'shown'>>,
  settings: MessageSettings,
) => {
  const entryOf = (write: SentWrite, outcome: NonNullable<SentWrite['outcome']>) => {
    const { key, feature, command, name, topic } = write;
    const state = states.get(write.device);
    const device = state?.device.name ?? name;
    return {
      /** The names of the device in topics: now, and when the change was made. */
      device,
      name,
      feature,
      command,
      /** The topic of the command. */
      topic,
      ...changeIn(write),
      ...shortOf(outcome),
      key,
      undo: undoMessage(takeBack([write], state?.shown(feature)), device, settings),
    };
  };

  return {
    /** The newest changes first; `before`: those with a smaller key. Devices are named as in topics. */
    newest: ({ device, ...which }: WhichWrites, most: number) => {
      const rows = store.newest({ ...which, ...(device === undefined ? {} : { device: entryNamed(states, device)?.[0] ?? '' }) }, most);
      return rows.flatMap((row) => {
        const write = readWrite(row);
        return write && isSent(write) && write.outcome ? [entryOf(write, write.outcome)] : [];
      });
    },

    /** The values that the undo of a schedule would restore now. */
    undoOf: (name: string, feature: string): readonly FormerValue[] => {
      const [device, state] = entryNamed(states, name) ?? [];
      const shown = state?.shown(feature);
      return device !== undefined && shown ? (newestTakeBack(writes.sentOn({ device, feature }), shown)?.values ?? []) : [];
    },
  };
};

const undoMessage = (found: TakeBack, device: string, { base, mayRun }: MessageSettings): UndoMessage => {
  if ('why' in found) return found;
  const { feature, values } = found;
  const { name } = feature;
  const week = schedulerOf(feature);
  const written = values.filter(({ property, day }) =>
    day === undefined
      ? writingsOf(feature).some((one) => one.property === property && mayRun(name, one.command.name))
      : week && mayRun(name, week.command),
  );
  const [first, ...others] = written;
  if (!first) return { why: 'not_writable' };
  const isOne = first.day === undefined && others.length === 0;
  const at = [base, device, name] as const;
  const topic = isOne ? `${propertyTopic(...at, first.property)}/set` : featureTopic(...at, 'set');
  const payload = isOne ? { value: first.value } : Object.fromEntries(written.map(({ property, day = property, value }) => [day, value]));
  return { topic, payload: JSON.stringify(payload) };
};
