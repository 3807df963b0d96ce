import ICAL from 'ical.js';

type Block = { readonly block: string; readonly kind: string };

/** One without an end spoils no other: it is cut off where the next one begins. */
const BLOCK = /^BEGIN:(VEVENT|VTIMEZONE)$[\s\S]*?(?:^END:\1$|(?=^BEGIN:(?:VEVENT|VTIMEZONE)$)|(?![\s\S]))/gimu;

/** The lines of a calendar file, of which each is a property, and those of its events and zones. */
export const blocksOf = (file: string): { readonly text: string; readonly blocks: readonly Block[] } => {
  // A program may fold a line anywhere, in a date too.
  const text = file.replaceAll(/\r\n?/gu, '\n').replaceAll(/\n[ \t]/gu, '');
  return { text, blocks: [...text.matchAll(BLOCK)].map(([block, kind = '']) => ({ block, kind })) };
};

/**
 * What is read of an event. One odd line would spoil it, as programs write them of people, for texts of several lines (kewisch/ical.js#1015), and
 * without a value where there is none (`RRULE:`, `EXDATE;TZID=Europe/Berlin:`).
 */
const USED =
  /^(?:(?:BEGIN|END):[A-Z-]+|(?:UID|SUMMARY|STATUS)[;:].*|(?:DTSTART|DTEND|DURATION|RRULE|RDATE|EXDATE|RECURRENCE-ID)[;:].*[^:\n])$/gimu;

/** Days that do not say so (`DTSTART:20261024`), as calendars of waste collectors have them. */
const UNTYPED_DAYS = /^((?:DTSTART|DTEND|RDATE|EXDATE|RECURRENCE-ID)(?![^:\n]*VALUE=)(?:;[^:\n]*)?):(?=\d{8}(?:,\d{8})*$)/gimu;

/** Undefined where the lines make no such component. */
export const componentOf = (block: string, name: 'vevent' | 'vtimezone'): ICAL.Component | undefined => {
  // Exchange writes the name of this zone without the quotes that its colon needs.
  const lines = name === 'vevent' ? (block.match(USED) ?? []).join('\n') : block;
  const listed = lines.replaceAll(/^((?:EXDATE|RDATE).*),$/gimu, '$1');
  const typed = listed.replaceAll(UNTYPED_DAYS, '$1;VALUE=DATE:').replaceAll(/;TZID=tzone:\/\/Microsoft\/Utc:/giu, ';TZID=UTC:');
  try {
    return new ICAL.Component(ICAL.parse(`BEGIN:VCALENDAR\n${typed}\nEND:VCALENDAR`)).getFirstSubcomponent(name) ?? undefined;
  } catch {
    return undefined;
  }
};
