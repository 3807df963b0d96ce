import { matchesGlob } from 'node:path';
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

const TWO_ACCOUNTS = {
  'bridge/accounts': [{ name: '' }, { name: 'parents' }],
  'home/heating/dhw/schedule/entries': WEEK,
  'home/heating/dhw/schedule/record': SCHEDULE,
  'parents/home/heating/dhw/schedule/entries': WEEK,
  'parents/home/heating/dhw/schedule/record': SCHEDULE,
};

it('schedules of further accounts are not those of a device', async () => {
  const { schedules } = await readSchedules(retaining(TWO_ACCOUNTS), 'heating2mqtt');
  expect(schedules.map(({ device, feature }) => `${device} ${feature}`)).toEqual(['home heating.dhw.schedule']);
});

it('nor on a slow machine, which gets the topics of one filter after the other until what is waited for is there', async () => {
  const all = retaining({ ...TWO_ACCOUNTS, 'bridge/state': 'online', 'bridge/info': {} });
  const payloads = new Map<string, string>();
  const readRetained: RequestClient['readRetained'] = async (filters, expected = []) => {
    for (const filter of filters) {
      if (expected.length > 0 && expected.every((topic) => payloads.has(topic))) return;
      const glob = filter.replaceAll('+', '*').replace('#', '**');
      for (const [topic, payload] of all.payloads) if (matchesGlob(topic, glob)) payloads.set(topic, payload);
    }
  };
  const { schedules } = await readSchedules({ ...all, payloads, readRetained }, 'heating2mqtt');
  expect(schedules.map(({ device }) => device)).toEqual(['home']);
});
