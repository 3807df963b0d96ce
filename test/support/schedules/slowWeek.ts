/** What a week asks for, found minute by minute with the machine's own formatting of times: nothing is taken from the code that is tested. */

export const MINUTE_MS = 60_000;

type SlowEntry = { readonly start: string; readonly end: string; readonly mode: string; readonly position: number };
type SlowWeek = Readonly<Record<string, readonly SlowEntry[] | undefined>>;

const formats = new Map<string, Intl.DateTimeFormat>();

/** What a clock on the wall shows. */
export const wall = (ms: number, zone: string): { readonly weekday: string; readonly time: string } => {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-US', { timeZone: zone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  formats.set(zone, format);
  // "Mon 02:30"
  const text = format.format(ms);
  return { weekday: text.slice(0, 3).toLowerCase(), time: text.slice(-5) };
};

export const slowMode = (plan: SlowWeek, between: string | undefined, ms: number, zone: string): string | undefined => {
  const { weekday, time } = wall(ms, zone);
  let mode = between;
  let highest = -1;
  for (const entry of plan[weekday] ?? []) {
    if (entry.start <= time && time < entry.end && entry.position > highest) {
      mode = entry.mode;
      highest = entry.position;
    }
  }
  return mode;
};

/** The first change after `fromMs`, up to and with `untilMs`; undefined where there is none. */
export const slowNext = (
  plan: SlowWeek,
  between: string | undefined,
  fromMs: number,
  untilMs: number,
  zone: string,
): { readonly mode: string | undefined; readonly atMs: number } | undefined => {
  const present = slowMode(plan, between, fromMs, zone);
  for (let ms = Math.floor(fromMs / MINUTE_MS) * MINUTE_MS + MINUTE_MS; ms <= untilMs; ms += MINUTE_MS) {
    const mode = slowMode(plan, between, ms, zone);
    if (mode !== present) return { mode, atMs: ms };
  }
  return undefined;
};
