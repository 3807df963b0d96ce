import { expect, test } from 'vitest';
import { at, type Caller, startCaller } from './simulatorCaller.ts';

const EVENTS = '/iot/v2/events-history/installations/111222/events';
const NOON = Date.UTC(2026, 10, 21, 12);
const DAY_MS = 24 * 60 * 60 * 1000;

const listed = (body: unknown): readonly unknown[] => {
  const data = at(body, 'data');
  return Array.isArray(data) ? data : [];
};
const shifts = (body: unknown): readonly unknown[] => listed(body).map((event) => at(event, 'body.commandBody.shift'));

const setCurve = (caller: Caller, shift: number) =>
  caller.post(caller.path('0', 'heating.circuits.0.heating.curve', 'setCurve'), { shift, slope: 1 });

test('a command that was taken is an event, one that was refused is none', async () => {
  const caller = await startCaller({ now: () => NOON });
  await setCurve(caller, 3);
  await setCurve(caller, 1000);
  expect((await caller.get(EVENTS)).body).toEqual({
    data: [
      {
        eventType: 'feature-changed',
        gatewaySerial: '7571381699991111',
        eventTimestamp: '2026-11-21T12:00:00.000Z',
        createdAt: '2026-11-21T12:00:00.000Z',
        body: {
          deviceId: '0',
          modelId: 'Demo_HeatPump_8kW',
          featureName: 'heating.circuits.0.heating.curve',
          commandName: 'setCurve',
          commandBody: { shift: 3, slope: 1 },
        },
      },
    ],
    cursor: {},
  });
});

test('newest first, page by page, and a page holds while more is added', async () => {
  const caller = await startCaller();
  for (const shift of [1, 2, 3, 4, 5]) await setCurve(caller, shift);
  const first = (await caller.get(`${EVENTS}?limit=2`)).body;
  expect(shifts(first)).toEqual([5, 4]);
  await setCurve(caller, 6);
  const second = (await caller.get(`${EVENTS}?limit=2&cursor=${at(first, 'cursor.next')}`)).body;
  expect(shifts(second)).toEqual([3, 2]);
  const last = (await caller.get(`${EVENTS}?limit=2&cursor=${at(second, 'cursor.next')}`)).body;
  expect([shifts(last), at(last, 'cursor')]).toEqual([[1], {}]);
});

test('narrowed by days, by time, by kind and by gateway', async () => {
  let now = NOON;
  const caller = await startCaller({ now: () => now, furtherGateways: 1, tokenLifetimeS: 1_000_000 });
  await setCurve(caller, 1);
  now += 3 * DAY_MS;
  await setCurve(caller, 2);
  caller.control({ command: 'disconnect', gateway: '7571381699991112' });
  caller.control({ command: 'disconnect', gateway: '7571381699991112' });
  const count = async (query: string): Promise<number> => listed((await caller.get(`${EVENTS}?${query}`)).body).length;
  expect(await count('')).toBe(3);
  expect(await count('lastNDays=1')).toBe(2);
  expect(await count(`end=${new Date(NOON + DAY_MS).toISOString()}`)).toBe(1);
  expect(await count(`start=${new Date(NOON + DAY_MS).toISOString()}`)).toBe(2);
  expect(await count('eventType=gateway-offline')).toBe(1);
  expect(await count('eventType=gateway-offline,feature-changed')).toBe(3);
  expect(await count('gatewaySerial=7571381699991111')).toBe(2);
  for (const wrong of ['lastNDays=x', 'start=soon', 'limit=1001', 'cursor=x']) {
    expect((await caller.get(`${EVENTS}?${wrong}`)).body, wrong).toMatchObject({ statusCode: 400, errorType: 'VALIDATION_ERROR' });
  }
});

test('another method, another installation, no token', async () => {
  const caller = await startCaller();
  expect((await caller.post(EVENTS, {})).body).toMatchObject({ statusCode: 400, errorType: 'NOT_ALLOWED' });
  expect((await caller.get(EVENTS.replace('111222', '5'))).body).toMatchObject({ statusCode: 404, errorType: 'INSTALLATION_NOT_FOUND' });
  expect((await caller.send(EVENTS, {})).body).toMatchObject({ statusCode: 401, error: 'NO TOKEN AVAILABLE' });
});
