import { expect, test } from 'vitest';
import { readIcs } from '../../../src/calendar/readIcs.ts';
import { instantOf } from '../../../src/schedule/zone.ts';
import { WINDOWS_ZONE } from '../../support/calendar/windowsZone.ts';

const WINDOW = { fromMs: Date.parse('2026-10-20T00:00:00Z'), toMs: Date.parse('2026-11-03T00:00:00Z') };

const read = (text: string, window = WINDOW) =>
  readIcs(text.replaceAll('\n', '\r\n'), window, (local, zone) => {
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = local.split(/\D/u).map(Number);
    try {
      return instantOf({ year, month, day, hour, minute }, zone);
    } catch {
      return undefined;
    }
  });

const file = (...events: readonly string[]): string =>
  `BEGIN:VCALENDAR\nVERSION:2.0\n${events.map((one) => `BEGIN:VEVENT\n${one}\nEND:VEVENT\n`).join('')}END:VCALENDAR\n`;

/** As Outlook writes it: a zone by a name of Windows, with its rules in the file. */
const WINDOWS = `BEGIN:VCALENDAR
${WINDOWS_ZONE}
BEGIN:VEVENT
UID:1
SUMMARY:Away
DTSTART;TZID=W. Europe Standard Time:20261024T070000
DTEND;TZID=W. Europe Standard Time:20261024T080000
RRULE:FREQ=DAILY;COUNT=3
END:VEVENT
END:VCALENDAR
`;

test.each([
  ['whole days', file('SUMMARY:Away\nDTSTART;VALUE=DATE:20261024\nDTEND;VALUE=DATE:20261027'), ['2026-10-24 2026-10-27']],
  ['one day without an end', file('SUMMARY:Away\nDTSTART;VALUE=DATE:20261024'), ['2026-10-24 2026-10-25']],
  ['a duration', file('SUMMARY:Away\nDTSTART:20261024T100000Z\nDURATION:PT90M'), ['2026-10-24T10:00:00.000Z 2026-10-24T11:30:00.000Z']],
  ['no zone', file('SUMMARY:Away\nDTSTART:20261024T100000\nDTEND:20261024T110000'), ['2026-10-24T10:00:00 2026-10-24T11:00:00']],
  [
    'a zone, over the change of the clock',
    file('SUMMARY:Away\nDTSTART;TZID=Europe/Berlin:20261024T070000\nDTEND;TZID=Europe/Berlin:20261024T080000\nRRULE:FREQ=DAILY;COUNT=2'),
    ['2026-10-24T05:00:00.000Z 2026-10-24T06:00:00.000Z', '2026-10-25T06:00:00.000Z 2026-10-25T07:00:00.000Z'],
  ],
  [
    'a zone of Windows',
    WINDOWS,
    [
      '2026-10-24T05:00:00.000Z 2026-10-24T06:00:00.000Z',
      '2026-10-25T06:00:00.000Z 2026-10-25T07:00:00.000Z',
      '2026-10-26T06:00:00.000Z 2026-10-26T07:00:00.000Z',
    ],
  ],
  [
    'exceptions: one left out, one moved, one cancelled',
    file(
      'UID:7\nSUMMARY:Away\nDTSTART:20261021T100000Z\nDTEND:20261021T110000Z\nRRULE:FREQ=DAILY;COUNT=4\nEXDATE:20261022T100000Z',
      'UID:7\nRECURRENCE-ID:20261023T100000Z\nSUMMARY:Away\nDTSTART:20261023T150000Z\nDTEND:20261023T160000Z',
      'UID:7\nRECURRENCE-ID:20261024T100000Z\nSTATUS:CANCELLED\nSUMMARY:Away\nDTSTART:20261024T100000Z\nDTEND:20261024T110000Z',
    ),
    ['2026-10-21T10:00:00.000Z 2026-10-21T11:00:00.000Z', '2026-10-23T15:00:00.000Z 2026-10-23T16:00:00.000Z'],
  ],
  ['what is far', file('SUMMARY:Away\nDTSTART:20250101T100000Z\nDTEND:20250101T110000Z', 'SUMMARY:Away\nDTSTART;VALUE=DATE:20300101'), []],
])('%s', (_, text, events) => {
  const { events: found, skipped } = read(text);
  expect([found.map(({ start, end }) => `${start} ${end}`), skipped]).toEqual([events, 0]);
  expect(found.every(({ title }) => title === 'Away')).toBe(true);
});

/** The zone by its name, and by the rules of the file. */
const ZONES = [
  ['Europe/Berlin', ''],
  ['W. Europe Standard Time', WINDOWS.slice(WINDOWS.indexOf('BEGIN:VTIMEZONE'), WINDOWS.indexOf('BEGIN:VEVENT'))],
] as const;
const inUtc = (day: number, hour: number) => `2026-10-${day}T${hour}:00:00.000Z 2026-10-${day}T${hour + 1}:00:00.000Z`;

test.each([
  ['its last event', ';UNTIL=20261026T170000Z', '', [inUtc(24, 16), inUtc(25, 17), inUtc(26, 17)]],
  ['an event left out', ';COUNT=3', 'EXDATE:20261024T160000Z,20261025T170000Z\n', [inUtc(26, 17)]],
  [
    'an event moved',
    ';COUNT=2',
    'END:VEVENT\nBEGIN:VEVENT\nUID:7\nRECURRENCE-ID:20261025T170000Z\nSUMMARY:Away\nDTSTART:20261025T200000Z\nDTEND:20261025T210000Z\n',
    [inUtc(24, 16), inUtc(25, 20)],
  ],
])('a series of local times names in UTC %s', (_, rule, rest, events) => {
  for (const [zone, block] of ZONES) {
    const series = `UID:7\nSUMMARY:Away\nDTSTART;TZID=${zone}:20261024T180000\nDTEND;TZID=${zone}:20261024T190000\nRRULE:FREQ=DAILY${rule}`;
    const { events: found, skipped } = read(file(`${series}\n${rest}X-A:b`).replace('VERSION:2.0\n', `VERSION:2.0\n${block}`));
    expect([found.map(({ start, end }) => `${start} ${end}`), skipped]).toEqual([events, 0]);
  }
});

const daily = (start: string): string => `UID:7\nSUMMARY:Away\nDTSTART${start}\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=4`;
const IN_UTC = daily(':20261021T090000Z');
const IN_BERLIN = daily(';TZID=Europe/Berlin:20261021T110000');
const [BERLIN, LONDON] = [';TZID=Europe/Berlin:', ';TZID=Europe/London:'];

test.each([
  ['of a zone, where it starts in UTC', IN_UTC, `EXDATE${BERLIN}20261022T110000,20261023T110000`],
  ['of another zone', IN_BERLIN, `EXDATE${LONDON}20261022T100000,20261023T100000`],
  ['of no zone', IN_BERLIN, 'EXDATE:20261022T110000,20261023T110000'],
  ['behind such that fit no event', IN_BERLIN, `EXDATE${BERLIN}20261021T120000,20261022T100000,20261022T110000,20261023T110000`],
  ['that are told twice', IN_BERLIN, `EXDATE${BERLIN}20261022T110000\nEXDATE${BERLIN}20261022T110000,20261023T110000`],
  ['that are days', IN_BERLIN, 'EXDATE;VALUE=DATE:20261022,20261023'],
])('a series leaves out times %s', (_, series, exdate) => {
  const { events, skipped } = read(file(`${series}\n${exdate}`));
  expect([events.map(({ start }) => start), skipped]).toEqual([['2026-10-21T09:00:00.000Z', '2026-10-24T09:00:00.000Z'], 0]);
});

test.each([
  [IN_UTC, 3],
  [IN_BERLIN, 3],
  [daily(';VALUE=DATE:20261021').replace('PT1H', 'P1D'), 3],
])('a series up to a day has that day: %s', (series, count) => {
  expect(read(file(series.replace('COUNT=4', 'UNTIL=20261023'))).events).toHaveLength(count);
});

test('of a series in UTC a zone may tell which event was moved, and a further date', () => {
  const moved = `UID:7\nRECURRENCE-ID${BERLIN}20261022T110000\nSUMMARY:Away\nDTSTART:20261022T150000Z\nDURATION:PT1H`;
  const { events } = read(file(`${IN_UTC.replace('COUNT=4', 'COUNT=2')}\nRDATE${BERLIN}20261026T110000`, moved));
  expect(events.map(({ start }) => start)).toEqual(['2026-10-21T09:00:00.000Z', '2026-10-22T15:00:00.000Z', '2026-10-26T10:00:00.000Z']);
});

test.each([
  ['20270328T030000', '20270328T010000Z', 27],
  ['20271031T023000', '20271031T003000Z', 30],
])('a series of a zone names in UTC what is at a change of the clock: %s', (local, instant, dayBefore) => {
  const [day, time] = [Number(local.slice(6, 8)), local.slice(8)];
  const series = `UID:7\nSUMMARY:Away\nDTSTART${BERLIN}${local.slice(0, 6)}${dayBefore}${time}\nDURATION:PT1H\nRRULE:FREQ=DAILY`;
  const atMs = Date.parse(`${local.slice(0, 4)}-${local.slice(4, 6)}-${day}T00:00:00Z`);
  const starts = (...all: readonly string[]) =>
    read(file(...all), { fromMs: atMs - 3 * 86_400_000, toMs: atMs + 3 * 86_400_000 }).events.map(({ start }) => start);
  expect(starts(`${series};UNTIL=${instant}`)).toHaveLength(2);
  const moved = `UID:7\nRECURRENCE-ID:${instant}\nSUMMARY:Away\nDTSTART:${instant.replace('T0', 'T1')}\nDURATION:PT1H`;
  expect(starts(`${series};COUNT=2`, moved).map((start) => start.slice(11, 13))).toEqual([
    expect.stringMatching(/^0/u),
    instant.slice(9, 11).replace('0', '1'),
  ]);
});

test('a series whose end is in another zone is as long over a change of the clock', () => {
  const series = `DTSTART${BERLIN}20261024T110000\nRRULE:FREQ=DAILY;COUNT=2`;
  for (const end of ['DTEND:20261024T100000Z', 'DTEND;TZID=America/New_York:20261024T060000']) {
    const { events } = read(file(`${series}\n${end}`));
    expect(events.map((one) => one.end)).toEqual(['2026-10-24T10:00:00.000Z', '2026-10-25T11:00:00.000Z']);
    const changed = `UID:7\nRECURRENCE-ID;RANGE=THISANDFUTURE${BERLIN}20261024T110000\nDTSTART${BERLIN}20261024T103000\n${end}`;
    const { events: ranged } = read(file(`UID:7\n${series}\nDURATION:PT1H`, changed));
    expect(ranged.map((one) => one.end)).toEqual(['2026-10-24T10:00:00.000Z', '2026-10-25T11:00:00.000Z']);
  }
});

test.each([
  ['a day by its midnight, as Exchange does', ';VALUE=DATE:20261021', `${BERLIN}20261022T000000`, ';VALUE=DATE:20261030', '2026-10-30'],
  ['a day by its midnight in UTC', ';VALUE=DATE:20261021', ':20261021T220000Z', ';VALUE=DATE:20261030', '2026-10-30'],
  ['a time by its day', `${BERLIN}20261021T110000`, ';VALUE=DATE:20261022', `${BERLIN}20261030T110000`, '2026-10-30T10:00:00.000Z'],
  ['a time in UTC by its day', ':20261021T090000Z', ';VALUE=DATE:20261022', ':20261030T100000Z', '2026-10-30T10:00:00.000Z'],
])('what was moved of a series may name %s', (_, start, which, to, moved) => {
  const one = `UID:7\nRECURRENCE-ID${which}\nSUMMARY:Away\nDTSTART${to}`;
  const length = to.startsWith(';VALUE') ? 'P1D' : 'PT1H';
  const { events } = read(file(daily(start).replace('COUNT=4', 'COUNT=2').replace('PT1H', length), `${one}\nDURATION:${length}`));
  expect(events.map((event) => event.start)).toEqual([expect.stringMatching(/^2026-10-21/u), moved]);
});

test.each(['20261021T220000Z', '20261022T000000Z', '20261022T070000Z'])(
  'of a series of days a midnight of any zone, in UTC, is that day: %s',
  (midnight) => {
    const days = daily(';VALUE=DATE:20261021').replace('PT1H', 'P1D');
    const starts = (text: string) => read(file(text)).events.map(({ start }) => start);
    expect(starts(`${days}\nEXDATE:${midnight}`)).toEqual(['2026-10-21', '2026-10-23', '2026-10-24']);
    expect(starts(days.replace('COUNT=4', `UNTIL=${midnight}`))).toEqual(['2026-10-21', '2026-10-22']);
    expect(starts(days.replace('COUNT=4', 'UNTIL=20261022T215959Z'))).toEqual(['2026-10-21', '2026-10-22']);
  },
);

test('an event that was moved here from weeks ahead comes', () => {
  const monthly = daily(`${BERLIN}20260130T110000`).replace('DAILY;COUNT=4', 'MONTHLY;BYMONTHDAY=30');
  const moved = `UID:7\nRECURRENCE-ID${BERLIN}20261230T110000\nSUMMARY:Away\nDTSTART${BERLIN}20261025T110000\nDURATION:PT1H`;
  const { events } = read(file(monthly, moved));
  expect(events.map(({ start }) => start)).toEqual(['2026-10-25T10:00:00.000Z', '2026-10-30T10:00:00.000Z']);
});

test('what was changed of a series comes where the series has no such event any more', () => {
  const changed = `UID:7\nRECURRENCE-ID${BERLIN}20261030T110000\nSUMMARY:Away\nDTSTART${BERLIN}20261030T120000\nDURATION:PT1H`;
  const { events } = read(file(IN_BERLIN, changed));
  expect(events.map(({ start }) => start).slice(3)).toEqual(['2026-10-24T09:00:00.000Z', '2026-10-30T11:00:00.000Z']);
  expect(read(file(`${IN_BERLIN}\nEXDATE${BERLIN}20261030T110000`, changed)).events).toHaveLength(4);
});

test('a series of dates begins with its start', () => {
  const dates = 'UID:7\nDTSTART;TZID=Europe/Berlin:20261024T180000\nDURATION:PT1H\nRDATE:20261026T170000Z';
  for (const more of ['', '\nRDATE;TZID=Europe/Berlin:20261024T180000'])
    expect(read(file(dates + more)).events.map(({ start, end }) => `${start} ${end}`)).toEqual([inUtc(24, 16), inUtc(26, 17)]);
  const byDay = read(file(dates.replace(/RDATE.*/u, 'RDATE;VALUE=DATE:20261026')));
  expect(byDay.events.map(({ start, end }) => `${start} ${end}`)).toEqual([inUtc(24, 16), inUtc(26, 17)]);
});

test('of a series of years with an exception, only what is near or was moved takes a moment in its zone', () => {
  const zone = ';TZID=Europe/Berlin:';
  const old = (id: string, range: string) =>
    `UID:7\nRECURRENCE-ID${range}${zone}${id}\nSUMMARY:Away\nDTSTART${zone}20261025T200000\nDTEND${zone}20261025T210000`;
  const series = `UID:7\nSUMMARY:Away\nDTSTART${zone}20190101T180000\nDTEND${zone}20190101T190000\nRRULE:FREQ=DAILY`;
  let moments = 0;
  const { events } = readIcs(file(series, old('20190201T180000', '')).replaceAll('\n', '\r\n'), WINDOW, (local) => {
    moments += 1;
    return Date.parse(`${local}Z`);
  });
  expect(events.filter(({ start }) => start === '2026-10-25T20:00:00.000Z')).toHaveLength(1);
  expect(events).toHaveLength(17);
  expect(moments).toBeLessThan(100);
  // Moved by years, with all that come after it.
  const { events: ranged } = read(file(series, old('20190201T180000', ';RANGE=THISANDFUTURE').replaceAll('202610', '201910')));
  expect(ranged.some(({ start }) => start === '2026-10-25T19:00:00.000Z')).toBe(true);
});

test('an odd event spoils only itself, and odd lines beside it nothing', () => {
  const good = 'SUMMARY:Away\nDTSTART;VALUE=DATE:20261024\nX-Link1:x';
  const text = file('SUMMARY:odd\nthis is no line', good, 'SUMMARY:no start').replace(
    'VERSION:2.0',
    'REFRESH-INTERVAL:VALUE=DURATION:PT1H\nno line',
  );
  expect(read(text)).toEqual({ events: [{ title: 'Away', start: '2026-10-24', end: '2026-10-25' }], skipped: 2 });
});

test.each([
  ['a comment of two lines', 'ATTENDEE;CN=Bo;X-RESPONSE-COMMENT="see you\nthen":mailto:bo@example.com'],
  ['a person without an address', 'ORGANIZER;CN="Bo Li"'],
  ['no rule', 'RRULE:'],
  ['no exception', 'EXDATE;TZID=Europe/Berlin:'],
  ['a list with a comma at its end', 'EXDATE;VALUE=DATE:20261025,'],
  ['a text of several lines', 'DESCRIPTION:Hello\n\nBegin: 10:00\nEnd: 12:00\nno colon'],
])('an odd line beside what is read spoils nothing: %s', (_, line) => {
  const text = file(`SUMMARY:Away\n${line}\nDTSTART;VALUE=DATE:20261024\nBEGIN:VALARM\nSUMMARY:no\n${line}\nEND:VALARM`);
  expect(read(text)).toEqual({ events: [{ title: 'Away', start: '2026-10-24', end: '2026-10-25' }], skipped: 0 });
});

test('an event without its end, or cut off with the file, spoils no other', () => {
  const good = file('SUMMARY:Away\nDTSTART;VALUE=DATE:20261024');
  const read1 = { events: [{ title: 'Away', start: '2026-10-24', end: '2026-10-25' }], skipped: 1 };
  expect(read(good.replace('BEGIN:VEVENT', 'BEGIN:VEVENT\nSUMMARY:odd\nDTSTART;VALUE=DATE:20261024\nBEGIN:VEVENT'))).toEqual(read1);
  expect(read(good.replace('END:VCALENDAR\n', 'BEGIN:VEVENT\nSUMMARY:odd\nDTSTART;VALUE=DATE:202610'))).toEqual(read1);
});

test('a time in UTC is that also where the name of a zone stands beside it', () => {
  const event = daily(`${BERLIN}20261021T090000Z`).replace('COUNT=4', 'UNTIL=20261023T090000Z');
  const moved = `UID:7\nRECURRENCE-ID${BERLIN}20261022T090000Z\nSUMMARY:Away\nDTSTART${BERLIN}20261022T160000Z\nDTEND${BERLIN}20261022T170000Z`;
  const { events } = read(file(`${event}\nEXDATE${BERLIN}20261023T090000Z`, moved));
  expect(events.map(({ start }) => start)).toEqual(['2026-10-21T09:00:00.000Z', '2026-10-22T16:00:00.000Z']);
});

test.each([
  ['20261025T023000', '2026-10-25T00:30:00.000Z'],
  ['20261025T030000', '2026-10-25T02:00:00.000Z'],
  ['20270328T023000', '2027-03-28T01:30:00.000Z'],
  ['20270328T030000', '2027-03-28T01:00:00.000Z'],
])('of a zone in the file, around a change of the clock: %s', (local, instant) => {
  const event = file(`SUMMARY:Away\nDTSTART;TZID=W. Europe Standard Time:${local}\nDURATION:PT2H`).replace('VERSION:2.0', WINDOWS_ZONE);
  const atMs = Date.parse(instant);
  const { events } = read(event, { fromMs: atMs - 86_400_000, toMs: atMs + 86_400_000 });
  expect(events.map(({ start }) => start)).toEqual([instant]);
});

test.each([
  ['', '2026-10-24T10:00:00'],
  ['\nX-WR-TIMEZONE:America/New_York', '2026-10-24T14:00:00.000Z'],
  ['\nX-WR-TIMEZONE:W. Europe Standard Time', '2026-10-24T10:00:00'],
])('a name of Windows without its zone is the zone of the file, else of the schedule:%s', (zone, start) => {
  const event = file('SUMMARY:Away\nDTSTART;TZID=W. Europe Standard Time:20261024T100000\nDURATION:PT1H');
  expect(read(event.replace('VERSION:2.0', `VERSION:2.0${zone}`)).events.map((one) => one.start)).toEqual([start]);
});

test('a zone whose lines make no sense spoils no event', () => {
  const event = file('SUMMARY:Away\nDTSTART;TZID=Odd:20261024T100000\nDTEND;TZID=Odd:20261024T110000');
  // ical.js repeats this rule without end.
  const endless = 'TZOFFSETFROM:+0200\nTZOFFSETTO:+0100\nRRULE:FREQ=DAILY;INTERVAL=7;BYDAY=TU\nEND:STANDARD\n';
  for (const odd of [
    '',
    `BEGIN:STANDARD\nDTSTART:20240515T030000\n${endless}`,
    'END:VCALENDAR\nDTSTART:16010101T030000\nEND:STANDARD\n',
    'BEGIN:STANDARD\nno line\nEND:STANDARD\n',
  ]) {
    const { events, skipped } = read(event.replace('VERSION:2.0', `BEGIN:VTIMEZONE\nTZID:Odd\n${odd}END:VTIMEZONE`));
    expect([events.map(({ start }) => start), skipped], odd).toEqual([['2026-10-24T10:00:00'], 0]);
  }
});

test('a series of which further dates have ends of their own is left out, which is told', () => {
  const dates = `RDATE;VALUE=PERIOD;TZID=Europe/Berlin:20261025T110000/20261025T140000,20261026T110000/PT30M`;
  for (const periods of [dates, dates.replace(';VALUE=PERIOD;TZID=Europe/Berlin', ';TZID=Europe/Berlin;VALUE=PERIOD')])
    expect(read(file(`${daily(`${BERLIN}20261024T110000`).replace('COUNT=4', 'COUNT=1')}\n${periods}`))).toEqual({
      events: [],
      skipped: 1,
    });
});

test.each([
  ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', ['2026-10-30'], 0],
  ['FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR;BYMONTH=10;BYSETPOS=-1', ['2026-10-30'], 0],
  ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1', ['2026-10-19', '2026-10-26', '2026-11-02'], 0],
  ['FREQ=YEARLY;BYDAY=MO;BYSETPOS=1', [], 0],
  ['FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1', ['2026-10-30'], 0],
])('of a rule with positions, no other days than its own come: %s', (rule, starts, skipped) => {
  const found = read(file(`UID:7\nSUMMARY:Away\nDTSTART;VALUE=DATE:20260202\nRRULE:${rule}`));
  expect([found.events.map(({ start }) => start), found.skipped]).toEqual([starts, skipped]);
});

test('a series leaves out the days of another rule (EXRULE)', () => {
  const weekly = 'UID:7\nSUMMARY:Away\nDTSTART;VALUE=DATE:20240103\nRRULE:FREQ=WEEKLY;BYDAY=WE,FR';
  const starts = (exrule: string) => read(file(`${weekly}\nEXRULE:${exrule}`));
  expect(starts('FREQ=WEEKLY;INTERVAL=2').events.map(({ start }) => start)).toEqual(['2026-10-23', '2026-10-28', '2026-10-30']);
  expect(starts('FREQ=WEEKLY;INTERVAL=2;UNTIL=20261020').events).toHaveLength(4);
  expect(starts('FREQ=SECONDLY')).toEqual({ events: [], skipped: 1 });
});

const SERIES = `UID:7\nSUMMARY:Away\nDTSTART${BERLIN}20261021T110000\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=2`;
const at = (day: number): string => `UID:7\nSUMMARY:Away\nDTSTART${BERLIN}202610${day}T110000\nDURATION:PT1H`;
const MOVED = `UID:7\nRECURRENCE-ID${BERLIN}20261022T110000\nSUMMARY:Away\nDTSTART:20261025T100000Z\nDURATION:PT1H`;

test.each<[name: string, text: string, days: readonly string[]]>([
  ['a series, with its moved event', file(`${SERIES}\nSTATUS:CANCELLED`, MOVED), []],
  ['a later version of it', file(SERIES, MOVED, `${SERIES}\nSEQUENCE:1\nSTATUS:CANCELLED`), []],
  ['an earlier version of it', file(`${SERIES}\nSEQUENCE:2`, MOVED, `${SERIES}\nSEQUENCE:1\nSTATUS:CANCELLED`), ['21', '25']],
  ['another event without a UID', file(SERIES.replace('UID:7\n', ''), `${SERIES.replace('UID:7\n', '')}\nSTATUS:CANCELLED`), ['21', '22']],
  ['another event without a UID in its line', file(SERIES.replace('7', ''), `${SERIES.replace('7', '')}\nSTATUS:CANCELLED`), ['21', '22']],
  ['one of the events of a program with one UID for all', file(SERIES, at(25), `${at(26)}\nSTATUS:CANCELLED`), ['21', '22', '25']],
  ['what was made again at another time', file(at(25), `${at(26)}\nSTATUS:CANCELLED`), ['25']],
  ['the same time in another zone', file(at(25), `UID:7\nDTSTART:20261025T100000Z\nSTATUS:CANCELLED`), []],
  ['an event that a later version moves', file(at(25), `${at(26)}\nSEQUENCE:1\nSTATUS:CANCELLED`), []],
  ['an event by its UID alone', file(SERIES, at(25), 'UID:7\nSTATUS:CANCELLED'), []],
  ['all of a withdrawn invitation', file(`${SERIES}\nSTATUS:CONFIRMED`, MOVED).replace('VERSION:2.0', 'METHOD:CANCEL'), []],
  ['what a withdrawal behind it names', file(SERIES, MOVED) + file('UID:7\nSUMMARY:Away').replace('VERSION:2.0', 'METHOD:CANCEL'), []],
  ['no other event', file(SERIES, MOVED) + file(SERIES.replace('UID:7', 'UID:8')).replace('VERSION:2.0', 'METHOD:CANCEL'), ['21', '25']],
])('cancelled is %s', (_, text, days) => {
  const { events, skipped } = read(text);
  expect([events.map(({ start }) => start.slice(8, 10)), skipped]).toEqual([days, 0]);
});

test.each([
  ['all of it', `${BERLIN}20270328T020000\nDTEND${BERLIN}20270328T030000`, '01:00 02:00'],
  ['all of it, with a duration', `${BERLIN}20270328T020000\nDURATION:PT1H`, '01:00 02:00'],
  ['its start', `${BERLIN}20270328T023000\nDTEND${BERLIN}20270328T031500`, '01:30 02:15'],
  ['its end', `${BERLIN}20270328T013000\nDTEND${BERLIN}20270328T023000`, '00:30 01:30'],
  ['all of it, in a series', `${BERLIN}20270327T020000\nDTEND${BERLIN}20270327T030000\nRRULE:FREQ=DAILY`, '01:00 02:00'],
  ['nothing of it, which has no length', `${BERLIN}20270328T030000\nDTEND${BERLIN}20270328T030000`, undefined],
])('an event that lies in the hour that the clock skips keeps its length: %s', (_, times, wanted) => {
  const window = { fromMs: Date.parse('2027-03-20T00:00:00Z'), toMs: Date.parse('2027-04-03T00:00:00Z') };
  const { events, skipped } = read(file(`UID:7\nSUMMARY:Away\nDTSTART${times}`), window);
  const found = events.find(({ start }) => start.startsWith('2027-03-28'));
  expect(found && `${found.start.slice(11, 16)} ${found.end?.slice(11, 16)}`).toBe(wanted);
  expect(skipped).toBe(0);
});

test('rules without end are stopped, and other events are read', () => {
  const endless = 'UID:1\nSUMMARY:odd\nDTSTART:20200101T000000Z\nDTEND:20200101T000001Z\nRRULE:FREQ=MINUTELY';
  const { events, skipped } = read(file(endless, 'UID:2\nSUMMARY:Away\nDTSTART;VALUE=DATE:20261024'));
  expect([events.map(({ title }) => title), skipped]).toEqual([['Away'], 1]);
});

test.each([
  ['', ''],
  ['', '\nRRULE:FREQ=DAILY'],
  ['-', '\nRRULE:FREQ=DAILY'],
])('an event of a duration beyond all calendars is left out, and other events are read: %sP9999999999W%s', (sign, rule) => {
  const endless = `UID:1\nSUMMARY:odd\nDTSTART:20261024T000000Z\nDURATION:${sign}P9999999999W${rule}`;
  const { events, skipped } = read(file(endless, 'UID:2\nSUMMARY:Away\nDTSTART;VALUE=DATE:20261024'));
  expect([events.map(({ title }) => title), skipped]).toEqual([['Away'], 1]);
});

test('a series that ended years ago is not walked through, and what was moved of it comes', () => {
  const ended = `UID:1\nSUMMARY:Away\nDTSTART${BERLIN}20000101T110000\nDURATION:PT1H\nRRULE:FREQ=DAILY;UNTIL=20200101T100000Z`;
  const moved = `UID:1\nSUMMARY:Away\nRECURRENCE-ID${BERLIN}20191230T110000\nDTSTART:20261024T100000Z\nDURATION:PT1H`;
  expect(read(file(ended))).toEqual({ events: [], skipped: 0 });
  expect(read(file(ended, moved)).events).toHaveLength(1);
  const [still] = read(file(ended.replace('20200101', '20261024').replace('20000101', '20200101'))).events;
  expect(still?.start).toBe('2026-10-19T09:00:00.000Z');
});

test('a series that began half a century ago comes', () => {
  const daily = `UID:1\nSUMMARY:Away\nDTSTART${BERLIN}19770103T110000\nDTEND${BERLIN}19770103T120000\nRRULE:FREQ=DAILY`;
  const { events, skipped } = read(file(daily));
  expect([events[0], skipped]).toEqual([{ title: 'Away', start: '2026-10-19T09:00:00.000Z', end: '2026-10-19T10:00:00.000Z' }, 0]);
});

test('of too many events the first 500 by time are read, whatever their order in the file', () => {
  const minute = (index: number): string =>
    `2026102${1 + Math.floor(index / 300)}T${String(Math.floor((index % 300) / 60)).padStart(2, '0')}${String(index % 60).padStart(2, '0')}00Z`;
  const events = Array.from(
    { length: 600 },
    (_, index) => `UID:${index}\nSUMMARY:${599 - index}\nDTSTART:${minute(599 - index)}\nDURATION:PT1M`,
  );
  const { events: kept, skipped } = read(file(...events));
  expect([kept.length, skipped, kept[0]?.title, kept.at(-1)?.title]).toEqual([500, 100, '0', '499']);
});

test.each([
  'INTEGER:5',
  'BOOLEAN:TRUE',
  'DATE:20261024',
  'DURATION:PT1H',
  'UTC-OFFSET:+0100',
  'PERIOD:20261024T100000Z/PT1H',
  'RECUR:FREQ=DAILY',
])('a title that is no text is empty: VALUE=%s', (value) => {
  const { events } = read(file(`UID:1\nSUMMARY;VALUE=${value}\nDTSTART:20261024T100000Z\nDTEND:20261024T110000Z`));
  expect(events).toMatchObject([{ title: '' }]);
});

test('a title is cut to what an event may have', () => {
  const { events } = read(file(`UID:1\nSUMMARY: ${'x'.repeat(1000)}\nDTSTART:20261024T100000Z\nDTEND:20261024T110000Z\nRRULE:FREQ=DAILY`));
  expect(new Set(events.map(({ title }) => title))).toEqual(new Set(['x'.repeat(255)]));
});
