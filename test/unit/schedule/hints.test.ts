import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HINTS } from '../../../src/language/hints/hintWords.ts';
import { CHECKS, type HintKey, hintsOf, TIPS } from '../../../src/schedule/hints/checks.ts';
import { type Measured, weekFacts } from '../../../src/schedule/hints/facts.ts';
import { DAYS, type Day, type Week, weekOf } from '../../../src/schedule/week.ts';
import type { Json } from '../../../src/shared/json.ts';
import { runs } from '../../support/chance.ts';
import { measuredRoom, measuredState } from '../../support/schedules/measuredHome.ts';
import { day } from '../../support/schedules/weeks.ts';

type Values = Readonly<Record<string, Json>>;
type Example = { readonly feature: string; readonly week: Week; readonly values?: Values; readonly measured?: Measured };

const week = (all: string, own: Partial<Record<Day, string>> = {}): Week => weekOf((name) => day(own[name] ?? all));
const [HEATING, WATER, PUMP] = ['heating.circuits.1.heating.schedule', 'heating.dhw.schedule', 'heating.dhw.pumps.circulation.schedule'];
const DEFAULTS: Readonly<Record<string, string>> = { [HEATING]: 'reduced', [WATER]: 'off', [PUMP]: 'off' };
const PROGRAMS = 'heating.circuits.1.operating.programs';
const MODE = 'heating.circuits.1.operating.modes.active value';

const GOOD_HEATING = week('06:00-08:00 normal, 17:00-22:00 comfort', { sat: '07:00-23:00 normal', sun: '07:00-23:00 normal' });
const GOOD_WATER = week('05:00-08:00 on, 16:30-22:00 on');
const GOOD_PUMP = week('05:30-06:30 on, 17:00-19:00 on');
/** A heat pump with a cylinder, where nothing is odd. */
const HOME: Values = {
  [`${HEATING} entries`]: GOOD_HEATING,
  [`${WATER} entries`]: GOOD_WATER,
  [MODE]: 'heating',
  [`${PROGRAMS}.reduced temperature`]: 18.5,
  [`${PROGRAMS}.normalHeating temperature`]: 20,
  [`${PROGRAMS}.comfort temperature`]: 21,
  'heating.operating.programs.holiday start': '2000-01-01',
  'heating.operating.programs.holiday end': '2000-01-01',
  'heating.compressors enabled': ['0'],
  'heating.dhw.sensors.temperature.dhwCylinder value': 48,
  'heating.dhw.temperature.main value': 52,
  'heating.dhw.hygiene enabled': true,
  'heating.dhw.hygiene.trigger weekdays': ['Tue'],
  'heating.dhw.hygiene.trigger startHour': 17,
  'heating.dhw.hygiene.trigger startMinute': 0,
};

const found = ({ feature, week: own, values = {}, measured }: Example, language: 'en' | 'de' = 'en') => {
  const all: Values = { ...HOME, ...values };
  const defaultMode = DEFAULTS[feature];
  const facts = weekFacts(
    { feature, week: own, defaultMode, today: '2026-11-27', measured },
    (name, property) => all[`${name} ${property}`],
  );
  return hintsOf(facts, HINTS[language]);
};

const EXAMPLES: readonly (readonly [key: HintKey, example: Example, part: RegExp])[] = [
  [
    'circulation_always',
    { feature: PUMP, week: week('00:00-24:00 on'), values: { [`${WATER} entries`]: week('00:00-24:00 on') } },
    /24 hours on 7 days/,
  ],
  ['circulation_unreleased', { feature: PUMP, week: week('05:30-06:30 on', { mon: '21:30-24:00 on' }) }, /Mon 22:00–24:00/],
  ['water_always', { feature: WATER, week: week('00:00-24:00 on'), values: { [`${HEATING} entries`]: {} } }, /reheated at night/],
  ['water_short', { feature: WATER, week: week('05:00-08:00 on', { tue: '05:00-08:00 on, 17:00-17:20 on' }) }, /Tue 17:00–17:20/],
  ['water_late', { feature: WATER, week: week('06:30-08:00 on, 17:00-18:00 on') }, /Mon: the heating begins at 06:00, .* at 06:30/],
  ['water_gap', { feature: WATER, week: week('05:00-20:00 on', { sun: '' }) }, /Sat 20:00 to Mon 05:00/],
  [
    'same_temperature',
    { feature: HEATING, week: week('00:00-12:00 comfort, 12:00-24:00 normal'), values: { [`${PROGRAMS}.normalHeating temperature`]: 21 } },
    /Comfort and Normal .* 21\u00a0°C/,
  ],
  ['no_effect', { feature: HEATING, week: GOOD_HEATING, values: { [MODE]: 'dhw' } }, /Hot water only/],
  [
    'no_effect',
    {
      feature: HEATING,
      week: GOOD_HEATING,
      values: { [`${PROGRAMS}.normalEnergySaving active`]: true, [`${PROGRAMS}.normalEnergySaving reason`]: 'summerEco' },
    },
    /Summer savings/,
  ],
  ['no_effect', { feature: PUMP, week: GOOD_PUMP, values: { [`${PUMP} active`]: false } }, /does not follow/],
  [
    'holiday',
    {
      feature: HEATING,
      week: GOOD_HEATING,
      values: { [`${PROGRAMS}.holiday start`]: '2025-08-03', [`${PROGRAMS}.holiday end`]: '2025-08-17' },
    },
    /2025-08-17 is still stored/,
  ],
  [
    'holiday',
    {
      feature: WATER,
      week: GOOD_WATER,
      values: { 'heating.operating.programs.holiday start': '2026-11-20', 'heating.operating.programs.holiday end': '2027-01-12' },
    },
    /until 2027-01-12/,
  ],
  ['night_setback', { feature: HEATING, week: GOOD_HEATING, values: { [`${PROGRAMS}.reduced temperature`]: 16 } }, /up to 5\u00a0K apart/],
  // Its reduced mode is not part of the week.
  [
    'night_setback',
    { feature: HEATING, week: week('00:00-12:00 comfort, 12:00-24:00 normal'), values: { [`${PROGRAMS}.normalHeating temperature`]: 17 } },
    /^The temperatures of this week are up to 4\u00a0K apart/,
  ],
  [
    'water_cool',
    { feature: WATER, week: GOOD_WATER, values: { 'heating.dhw.hygiene enabled': false, 'heating.dhw.temperature.main value': 48 } },
    /48\u00a0°C and hygiene is off/,
  ],
  ['hygiene_outside', { feature: WATER, week: GOOD_WATER, values: { 'heating.dhw.hygiene.trigger startHour': 23 } }, /Tue 23:00/],
  [
    'water_starts',
    {
      feature: WATER,
      week: week('05:00-06:00 on, 16:30-22:00 on', {
        wed: [5, 8, 11, 14, 17, 20]
          .map((hour) => `${String(hour).padStart(2, '0')}:00-${String(hour + 1).padStart(2, '0')}:00 on`)
          .join(', '),
      }),
    },
    /Wed has 6 starts/,
  ],
  ['overlap', { feature: HEATING, week: week('06:00-08:00 normal, 07:00-22:00 comfort') }, /Mon 07:00–08:00; there Comfort/],
  ['overlap', { feature: HEATING, week: week('00:00-23:59 normal') }, /Mon 23:59–24:00 one minute/],
  ['odd_day', { feature: HEATING, week: week('06:00-22:00 normal', { wed: '06:10-22:00 normal' }) }, /Wed alone \(06:10 for 06:00\)/],
  [
    'late_begin',
    {
      feature: HEATING,
      week: GOOD_HEATING,
      measured: measuredRoom(
        GOOD_HEATING,
        Array.from({ length: 14 }, () => 35),
      ),
    },
    /^Mon–Fri, Normal from 06:00: on 10 of 10 days the room reached 20\u00a0°C about 35 minutes late\.$/,
  ],
  [
    'ran_outside',
    { feature: PUMP, week: GOOD_PUMP, measured: measuredState(Array.from({ length: 6 }, () => [[600, 20]] as const)) },
    /^On 6 of the last 6 days the circulation pump ran outside this week, about 20 minutes a day\./,
  ],
];

const GOOD: readonly Example[] = [
  { feature: HEATING, week: GOOD_HEATING },
  { feature: HEATING, week: week('06:00-22:00 normal', { wed: '06:00-12:00 normal' }) },
  { feature: HEATING, week: week('00:00-24:00 normal') },
  // The days of travel of a holiday that is not active.
  ...[
    ['2026-11-27', '2026-12-05'],
    ['2026-11-20', '2026-11-27'],
  ].map(([start = '', end = '']) => ({
    ...{ feature: HEATING, week: GOOD_HEATING },
    values: {
      'heating.operating.programs.holiday start': start,
      'heating.operating.programs.holiday end': end,
      'heating.operating.programs.holiday active': false,
    },
  })),
  { feature: HEATING, week: week('05:00-22:00 normal, 07:00-08:00 comfort') },
  { feature: WATER, week: GOOD_WATER },
  // Over midnight, and over Sunday's.
  { feature: WATER, week: week('00:00-00:10 on, 05:00-06:30 on, 16:30-24:00 on') },
  // Four starts: the first window continues that of the day before.
  { feature: WATER, week: week('00:00-01:00 on, 05:00-06:00 on, 11:00-12:00 on, 16:30-18:00 on, 23:00-24:00 on') },
  { feature: PUMP, week: GOOD_PUMP },
  { feature: PUMP, week: week('00:00-24:00 5/25-cycles'), values: { [`${WATER} entries`]: week('00:00-24:00 on') } },
  { feature: PUMP, week: week(''), values: { [`${PUMP} active`]: false } },
  {
    feature: 'heating.circuits.1.cooling.schedule',
    week: week('11:00-17:00 normal'),
    values: { 'heating.circuits.1.cooling.schedule active': false },
  },
  { feature: 'ventilation.schedule', week: week('04:40-23:20 levelTwo, 06:30-08:00 levelThree') },
];

describe('hints', () => {
  test('there are fifteen checks of the week and two of what was measured, one of them a tip, each with an example', () => {
    expect(Object.keys(CHECKS)).toHaveLength(17);
    expect([...TIPS]).toEqual(['night_setback']);
    expect(new Set(EXAMPLES.map(([key]) => key))).toEqual(new Set(Object.keys(CHECKS)));
  });

  test.each(EXAMPLES)('%s fires on its example alone, in both languages', (key, example, part) => {
    const [english, ...others] = found(example);
    expect(others).toEqual([]);
    expect(english).toMatchObject({ key, text: expect.stringMatching(part) });
    const [german] = found(example, 'de');
    expect(german?.text).not.toMatch(/undefined|NaN|\b(?:the|is|this|week)\b/);
  });

  test('a good week has none, whatever the rest of the home is, and an example fires whatever else there is', () => {
    // What no check counts as odd.
    const harmless = fc.record({
      [`${PROGRAMS}.reduced temperature`]: fc.constantFrom(17.5, 18, 19),
      'heating.dhw.temperature.main value': fc.constantFrom(50, 55, 60),
      'heating.operating.programs.holidayAtHome start': fc.constant('2027-08-01'),
      'heating.operating.programs.holidayAtHome end': fc.constantFrom('', '2000-01-01', '2027-08-20'),
      'heating.dhw.oneTimeCharge active': fc.constant(false),
      'heating.circuits.0.heating.schedule entries': fc.constantFrom<Json>({}, GOOD_HEATING, week('06:00-22:00 normal')),
      'heating.dhw.hygiene.trigger weekdays': fc.subarray<string>(['Mon', 'Wed', 'Sun']).map((days) => [...days, 'Tue']),
    });
    fc.assert(
      fc.property(harmless, fc.constantFrom(...GOOD), fc.constantFrom(...EXAMPLES), (rest, good, [key, example]) => {
        expect(found({ ...good, values: { ...rest, ...good.values } })).toEqual([]);
        expect(found({ ...example, values: { ...rest, ...example.values } }).map((one) => one.key)).toContain(key);
      }),
      { numRuns: runs(300) },
    );
  });

  test('any week of any device gives sentences that are whole', () => {
    const time = fc
      .integer({ min: 0, max: 144 })
      .map((tens) => `${String(Math.floor(tens / 6)).padStart(2, '0')}:${(tens % 6) * 10 || '00'}`);
    const entry = fc.record({ start: time, end: time, mode: fc.constantFrom('on', 'normal', 'comfort'), position: fc.nat(3) });
    const anyWeek = fc.array(fc.array(entry, { maxLength: 4 }), { minLength: 7, maxLength: 7 });
    fc.assert(
      fc.property(anyWeek, fc.constantFrom(HEATING, WATER, PUMP), fc.constantFrom('en', 'de'), (days, feature, language) => {
        const own = weekOf((name) => days[DAYS.indexOf(name)] ?? []);
        for (const { text } of found({ feature, week: own }, language as 'en' | 'de')) expect(text).not.toMatch(/undefined|NaN|Infinity/);
      }),
      { numRuns: runs(200) },
    );
  });

  test('each check has its row in the documentation', () => {
    const listed = [...readFileSync('docs/schedules.md', 'utf8').matchAll(/^\| `([a-z_]+)` \| (?:heating|hot water|circulation|every)/gm)];
    expect(listed.map(([, key]) => key).sort()).toEqual(Object.keys(CHECKS).sort());
  });
});
