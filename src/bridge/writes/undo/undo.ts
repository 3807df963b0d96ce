import type { Feature } from '../../../features/feature.ts';
import type { AnswerFacts } from '../../../language/answers/answersDe.ts';
import { readWeek } from '../../../schedule/readWeek.ts';
import { DAYS, type Week } from '../../../schedule/week.ts';
import { writtenFrom } from '../../../schedule/writtenWeek.ts';
import type { Clock } from '../../../shared/clock.ts';
import { schedulePropertyOf } from '../../../topics/featureState.ts';
import type { schedulerOf } from '../../../topics/scheduleCommand.ts';
import type { WriteStore } from '../../ports.ts';
import { type DeviceState, deviceKey } from '../../state/deviceState.ts';
import { withValue } from '../../state/valueParts.ts';
import type { DeferredContent } from '../parse/evaluate.ts';
import { isSent, readWrite } from '../write/write.ts';
import type { Place, WriteLog } from '../write/writeLog.ts';
import { newestTakeBack } from './takeBack.ts';

type Scheduler = NonNullable<ReturnType<typeof schedulerOf>>;

/** Within this time the same id is the same message: a message may come again after a broken connection. Some flows always send one id. */
const SAME_MESSAGE_MS = 300_000;
/** Writes to a feature among which such a message is looked for. */
const MOST_LOOKED_AT = 30;

export type ScheduleUndo = ReturnType<typeof scheduleUndo>;

/** The undo by MQTT, button and card: the content of a write that takes back the newest change of a schedule. */
export const scheduleUndo = (writes: WriteLog, store: Pick<WriteStore, 'newest'>, clock: Pick<Clock, 'now'>) => {
  const wasTaken = (place: Place, id: string | number): boolean => {
    const now = clock.now();
    const earlier = store.newest(place, MOST_LOOKED_AT).flatMap((row) => readWrite(row) ?? []);
    return [...writes.sentOn(place), ...earlier.filter(isSent)].some(
      (one) => one.undoes !== undefined && one.id === id && one.state !== 'failed' && Math.abs(now - one.at) <= SAME_MESSAGE_MS,
    );
  };

  return (state: DeviceState, feature: string, { command, param }: Scheduler, id?: string | number): DeferredContent => {
    const place = { device: deviceKey(state.device), feature };
    return {
      kind: 'deferred',
      resolve: (shown) => {
        // A message that is delivered twice is one undo.
        if (id !== undefined && wasTaken(place, id)) return { kind: 'unchanged' };
        if (!weekOn(shown)) return reject('incomplete', 'the platform shows no week now, so nothing can be taken back');
        const change = newestTakeBack(writes.sentOn(place), shown);
        const week = change && weekOn(change.values.reduce((left, { value, ...part }) => withValue(left, part, value), shown));
        if (!week) return { kind: 'unchanged' };
        const days = DAYS.filter((day) => change.values.some((one) => one.day === day));
        const foreign = days.filter((day) => change.values.some((one) => one.day === day && one.isForeign));
        if (foreign.length === 0) return { command, content: { kind: 'week', param, week: writtenFrom(week, days) }, undoes: change.group };
        const which = `${foreign.join(', ')} ${foreign.length > 1 ? 'were' : 'was'}`;
        return reject(
          'conflict',
          `${which} changed elsewhere since the bridge's last change, which is not taken back therefore; write the days that you want`,
          { about: 'changed_elsewhere', names: foreign },
        );
      },
    };
  };
};

const reject = (code: 'conflict' | 'incomplete', message: string, facts?: AnswerFacts) =>
  ({ kind: 'reject', code, message, mayAge: true, ...(facts ? { facts } : {}) }) as const;

const weekOn = (feature: Feature): Week | undefined => {
  const read = readWeek(feature.properties.get(schedulePropertyOf(feature) ?? '')?.value);
  return read.ok ? read.value : undefined;
};
