/** A duration: calendar days, whose length depends on changes of the clock, plus exact time. */
export type Duration = { readonly days: number; readonly ms: number };

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const UNITS: readonly (readonly [words: readonly string[], ms: number])[] = [
  [['w', 'week', 'weeks', 'woche', 'wochen'], 7 * DAY_MS],
  [['d', 'day', 'days', 'tag', 'tage'], DAY_MS],
  [['h', 'hr', 'hrs', 'hour', 'hours', 'std', 'stunde', 'stunden'], HOUR_MS],
  [['m', 'min', 'mins', 'minute', 'minutes', 'minuten'], MINUTE_MS],
  [['s', 'sec', 'secs', 'second', 'seconds', 'sek', 'sekunde', 'sekunden'], SECOND_MS],
];

const UNIT_MS: ReadonlyMap<string, number> = new Map(UNITS.flatMap(([words, ms]) => words.map((word) => [word, ms] as const)));

// ISO 8601 without years and months, whose length varies. The other form uses its letters as units too.
const ISO = /^p(?:[\d.,]+w)?(?:[\d.,]+d)?(?:t(?:[\d.,]+h)?(?:[\d.,]+m)?(?:[\d.,]+s)?)?$/u;
const PART = /(\d+(?:[.,]\d+)?)\s*([a-z]+)\.?\s*/uy;

// Longer than any valid duration.
const LONGEST_TEXT = 60;

/** Reads `2h`, `90 min`, `1h30m`, `2 days`, or ISO 8601 (`PT90M`, `P1DT12H`); undefined for other texts. */
export const readDuration = (text: string): Duration | undefined => {
  const written = text.trim().toLowerCase();
  if (written.length > LONGEST_TEXT) return undefined;
  const plain = ISO.test(written) ? written.replaceAll(/[pt]/gu, '') : written;
  const seen = new Set<number>();
  let days = 0;
  let ms = 0;
  for (let at = 0; at < plain.length; ) {
    PART.lastIndex = at;
    const [whole = '', count = '', unit = ''] = PART.exec(plain) ?? [];
    const unitMs = UNIT_MS.get(unit);
    // Only known units, each at most once.
    if (unitMs === undefined || seen.has(unitMs)) return undefined;
    seen.add(unitMs);
    const number = Number(count.replace(',', '.'));
    if (unitMs >= DAY_MS && Number.isInteger(number)) days += (number * unitMs) / DAY_MS;
    else ms += number * unitMs;
    at += whole.length;
  }
  return seen.size > 0 ? { days, ms: Math.round(ms) } : undefined;
};
