import type { Schedule } from '../model/schedules.ts';
import { mode, moment } from '../shell/format.ts';
import { words } from '../shell/words.ts';

/** "Normal until 17:00, then comfort"; `program` is the active program if the schedule is not in use. */
export const sentenceOf = ({ isActive, now, next, nextAt, constraints }: Schedule, program?: string): string => {
  const w = words.value;
  if (!isActive) return program === undefined ? w.scheduleOff : `${mode(program)}. ${w.scheduleOff}.`;
  if (next === undefined || nextAt === undefined) {
    if (now === undefined) return '';
    // If the mode between entries is unknown, no next mode is named.
    return constraints.defaultMode === undefined ? mode(now) : w.always(mode(now));
  }
  return now === undefined ? w.fromThen(moment(nextAt), mode(next)) : w.until(mode(now), moment(nextAt), mode(next));
};
