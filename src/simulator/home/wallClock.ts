/** The day keys of a week as the platform has them, Monday first. */
export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];

/** Local time. `dayNumber` counts local days since 1970-01-01, `month` is 1…12, `minute` counts from midnight. */
export type Wall = {
  readonly day: Day;
  readonly minute: number;
  readonly date: string;
  readonly dayNumber: number;
  readonly dayOfMonth: number;
  readonly month: number;
};

const DAY_MS = 86_400_000;

const offsetMs = (format: Intl.DateTimeFormat, epochMs: number): number => {
  const parts = new Map(format.formatToParts(epochMs).map((part) => [part.type, Number(part.value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return local - Math.floor(epochMs / 1000) * 1000;
};

/** The local time of a zone (IANA name; default: the machine's). The offset is computed every 15 minutes: zones change only then. */
export const wallClock = (timeZone?: string): ((epochMs: number) => Wall) => {
  const format = new Intl.DateTimeFormat('en-US', {
    ...(timeZone === undefined ? {} : { timeZone }),
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  let known = { quarter: Number.NaN, offset: 0 };
  return (epochMs) => {
    const quarter = Math.floor(epochMs / 900_000);
    if (quarter !== known.quarter) known = { quarter, offset: offsetMs(format, quarter * 900_000) };
    const local = new Date(epochMs + known.offset);
    return {
      day: DAYS[(local.getUTCDay() + 6) % 7] ?? 'mon',
      minute: local.getUTCHours() * 60 + local.getUTCMinutes(),
      date: local.toISOString().slice(0, 10),
      dayNumber: Math.floor(local.getTime() / DAY_MS),
      dayOfMonth: local.getUTCDate(),
      month: local.getUTCMonth() + 1,
    };
  };
};
