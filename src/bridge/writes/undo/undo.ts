import { DAYS, type Day } from '../../../schedule/week.ts';
import { writtenFrom } from '../../../schedule/writtenWeek.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Envelope } from '../../../topics/commandPayload.ts';
import { weekOn } from '../../../topics/featureState.ts';
import type { Scheduler } from '../../../topics/scheduleCommand.ts';
import type { WriteStore } from '../../ports.ts';
import { withValue } from '../../state/valueParts.ts';
import { type DeferredContent, refuse } from '../parse/evaluate.ts';
import { isSent, readWrite } from '../write/write.ts';
import type { Place, WriteLog } from '../write/writeLog.ts';
import { type FormerValue, newestTakeBack } from './takeBack.ts';

/** Within this time an equal id means the same message, delivered again after a broken connection. */
const SAME_MESSAGE_MS = 300_000;
/** Maximum number of a feature's writes that are searched for such a message. */
const MOST_LOOKED_AT = 30;

export type ScheduleUndo = ReturnType<typeof scheduleUndo>;

/** The content that undoes the newest change of a schedule, for MQTT, hubs and the card. */
export const scheduleUndo = (writes: WriteLog, store: Pick<WriteStore, 'newest'>, clock: Pick<Clock, 'now'>) => {
  const wasTaken = (place: Place, id: string | number): boolean => {
    const earlier = store.newest(place, MOST_LOOKED_AT).flatMap((row) => readWrite(row) ?? []);
    return [...writes.sentOn(place), ...earlier.filter(isSent)]
      .filter((one) => one.undoes !== undefined && one.id === id && one.state !== 'failed')
      .some(({ at }) => Math.abs(clock.now() - at) <= SAME_MESSAGE_MS);
  };

  return (place: Place, { command, param }: Scheduler, id: Envelope['id']): DeferredContent => ({
    kind: 'deferred',
    purpose: 'undo',
    resolve: (shown) => {
      // A message that is delivered twice undoes only once.
      if (id !== undefined && wasTaken(place, id)) return { kind: 'unchanged' };
      const present = weekOn(shown);
      if (!present) return refuse('incomplete', NO_WEEK, true);
      const found = newestTakeBack(writes.sentOn(place), shown);
      if (!found) return { kind: 'unchanged' };
      const { group: undoes, values } = found;
      const names = daysOf(values.filter(({ isForeign }) => isForeign));
      if (names.length > 0) return refuse('conflict', changedElsewhere(names), true, { about: 'changed_elsewhere', names });
      const restored = values.reduce((left, { value, ...part }) => withValue(left, part, value), shown);
      const week = writtenFrom(weekOn(restored) ?? present, daysOf(values));
      return { command, content: { kind: 'week', param, week }, undoes };
    },
  });
};

const daysOf = (values: readonly FormerValue[]): readonly Day[] => {
  const days = values.map(({ day }) => day);
  return DAYS.filter((day) => days.includes(day));
};

const NO_WEEK = 'the platform shows no week now, so nothing can be undone';

const changedElsewhere = (days: readonly Day[]): string => {
  const which = `${days.join(', ')} ${days.length > 1 ? 'were' : 'was'}`;
  const why = `${which} changed elsewhere since the bridge's last change`;
  return `${why}, so it is not undone; write the days that you want`;
};
