import { DAYS, type Wall } from '../home/wallClock.ts';
import { isArray, type Json } from '../http/json.ts';
import { tenth, type View } from './view.ts';

/** Heat produced per kWh of electricity, by use: about 4 kWh for heating, 3 kWh for hot water. */
const SUMMARIES: readonly (readonly [use: 'heating' | 'dhw', summary: string, perKwh: number])[] = [
  ['heating', 'heating.power.consumption.summary.heating', 1],
  ['dhw', 'heating.power.consumption.summary.dhw', 1],
  ['heating', 'heating.heat.production.summary.heating', 4],
  ['dhw', 'heating.heat.production.summary.dhw', 3],
];
const METERS = ['heating.power.consumption.total', 'heating.power.consumption.dhw'];
const PERIODS = ['day', 'week', 'month', 'year'] as const;
type Period = (typeof PERIODS)[number];
/** A meter counts in steps of 0.1 kWh. */
const STEP = 0.1;

const readAt = (view: View, meter: string, period: Period, at: number): void =>
  view.put(meter, `${period}ValueReadAt`, new Date(at).toISOString());

const edit = (view: View, feature: string, property: string, to: (old: readonly Json[]) => Json[]): void => {
  const old = view.value(feature, property);
  if (isArray(old)) view.put(feature, property, to(old));
};

// Sums keep floating point errors: recorded arrays have them too (5.8999999999999995).
const grow = (view: View, meter: string, at: number): void => {
  for (const period of PERIODS) {
    edit(view, meter, period, ([first, ...rest]) => [(typeof first === 'number' ? first : 0) + STEP, ...rest]);
    readAt(view, meter, period, at);
  }
};

const growSummary = (view: View, feature: string, by: number): void => {
  for (const property of ['currentDay', 'lastSevenDays', 'currentMonth', 'currentYear']) {
    const old = view.number(feature, property);
    if (old !== undefined) view.put(feature, property, Math.round((old + by) * 10) / 10);
  }
};

/** Adds electricity in kWh to the meters of this use; the meters show whole steps of 0.1 kWh. */
export const spend = (view: View, use: 'heating' | 'dhw', kilowattHours: number, at: number): void => {
  const name = `kilowatt hours ${use}`;
  let carried = view.inner(name, 0) + kilowattHours;
  for (; carried >= STEP; carried -= STEP) {
    grow(view, 'heating.power.consumption.total', at);
    if (use === 'dhw') grow(view, 'heating.power.consumption.dhw', at);
    for (const [of, summary, perKwh] of SUMMARIES) if (of === use) growSummary(view, summary, STEP * perKwh);
  }
  view.setInner(name, carried);
};

const startPeriod = (view: View, period: Period, at: number): void => {
  for (const meter of METERS) {
    edit(view, meter, period, (old) => [0, ...old.slice(0, -1)]);
    readAt(view, meter, period, at);
  }
};

const turnSummary = (view: View, feature: string, wall: Wall): void => {
  const number = (property: string): number => view.number(feature, property) ?? 0;
  // The value of the day that leaves the seven days is unknown; their mean is used instead.
  view.put(feature, 'lastSevenDays', Math.round((number('lastSevenDays') * 6) / 0.7) / 10);
  view.put(feature, 'currentDay', 0);
  if (wall.dayOfMonth !== 1) return;
  view.put(feature, 'lastMonth', number('currentMonth'));
  view.put(feature, 'currentMonth', 0);
  if (wall.month !== 1) return;
  view.put(feature, 'lastYear', number('currentYear'));
  view.put(feature, 'currentYear', 0);
};

/** At the start the arrays end today: a week is the sum of its days, a year of its months. */
const endToday = (view: View, meter: string, wall: Wall, at: number): void => {
  const sumOf = (period: Period, count: number): number => {
    const all = view.value(meter, period);
    const first = isArray(all) ? all.slice(0, count) : [];
    return first.reduce<number>((sum, one) => sum + (typeof one === 'number' ? one : 0), 0);
  };
  edit(view, meter, 'week', ([, ...rest]) => [sumOf('day', DAYS.indexOf(wall.day) + 1), ...rest]);
  edit(view, meter, 'year', ([, ...rest]) => [sumOf('month', wall.month), ...rest]);
  for (const period of PERIODS) readAt(view, meter, period, at);
};

/** The summary then agrees with the arrays; only the hot water has both. */
const followLists = (view: View): void => {
  for (const period of ['Day', 'Month', 'Year']) {
    const all = view.value('heating.power.consumption.dhw', period.toLowerCase());
    if (isArray(all) && typeof all[0] === 'number') view.put('heating.power.consumption.summary.dhw', `current${period}`, tenth(all[0]));
  }
};

/** At midnight the arrays shift: days daily, weeks on Mondays, months on the 1st, years in January. */
export const turnOfDay = (view: View, wall: Wall, at: number): void => {
  const day = view.inner('energy day', 0);
  view.setInner('energy day', wall.dayNumber);
  if (day === 0) {
    for (const meter of METERS) endToday(view, meter, wall, at);
    followLists(view);
  }
  if (day === 0 || day >= wall.dayNumber) return;
  startPeriod(view, 'day', at);
  if (wall.day === 'mon') startPeriod(view, 'week', at);
  if (wall.dayOfMonth === 1) startPeriod(view, 'month', at);
  if (wall.dayOfMonth === 1 && wall.month === 1) startPeriod(view, 'year', at);
  for (const [, summary] of SUMMARIES) turnSummary(view, summary, wall);
};
