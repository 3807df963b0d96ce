import ICAL from 'ical.js';

type Block = { readonly block: string; readonly kind: string };

/** A block without an end stops at the next block, so it does not damage others. */
const BLOCK = /^BEGIN:(VEVENT|VTIMEZONE)$[\s\S]*?(?:^END:\1$|(?=^BEGIN:(?:VEVENT|VTIMEZONE)$)|(?![\s\S]))/gimu;

/** The unfolded lines of a calendar file, one property each, and the blocks of its events and zones. */
export const blocksOf = (file: string): { readonly text: string; readonly blocks: readonly Block[] } => {
  // A program may fold a line anywhere, even within a date.
  const text = file.replaceAll(/\r\n?/gu, '\n').replaceAll(/\n[ \t]/gu, '');
  const blocks = text.split(/^(?=BEGIN:VCALENDAR$)/imu).flatMap((calendar) => {
    const isCancelled = /^METHOD:CANCEL$/imu.test(calendar);
    return [...calendar.matchAll(BLOCK)].map(([block, kind = '']) => ({ block: isCancelled ? asCancelled(block) : block, kind }));
  });
  return { text, blocks };
};

/** `METHOD:CANCEL` cancels all events of its calendar, as in an invitation that was withdrawn. */
const asCancelled = (block: string): string =>
  block.replaceAll(/^STATUS[;:].*\n/gimu, '').replace(/^BEGIN:VEVENT$/imu, 'BEGIN:VEVENT\nSTATUS:CANCELLED');

/**
 * The used lines of an event. One invalid line would break the event. Programs write such lines for people
 * and for multi-line texts (kewisch/ical.js#1015), and without a value (`RRULE:`,
 * `EXDATE;TZID=Europe/Berlin:`).
 */
const USED =
  /^(?:(?:BEGIN|END):[A-Z-]+|(?:UID|SUMMARY|STATUS|SEQUENCE)[;:].*|(?:DTSTART|DTEND|DURATION|RRULE|EXRULE|RDATE|EXDATE|RECURRENCE-ID)[;:].*[^:\n])$/gimu;

/** Dates without VALUE=DATE (`DTSTART:20261024`), for example in waste collection calendars. */
const UNTYPED_DAYS = /^((?:DTSTART|DTEND|RDATE|EXDATE|RECURRENCE-ID)(?![^:\n]*VALUE=)(?:;[^:\n]*)?):(?=\d{8}(?:,\d{8})*$)/gimu;

/** The parsed component; undefined if the lines are not valid. */
export const componentOf = (block: string, name: 'vevent' | 'vtimezone'): ICAL.Component | undefined => {
  // Exchange writes this zone name without the quotes that its colon requires.
  const lines = name === 'vevent' ? (block.match(USED) ?? []).join('\n') : block;
  const listed = lines.replaceAll(/^((?:EXDATE|RDATE).*),$/gimu, '$1');
  const typed = listed.replaceAll(UNTYPED_DAYS, '$1;VALUE=DATE:').replaceAll(/;TZID=tzone:\/\/Microsoft\/Utc:/giu, ';TZID=UTC:');
  try {
    return new ICAL.Component(ICAL.parse(`BEGIN:VCALENDAR\n${typed}\nEND:VCALENDAR`)).getFirstSubcomponent(name) ?? undefined;
  } catch {
    return undefined;
  }
};
