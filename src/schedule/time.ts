/** Minutes of a day, and the last valid end: 24:00. */
export const DAY_MINUTES = 1440;

const TIME = /^(\d{1,2}):(\d{2})(?::00)?$/u;

/** Minutes since midnight of `H:MM`, `HH:MM` or `HH:MM:00`, up to 24:00; undefined for other texts. */
export const readTime = (text: string): number | undefined => {
  const [, hours, minutes] = TIME.exec(text) ?? [];
  if (hours === undefined || minutes === undefined || Number(minutes) > 59) return undefined;
  const total = Number(hours) * 60 + Number(minutes);
  return total <= DAY_MINUTES ? total : undefined;
};

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** `HH:MM` of minutes since midnight; 1440 is `24:00`. */
export const printTime = (minutes: number): string => `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;

/** As `printTime`; undefined for undefined. */
export const printKnownTime = (minutes: number | undefined): string | undefined => (minutes === undefined ? undefined : printTime(minutes));
