import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agendaOf, type Target } from '../../../../src/schedule/calendar/agenda.ts';
import { type CalendarEvent, readEvents, spanOf } from '../../../../src/schedule/calendar/events.ts';
import { type Rule, readRule } from '../../../../src/schedule/calendar/rules.ts';
import { printInstant } from '../../../../src/schedule/zone.ts';
import { runs } from '../../../support/chance.ts';

const ZONE = 'Europe/Berlin';
const DAY = 86_400_000;
const week = (feature: string, profiles: readonly string[] = ['away', 'home']): Target => ({
  ...{ device: 'home', feature, zone: ZONE, kind: 'schedule', profiles },
});
const HEATING = week('heating.circuits.0.heating.schedule');
const HOLIDAY: Target = {
  ...{ device: 'home', feature: 'heating.operating.programs.holiday', zone: ZONE, kind: 'holiday' },
  ...{ cancel: 'unschedule', isOneDayAllowed: false },
};
const rules = (...texts: readonly string[]): readonly Rule[] =>
  texts.map((text) => {
    const rule = readRule(text);
    if (typeof rule === 'string') throw new Error(rule);
    return rule;
  });
const at = (text: string): number => Date.parse(text);
const around = { fromMs: at('2026-12-20T00:00:00Z'), toMs: at('2027-01-03T00:00:00Z') };
const planned = (events: readonly CalendarEvent[], some: readonly Rule[], targets: readonly Target[] = [HEATING]): readonly string[] =>
  agendaOf(events, some, targets, around).entries.map(
    ({ beginMs, untilMs, command, titles }) =>
      `${printInstant(beginMs, ZONE)} ${printInstant(untilMs, ZONE)} ${JSON.stringify(command.value)} ${titles.join('+')}`,
  );

describe('rules', () => {
  test.each([
    ['Away -> profile away', 'we are away!', true],
    ['Away -> profile away', 'Awayday', false],
    ['home office → profile home', 'Lisa: Home  Office', true],
    ['[B]* -> profile home', '[B] – Miller', true],
    ['[B]* -> profile home', 'Miller [B]', false],
    ['* -> profile home', 'anything', true],
    ['E-Auto -> profile home', 'Das E-Auto lädt', true],
    [String.raw`^$.*+?()[]{}|/\- -> profile home`, String.raw`x ^$.*+?()[]{}|/\-`, true],
    ['Ausflüge => profile away', 'AUSFLÜGE', true],
    ['Ausflüge => profile away', 'Ausflu\u0308ge', true],
    ['Müll* => profile away', 'Mu\u0308llabfuhr', true],
  ])('%s and the title %s: %s', (text, title, fits) => expect(rules(text)[0]?.title(title)).toBe(fits));

  test.each([
    '',
    'Away',
    'Away -> nothing',
    'Away -> profile',
    '-> profile away',
    'A -> B -> profile x',
    'A -> holiday; lead soon',
    'A -> holiday; arrival 25:00',
  ])('%s is none', (text) => expect(readRule(text)).toEqual(expect.any(String)));
});

describe('events', () => {
  test('of both forms of Home Assistant, of several calendars, and of a bare list', () => {
    const event = { title: 'Away', start: '2026-12-24', end: '2026-12-27' };
    const plain = { summary: 'Away', start: '2026-12-24', end: '2026-12-27', description: 'x' };
    const rest = { summary: 'Away', start: { date: '2026-12-24' }, end: { date: '2026-12-27' }, uid: '1' };
    expect(readEvents({ 'calendar.a': { events: [plain] }, 'calendar.b': { events: [plain] } })).toEqual({
      events: [event, event],
      skipped: 0,
    });
    expect(readEvents({ events: [plain] })?.events).toEqual([event]);
    expect(readEvents([rest])?.events).toEqual([event]);
    expect(
      readEvents([{ ...rest, start: { dateTime: '2026-12-24T10:00:00+01:00' }, end: { dateTime: '2026-12-24T11:00:00+01:00' } }])?.events
        .length,
    ).toBe(1);
  });

  test('one that makes no sense spoils only itself, and a cancelled one is none', () => {
    const good = { summary: 'Away', start: '2026-12-24', end: '2026-12-27' };
    const odd = [
      null,
      7,
      {},
      { ...good, start: '2026-02-30' },
      { ...good, end: '2026-12-20' },
      { ...good, end: '2026-02-30' },
      { ...good, summary: 7 },
      { summary: 'no end', start: '2026-12-24T10:00:00Z' },
      { summary: 'no length', start: '2026-12-24T10:00:00Z', end: '2026-12-24T10:00:00Z' },
    ];
    const { summary: _, ...untitled } = good;
    expect(readEvents([...odd, { ...good, status: 'cancelled' }, { ...good, status: 'confirmed' }, untitled])).toEqual({
      events: [expect.objectContaining({ title: 'Away' }), expect.objectContaining({ title: '' })],
      skipped: odd.length,
    });
    expect(readEvents({ state: 'on' })).toBeUndefined();
    expect(readEvents('Away')).toBeUndefined();
  });

  test.each([
    ['2026-12-24', '2026-12-27', '2026-12-24T00:00:00+01:00', '2026-12-27T00:00:00+01:00'],
    ['2026-12-24', undefined, '2026-12-24T00:00:00+01:00', '2026-12-25T00:00:00+01:00'],
    ['2026-12-24', '2026-12-24', '2026-12-24T00:00:00+01:00', '2026-12-25T00:00:00+01:00'],
    // The last day of summer time has 25 hours; 02:30 comes twice, and in spring not at all.
    ['2026-10-25', '2026-10-26', '2026-10-25T00:00:00+02:00', '2026-10-26T00:00:00+01:00'],
    ['2026-10-25T02:30:00', '2026-10-25T04:00:00', '2026-10-25T02:30:00+02:00', '2026-10-25T04:00:00+01:00'],
    ['2026-03-29T02:30:00', '2026-03-29T04:00:00', '2026-03-29T03:30:00+02:00', '2026-03-29T04:00:00+02:00'],
    // An event within the skipped hour keeps its length.
    ['2026-03-29T02:00:00', '2026-03-29T03:00:00', '2026-03-29T03:00:00+02:00', '2026-03-29T04:00:00+02:00'],
    ['2026-03-29T02:30:00', '2026-03-29T03:15:00', '2026-03-29T03:30:00+02:00', '2026-03-29T04:15:00+02:00'],
    ['2026-12-24T10:00:00-05:00', '2026-12-24T17:00:00Z', '2026-12-24T16:00:00+01:00', '2026-12-24T18:00:00+01:00'],
  ])('from %s to %s', (start, end, begin, until) => {
    const span = spanOf({ title: '', start, ...(end === undefined ? {} : { end }) }, ZONE);
    expect(span && [printInstant(span.beginMs, ZONE), printInstant(span.endMs, ZONE)]).toEqual([begin, until]);
  });
});

describe('the agenda', () => {
  const event = (title: string, start: string, end: string): CalendarEvent => ({ title, start, end });

  test('the end of an all-day event is the day after its last one; lead and hours move it', () => {
    const stay = [event('Stay', '2026-12-24', '2026-12-27')];
    expect(planned(stay, rules('Stay -> profile home'))).toEqual(['2026-12-24T00:00:00+01:00 2026-12-27T00:00:00+01:00 "home" Stay']);
    expect(planned(stay, rules('Stay -> profile home; arrival 15:00; departure 11:00; lead 2h'))).toEqual([
      '2026-12-24T13:00:00+01:00 2026-12-27T11:00:00+01:00 "home" Stay',
    ]);
    expect(planned(stay, rules('Stay -> profile home; departure 24:00'))).toEqual([
      '2026-12-24T00:00:00+01:00 2026-12-28T00:00:00+01:00 "home" Stay',
    ]);
  });

  test('guests who leave and others who come within the gap are one warm time', () => {
    const stays = [event('A', '2026-12-24', '2026-12-27'), event('B', '2026-12-27', '2026-12-28')];
    const hours = '* -> profile home; arrival 15:00; departure 11:00';
    expect(planned(stays, rules(hours)).length).toBe(2);
    expect(planned(stays, rules(`${hours}; gap 6h`))).toEqual(['2026-12-24T15:00:00+01:00 2026-12-28T11:00:00+01:00 "home" A+B']);
  });

  test('the earlier rule goes before the later one, which goes on behind it; the preview says so', () => {
    const both = [event('Vacation', '2026-12-24', '2026-12-31'), event('Guests', '2026-12-26T10:00:00', '2026-12-27T10:00:00')];
    const some = rules('Guests -> profile home', 'Vacation -> profile away');
    expect(planned(both, some)).toEqual([
      '2026-12-24T00:00:00+01:00 2026-12-26T10:00:00+01:00 "away" Vacation',
      '2026-12-26T10:00:00+01:00 2026-12-27T10:00:00+01:00 "home" Guests',
      '2026-12-27T10:00:00+01:00 2026-12-31T00:00:00+01:00 "away" Vacation',
    ]);
    expect(agendaOf(both, some, [HEATING], around).entries.map(({ insteadOf }) => insteadOf)).toEqual([[], ['Vacation'], []]);
  });

  test('no match does nothing, and a title without anything that takes it is told', () => {
    const events = [
      event('Dentist', '2026-12-24', '2026-12-25'),
      event('Party', '2026-12-24', '2026-12-25'),
      event('Dentist long ago', '2026-12-01', '2026-12-02'),
      event('Party next year', '2027-02-01', '2027-02-02'),
    ];
    expect(agendaOf(events, rules('Party -> profile loud'), [HEATING], around)).toEqual({
      entries: [],
      unmatched: ['Dentist'],
      without: ['Party'],
    });
  });

  test('a holiday has the dates of the device: whole days, neighbours as one, and no single day where the device takes none', () => {
    const events = [
      event('Ski', '2026-12-23', '2026-12-24'),
      event('Ski', '2026-12-21', '2026-12-23'),
      event('Ski at home', '2026-12-28', '2026-12-29'),
      event('Ski', '2026-12-30T10:00:00', '2026-12-31T10:00:00'),
    ];
    expect(agendaOf(events, rules('Ski -> holiday'), [HOLIDAY], around).without).toEqual(['Ski at home']);
    expect(agendaOf(events, rules('Ski -> holiday'), [{ ...HOLIDAY, isOneDayAllowed: true }], around).without).toEqual([]);
    expect(planned(events, rules('Ski -> holiday'), [HOLIDAY])).toEqual([
      '2026-12-21T00:00:00+01:00 2026-12-24T00:00:00+01:00 {"start":"2026-12-21","end":"2026-12-23"} Ski',
    ]);
  });

  test('a rule concerns the features that it names, and a program its own name; the first to begin comes first', () => {
    const [bath, attic] = [week('bath'), week('attic')];
    const program: Target = { device: 'home', feature: 'eco', zone: ZONE, kind: 'program', program: 'eco' };
    const some = rules(
      'Away -> profile away; on bath',
      'Guests -> profile home; on attic',
      'Eco -> program eco',
      'Warm -> program comfort',
    );
    const events = [
      event('Away', '2026-12-26', '2026-12-27'),
      event('Guests', '2026-12-24', '2026-12-25'),
      event('Eco', '2026-12-22', '2026-12-23'),
      event('Eco', '2027-01-04', '2027-01-05'),
      event('Warm', '2026-12-22', '2026-12-23'),
    ];
    const { entries, without } = agendaOf(events, some, [bath, attic, program], around);
    expect(entries.map(({ feature, command }) => [feature, command])).toEqual([
      ['eco', { leaf: 'active', value: true }],
      ['attic', { leaf: 'profile', value: 'home' }],
      ['bath', { leaf: 'profile', value: 'away' }],
    ]);
    expect(without).toEqual(['Warm']);
  });

  test('an event of more than a year does nothing, which is told', () => {
    const events = [event('Year', '2026-12-24', '2027-12-24'), event('Longer', '2026-12-24', '2027-12-25')];
    const { entries, without } = agendaOf(events, rules('* -> profile away'), [HEATING], around);
    expect([entries.map(({ titles }) => titles), without]).toEqual([[['Year']], ['Longer']]);
  });

  test('of events that are one, what runs keeps its begin when the first of them has ended', () => {
    const events = [
      event('Ski', '2026-12-21T08:00:00Z', '2026-12-21T20:00:00Z'),
      event('Ski', '2026-12-21T15:00:00Z', '2026-12-22T15:00:00Z'),
    ];
    for (const hours of [1, 13, 25, 32]) {
      const fromMs = at('2026-12-21T07:00:00Z') + hours * 3_600_000;
      const { entries } = agendaOf(events, rules('Ski -> profile away'), [HEATING], { fromMs, toMs: fromMs + DAY });
      const begins = entries.map(({ beginMs }) => new Date(beginMs).toISOString());
      expect(begins).toEqual(hours < 32 ? ['2026-12-21T08:00:00.000Z'] : []);
    }
  });

  test('whatever events there are: nothing overlaps, all ends come, and each moment has what the first rule there wants', () => {
    const hours = fc.integer({ min: -40, max: 400 });
    const some = fc.array(fc.record({ title: fc.constantFrom('A', 'B', 'C'), from: hours, long: fc.integer({ min: 1, max: 90 }) }), {
      maxLength: 8,
    });
    const order = rules('A -> profile away', 'B -> profile home');
    fc.assert(
      fc.property(some, (written) => {
        const iso = (hour: number): string => new Date(around.fromMs + hour * 3_600_000).toISOString().replace('.000', '');
        const events = written.map(({ title, from, long }) => event(title, iso(from), iso(from + long)));
        const { entries } = agendaOf(events, order, [HEATING], around);
        for (let ms = around.fromMs + 1; ms < around.toMs; ms += 1_800_000) {
          const now = entries.filter(({ beginMs, untilMs }) => beginMs <= ms && ms < untilMs);
          const has = (title: string): boolean =>
            events.some((one) => one.title === title && at(one.start) <= ms && ms < at(one.end ?? ''));
          expect(now.map(({ command }) => command.value)).toEqual(has('A') ? ['away'] : has('B') ? ['home'] : []);
        }
        const ends = events.map(({ end }) => at(end ?? ''));
        for (const { beginMs, untilMs } of entries) expect(untilMs > beginMs && untilMs <= Math.max(...ends)).toBe(true);
      }),
      { numRuns: runs(400) },
    );
    expect(around.toMs - around.fromMs).toBe(14 * DAY);
  });
});

test('1,000 events that overlap are planned at once', () => {
  const begin = at('2026-12-21T00:00:00Z');
  const overlapping = Array.from({ length: 1000 }, (_, index) => ({
    title: `${index % 2 ? 'Away' : 'Home'} ${index}`,
    start: new Date(begin + index * 60_000).toISOString(),
    end: new Date(begin + DAY + index * 60_000).toISOString(),
  }));
  const some = rules('Away -> profile away', 'Home -> profile home');
  const { entries } = agendaOf(overlapping, some, [HEATING], around);
  expect(entries.map(({ titles, insteadOf }) => [titles.length, insteadOf.length])).toEqual([
    [1, 0],
    [20, 20],
  ]);
});
