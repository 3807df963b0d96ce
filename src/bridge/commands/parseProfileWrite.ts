import { CUSTOM, type Profile } from '../../schedule/profile.ts';
import type { WrittenWeek } from '../../schedule/writtenWeek.ts';
import { nearestWords } from '../../shared/closestMatch.ts';
import { bad, broken, type Checked, good, listed, shown } from '../../shared/issue.ts';
import { besideValue, type Envelope, readEnveloped } from '../../topics/commandPayload.ts';
import { looksLikeJson } from '../../topics/weekPayload.ts';

/** The week of the profile that a payload names. `custom` is a week without days, which changes nothing. */
export const parseProfileWrite = (
  payload: string,
  profiles: readonly Profile[],
): Checked<{ readonly envelope: Envelope; readonly week: WrittenWeek }> => {
  const read = looksLikeJson(payload) ? readEnveloped(payload) : good({ envelope: {}, value: payload, at: '' });
  if (!read.ok) return read;
  const { envelope, value, at } = read.value;
  const strays = besideValue(read.value);
  if (strays.length > 0) return bad(...listed(strays));
  const name = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
  if (name === CUSTOM) return good({ envelope, week: NOTHING });
  const week = profiles.find((profile) => profile.name === name)?.week;
  if (week) return good({ envelope, week });
  const allowed = [...profiles.map((profile) => profile.name), CUSTOM];
  const known = profiles.length > 0 ? `there are ${allowed.join(', ')}` : 'the setting schedules.profiles names none';
  const nearest = nearestWords(String(value), allowed);
  return bad(broken('profile', at, `${shown(value)} is no profile; ${known}`, { got: value, allowed, nearest }));
};

const NOTHING: WrittenWeek = { days: new Map(), issues: [] };
