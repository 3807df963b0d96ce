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

// ISO 8601 without years and months, whose length varies.
const ISO =
  /^p(?:(?<w>\d+(?:[.,]\d+)?)w)?(?:(?<d>\d+(?:[.,]\d+)?)d)?(?:t(?:(?<h>\d+(?:[.,]\d+)?)h)?(?:(?<m>\d+(?:[.,]\d+)?)m)?(?:(?<s>\d+(?:[.,]\d+)?)s)?)?$/u;
const PART = /(\d+(?:[.,]\d+)?)\s*([a-z]+)\.?\s*/uy;

// Longer than any valid duration.
const LONGEST_TEXT = 60;

type Part = readonly [count: string, unit: string];

/** Reads a duration such as `2h`, `90 min`, `1h30m`, `2 days`, or ISO 8601 (`PT90M`, `P1DT12H`); undefined if the text is none. */
export const readDuration = (text: string): Duration | undefined => {
  const plain = text.trim().toLowerCase();
  if (plain.length > LONGEST_TEXT) return undefined;
  const parts = isoParts(plain) ?? wordParts(plain);
  return parts.length > 0 ? sum(parts) : undefined;
};

const isoParts = (text: string): readonly Part[] | undefined => {
  const groups = ISO.exec(text)?.groups;
  return groups && Object.entries(groups).flatMap(([unit, count]): readonly Part[] => (count === undefined ? [] : [[count, unit]]));
};

const wordParts = (text: string): readonly Part[] => {
  const parts: Part[] = [];
  for (let at = 0; at < text.length; ) {
    PART.lastIndex = at;
    const [whole, count, unit] = PART.exec(text) ?? [];
    // Only known units, each at most once.
    if (whole === undefined || count === undefined || unit === undefined || !UNIT_MS.has(unit)) return [];
    if (parts.some(([, other]) => UNIT_MS.get(other) === UNIT_MS.get(unit))) return [];
    parts.push([count, unit]);
    at += whole.length;
  }
  return parts;
};

const sum = (parts: readonly Part[]): Duration => {
  let days = 0;
  let ms = 0;
  for (const [count, unit] of parts) {
    const number = Number(count.replace(',', '.'));
    const unitMs = UNIT_MS.get(unit) ?? 0;
    if (unitMs >= DAY_MS && Number.isInteger(number)) days += (number * unitMs) / DAY_MS;
    else ms += number * unitMs;
  }
  return { days, ms: Math.round(ms) };
};
