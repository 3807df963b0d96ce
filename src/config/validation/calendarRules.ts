import { readRule } from '../../schedule/calendar/rules.ts';
import { checkTextBy, shown, wrong } from './checks.ts';

/** A rule of `calendar.rules`. */
export const checkRule = checkTextBy((text) => {
  const read = readRule(text);
  return typeof read === 'string' ? wrong('calendar_rule', `${shown(text)} is no rule`, read) : [];
});
