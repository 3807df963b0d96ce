import type { Feature } from '../../../features/feature.ts';
import type { AnswerFacts } from '../../../language/answers/answersDe.ts';
import { readDay, readWeek } from '../../../schedule/readWeek.ts';
import { DAYS, type Day, type Entry, sameDay, type Week, weekOf } from '../../../schedule/week.ts';
import { writtenFrom } from '../../../schedule/writtenWeek.ts';
import type { Clock } from '../../../shared/clock.ts';
import { schedulePropertyOf } from '../../../topics/featureState.ts';
import type { schedulerOf } from '../../../topics/scheduleCommand.ts';
import type { WriteStore } from '../../ports.ts';
import { type DeviceState, deviceKey } from '../../state/deviceState.ts';
import type { DeferredContent } from '../parse/evaluate.ts';
import { groupOf, isSent, readWrite, type SentWrite } from '../write/write.ts';
import type { Place, WriteLog } from '../write/writeLog.ts';

type Scheduler = NonNullable<ReturnType<typeof schedulerOf>>;

type Days = { readonly [D in Day]?: readonly Entry[] };

/** What a command changed of a week, without the temporary writes that lay over it. `isPossible`: it is not known whether it was carried out. */
type Change = { readonly group: number; readonly before: Days; readonly after: Days; readonly isPossible: boolean };

/** Within this time the same id counts as the same message: a message may come again after a broken connection. Some flows always send one id. */
const SAME_MESSAGE_MS = 300_000;
/** Writes to a feature among which such a message is looked for. */
const MOST_LOOKED_AT = 30;

export type Undo = ReturnType<typeof undoOfSchedules>;

/** Takes back what commands changed of schedules, the newest change first: a query over the writes. */
export const undoOfSchedules = (writes: WriteLog, store: Pick<WriteStore, 'newest'>, clock: Pick<Clock, 'now'>) => {
  /** The change that each undo takes back, as it was last resolved. */
  const taking = new WeakMap<DeferredContent, number>();

  const wasTaken = (place: Place, id: string | number): boolean => {
    const now = clock.now();
    const earlier = store.newest(place, MOST_LOOKED_AT).flatMap((row) => readWrite(row) ?? []);
    return [...writes.sentOn(place), ...earlier.filter(isSent)].some(
      (one) => one.undoes !== undefined && one.id === id && one.state !== 'failed' && Math.abs(now - one.at) <= SAME_MESSAGE_MS,
    );
  };

  return {
    /** The content of a write that reverts the last change of the schedule that is still shown. */
    revertLast: (state: DeviceState, feature: string, { command, param }: Scheduler, id: string | number | undefined): DeferredContent => {
      const place = { device: deviceKey(state.device), feature };
      const content: DeferredContent = {
        kind: 'deferred',
        resolve: (shown) => {
          // A message that is delivered twice is one undo.
          if (id !== undefined && wasTaken(place, id)) return { kind: 'unchanged' };
          const present = weekShown(shown);
          if (!present) return reject('incomplete', 'the platform shows no week now, so nothing can be taken back');
          const change = changesOf(writes.sentOn(place)).findLast((one) => stands(one, present));
          if (!change) return { kind: 'unchanged' };
          const days = standing(change.before, present);
          const foreign = days.filter((day) => !sameDay(present[day], change.after[day] ?? []));
          if (foreign.length > 0) {
            const which = `${foreign.join(', ')} ${foreign.length > 1 ? 'were' : 'was'}`;
            return reject(
              'conflict',
              `${which} changed elsewhere since the bridge's last change, which is not taken back therefore; write the days that you want`,
              { about: 'changed_elsewhere', names: foreign },
            );
          }
          taking.set(content, change.group);
          const week = weekOf((day) => change.before[day] ?? present[day]);
          return { command, content: { kind: 'week', param, week: writtenFrom(week, days) } };
        },
      };
      return content;
    },

    /** The group of writes that this undo takes back. */
    takenBy: (content: DeferredContent): number | undefined => taking.get(content),
  };
};

/** What can be taken back on a feature, the newest last. */
const changesOf = (writes: readonly SentWrite[]): readonly Change[] =>
  [
    ...Map.groupBy(
      writes.filter(({ isUndoable }) => isUndoable),
      groupOf,
    ),
  ].map(([group, all]) => {
    const parts = all.flatMap(({ change = [] }) => change);
    const days = (which: (part: (typeof parts)[number]) => unknown): Days =>
      Object.fromEntries(
        parts.flatMap((part) => {
          const entries = readDay(which(part));
          return part.day && part.former !== undefined && entries.ok ? [[part.day, entries.value]] : [];
        }),
      );
    return {
      group,
      before: days(({ former, lasting }) => lasting ?? former),
      after: days(({ written }) => written),
      isPossible: all.some(({ isPossible }) => isPossible),
    };
  });

const reject = (code: 'conflict' | 'incomplete', message: string, facts?: AnswerFacts) =>
  ({ kind: 'reject', code, message, mayAge: true, ...(facts ? { facts } : {}) }) as const;

const weekShown = (feature: Feature): Week | undefined => {
  const read = readWeek(feature.properties.get(schedulePropertyOf(feature) ?? '')?.value);
  return read.ok ? read.value : undefined;
};

/** The days of a change that do not show the former entries. */
const standing = (before: Days, present: Week): readonly Day[] =>
  DAYS.filter((day) => {
    const was = before[day];
    return was !== undefined && !sameDay(present[day], was);
  });

/** True where a part of the change can be reverted; a possible change has to be shown completely. */
const stands = ({ before, after, isPossible }: Change, present: Week): boolean => {
  const days = standing(before, present);
  return days.length > 0 && (!isPossible || days.every((day) => sameDay(present[day], after[day] ?? [])));
};
