import type { WriteStore } from '../../ports.ts';
import type { DeviceState } from '../../state/deviceState.ts';
import { valuesOf } from '../write/change.ts';
import { isSent, readWrite, type SentWrite } from '../write/write.ts';
import { type UndoRules, undoOf } from './undoOfChange.ts';

const LONGEST_TOPIC = 400;
/** Of the 64 letters of a name each has two units at most. */
const LONGEST_USER = 128;

export type ChangeHistory = ReturnType<typeof changeHistory>;

/** What the bridge has changed in a year, for the page: who asked for it, when, the values before and after, and how it ended. */
export const changeHistory = (store: Pick<WriteStore, 'newest'>, states: ReadonlyMap<string, DeviceState>, rules: UndoRules) => {
  const shown = ({ key, at, feature, command, change, until, ...write }: SentWrite, outcome: NonNullable<SentWrite['outcome']>) => {
    const { name, topic, by = { kind: 'mqtt' } } = write;
    const state = states.get(write.device);
    const facts = {
      /** The names of the device in topics: now, and when the change was made. */
      device: state?.device.name ?? name,
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
    };
    return { ...facts, key, at: new Date(at).toISOString(), undo: undoOf(facts, state?.shown(feature), rules) };
  };

  return {
    /** The newest changes first; `before`: those with a smaller key. Devices are named as in topics. */
    newest: ({ before, device, feature }: { before?: number; device?: string; feature?: string }, most: number) => {
      const [key] = device === undefined ? [] : ([...states].find(([, state]) => state.device.name === device) ?? ['']);
      const which = { ...(before === undefined ? {} : { before }), ...(key === undefined ? {} : { device: key }) };
      return store.newest({ ...which, ...(feature === undefined ? {} : { feature }) }, most).flatMap((row) => {
        const write = readWrite(row);
        return write && isSent(write) && write.outcome ? [shown(write, write.outcome)] : [];
      });
    },
  };
};
