import type { Language } from '../language.ts';
import { VERSION_WORDS } from './versionWords.ts';

/** The reader's number and time formats. */
type Formats = { readonly degrees: (celsius: number) => string; readonly moment: (rfc3339: string) => string };

/** The current and next season of a schedule, from `bridge/seasons`. */
export const seasonText = (
  { season, next, next_at: nextAt, mean, limit, waits }: Readonly<Record<string, unknown>>,
  language: Language,
  { degrees, moment }: Formats,
): string => {
  const w = VERSION_WORDS[language];
  // Before the first season, there is no text.
  const now = w.season[String(season)];
  const parts = [
    w.follows,
    ...(now === undefined ? [] : [w.seasonNow(now)]),
    ...(typeof mean === 'number' && typeof limit === 'number' ? [w.seasonMean(degrees(mean), degrees(limit))] : []),
    ...(typeof next === 'string' && typeof nextAt === 'string' ? [w.seasonNext(w.season[next] ?? next, moment(nextAt))] : []),
    ...(typeof waits === 'string' ? [w.seasonWaits[waits] ?? waits] : []),
  ];
  return `${parts.join('; ')}.`;
};
