import { expect, it } from 'vitest';
import { readSchedules } from '../../../../src/cli/schedule/retainedSchedules.ts';
import type { RequestClient } from '../../../../src/mqtt/requestClient.ts';
import { weekOf } from '../../../../src/schedule/week.ts';

const retaining = (retained: Readonly<Record<string, unknown>>): RequestClient => ({
  payloads: new Map(Object.entries(retained).map(([topic, value]) => [`heating2mqtt/${topic}`, JSON.stringify(value)])),
  readRetained: async () => undefined,
  subscribe: async () => undefined,
  request: async () => undefined,
  close: async () => undefined,
});

const WEEK = weekOf(() => []);
const SCHEDULE = { properties: { entries: { type: 'Schedule' } }, commands: {} };

it('schedules of further accounts are not those of a device', async () => {
  const client = retaining({
    'bridge/accounts': [{ name: '' }, { name: 'parents' }],
    'home/heating/dhw/schedule/entries': WEEK,
    'home/heating/dhw/schedule/record': SCHEDULE,
    'parents/home/heating/dhw/schedule/entries': WEEK,
    'parents/home/heating/dhw/schedule/record': SCHEDULE,
  });
  const { schedules } = await readSchedules(client, 'heating2mqtt');
  expect(schedules.map(({ device, feature }) => `${device} ${feature}`)).toEqual(['home heating.dhw.schedule']);
});
