/** The platform's day keys of a week, Monday first. */
export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];

/** Local time. `dayNumber`: local days since 1970-01-01, `month`: 1…12, `minute`: since midnight. */
export type Wall = {
  readonly day: Day;
  readonly minute: number;
  /** `06:05`. */
  readonly time: string;
  readonly date: string;
  readonly dayNumber: number;
  readonly dayOfMonth: number;
  readonly month: number;
};

const DAY_MS = 86_400_000;

/** The local time of a zone (IANA name; default: the machine's). */
export const wallClock = (timeZone?: string): ((epochMs: number) => Wall) => {
  // The Swedish locale has the formats `2026-11-28` and `06:05`.
  const format = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone });
  return (epochMs) => {
    const [date = '', time = ''] = format.format(epochMs).split(' ');
    const day = new Date(date);
    return {
      day: DAYS[(day.getUTCDay() + 6) % 7] ?? 'mon',
      minute: Number(time.slice(0, 2)) * 60 + Number(time.slice(3)),
      time,
      date,
      dayNumber: day.getTime() / DAY_MS,
      dayOfMonth: day.getUTCDate(),
      month: day.getUTCMonth() + 1,
    };
  };
};
