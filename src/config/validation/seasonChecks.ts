import { readSeasonSetting } from '../../schedule/seasons/seasonSetting.ts';
import { checkTextBy, shown, wrong } from './checks.ts';

/** An entry of `schedules.seasons`. */
export const checkSeason = checkTextBy((text) => {
  const read = readSeasonSetting(text);
  return typeof read === 'string' ? wrong('season', `${shown(text)} is no schedule with its seasons`, read) : [];
});
