import { DAY_H, freezes, type Scenario } from './simulatedYear.ts';

const days = (from: number, to: number): readonly [number, number] => [from * DAY_H, to * DAY_H];
const HOLIDAYS = [days(20, 41), days(176, 190)];
/** Each night from 23:00 to 07:00. */
const NIGHTS = Array.from({ length: 364 }, (_, day) => [day * DAY_H + 23, day * DAY_H + 31] as const);
/** All but three hours of each day. */
const MOST_OF_DAYS = Array.from({ length: 364 }, (_, day) => [day * DAY_H + 3, day * DAY_H + 24] as const);
/** One of them includes New Year. */
const FORTNIGHTS = [30, 120, 175, 300].map((day) => days(day, day + 14));
/** The amounts stand for 60 hours; a day of them is not read. */
const STANDING = freezes('amounts', ['hours', 'heat'], { count: 8, hours: 60, every: 14, atHour: 1 });

/** Years in which data freeze, or look as if they did. The log begins on 1 July. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'heat pump: summer, winter, defrost': { kind: 'heat pump' },
  'heat pump, holidays in July and at New Year': { kind: 'heat pump', away: HOLIDAYS },
  'heat pump that cools with its pumps alone': { kind: 'heat pump', cools: true },
  'heat pump, the list tells 3 % less': { kind: 'heat pump', share: 1.03 },
  'heat pump, the balance is reset (I.92)': { kind: 'heat pump', resetAt: 200 * DAY_H + 5 },
  'gas boiler': { kind: 'gas boiler', away: HOLIDAYS },
  'oil boiler: hours and electricity only': { kind: 'oil boiler', hasNoSummary: true },
  'heat pump, the lists count in whole kWh': { kind: 'heat pump', areListsWhole: true },
  'lists 2 hours late': { kind: 'heat pump', lists: 2 },
  'lists made at midnight': { kind: 'heat pump', lists: 'daily' },
  'lists made at midnight, and nothing else': { kind: 'heat pump', lists: 'daily', hasNoSummary: true },
  'the bridge reads nothing at night': { kind: 'heat pump', unread: NIGHTS },
  'the bridge reads for 3 hours a day': { kind: 'heat pump', unread: MOST_OF_DAYS },
  'the bridge is away for 14 days, four times': { kind: 'heat pump', unread: FORTNIGHTS },
  'the gateway restarts each week, and is away for 3 hours': {
    kind: 'heat pump',
    freezes: freezes('all', [], { count: 30, hours: 3, every: 7, atHour: 9 }),
  },
  'gateway that tells by fits and starts': { kind: 'gateway' },
  'battery device': { kind: 'battery device' },
  'summary frozen at 00:00 UTC, restarted the next afternoon': {
    kind: 'heat pump',
    freezes: freezes('summary', ['tellers'], { count: 60, hours: 15, every: 2, atHour: 1 }),
  },
  'summary frozen for 10 days, then caught up in a burst': {
    kind: 'gas boiler',
    freezes: freezes('summary', ['tellers'], { count: 6, hours: 240, every: 30, atHour: 1 }),
  },
  'lists behind by 5 days, then caught up': {
    kind: 'heat pump',
    freezes: freezes('lists', ['tellers'], { count: 8, hours: 120, every: 20, atHour: 4 }),
  },
  'summary frozen in summer, nobody at home: standby alone is used': {
    kind: 'heat pump',
    away: HOLIDAYS,
    freezes: [{ what: 'summary', by: ['tellers'], span: [22 * DAY_H, 40 * DAY_H] }],
  },
  'all amounts stand for 2 days': {
    kind: 'heat pump',
    freezes: freezes('amounts', ['hours', 'heat'], { count: 8, hours: 48, every: 14, atHour: 1 }),
  },
  'all amounts stand for 60 hours, the bridge is away for 28 of them': {
    kind: 'heat pump',
    unread: STANDING.map(({ span: [from] }) => [from + 1, from + 29] as const),
    freezes: STANDING,
  },
  'gas boiler, all amounts stand for 2 days': {
    kind: 'gas boiler',
    freezes: freezes('amounts', ['hours'], { count: 8, hours: 48, every: 14, atHour: 1 }),
  },
  'power stands for a day, heat goes on': {
    kind: 'heat pump',
    freezes: freezes('power', ['heat', 'hours'], { count: 8, hours: 24, every: 14, atHour: 1 }),
  },
  'the device is off for 60 days in summer': { kind: 'heat pump', freezes: [{ what: 'all', by: ['pulse'], span: days(5, 65) }] },
  'the whole device stands for a day': {
    kind: 'heat pump',
    freezes: freezes('all', ['pulse'], { count: 8, hours: 24, every: 14, atHour: 12 }),
  },
  'the whole device stands each second day': {
    kind: 'heat pump',
    freezes: freezes('all', ['pulse'], { count: 40, hours: 12, every: 2, atHour: 12 }),
  },
  'the whole device stands each night for 9 hours': {
    kind: 'heat pump',
    freezes: freezes('all', ['pulse'], { count: 60, hours: 9, every: 1, atHour: 22 }),
  },
  'battery device, empty for 5 days': { kind: 'battery device', freezes: freezes('all', ['pulse'], { count: 4, hours: 120, every: 40 }) },
};
