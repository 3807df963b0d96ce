import { expect, it } from 'vitest';
import { pastOf } from '../../../src/features/energy/past.ts';
import { defaultHome } from '../../../src/simulator/home/home.ts';
import { House } from '../../../src/simulator/home/house.ts';
import { live } from '../../../src/simulator/living/live.ts';
import { tenth } from '../../../src/simulator/living/view.ts';
import { featureOf } from '../../support/devices/features.ts';

const PERIODS = ['day', 'week', 'month', 'year'];
const DAYS_OF_A_YEAR = Array.from({ length: 61 }, (_, index) => index * 6);

const houseAt = (now: number): House => new House({ ...defaultHome, timeZone: 'UTC', lives: true }, now, 0, live);

it.each(['total', 'dhw'])('the lists of %s are a past that can be kept, on whichever day the simulation starts', (use) => {
  for (const days of DAYS_OF_A_YEAR) {
    const now = Date.UTC(2026, 0, 1, 12) + days * 86_400_000;
    const house = houseAt(now);
    const record = house.find(`heating.power.consumption.${use}`);
    const properties = PERIODS.flatMap((name) => [
      [name, { value: record?.value(name), unit: 'kilowattHour' }],
      [`${name}ValueReadAt`, { value: record?.value(`${name}ValueReadAt`) }],
    ]);
    const today = new Date(now).toISOString().slice(0, 10);
    const past = pastOf(featureOf(`heating.power.consumption.${use}`, Object.fromEntries(properties)), today, 0, (iso) => iso.slice(0, 10));
    expect([today, past?.whole, past?.bars.filter(({ grain }) => grain === 'day').length]).toEqual([today, true, 7]);
  }
});

it('the summary of the hot water agrees with its lists, on whichever day the simulation starts', () => {
  for (const days of DAYS_OF_A_YEAR) {
    const house = houseAt(Date.UTC(2026, 0, 1, 12) + days * 86_400_000);
    const shown = (use: string, property: string): unknown => house.find(`heating.power.consumption.${use}`)?.value(property);
    const told = ['Day', 'Month', 'Year'].map((name) => shown('summary.dhw', `current${name}`));
    const listed = ['day', 'month', 'year'].map((name) => tenth(Number([shown('dhw', name)].flat()[0])));
    expect([days, told]).toEqual([days, listed]);
  }
});
