import { describe, expect, test } from 'vitest';
import { at, isRecord, startCaller } from './simulatorCaller.ts';

const SCHEDULE = 'heating.circuits.0.heating.schedule';

const names = (body: unknown): unknown[] => {
  const data = at(body, 'data');
  return Array.isArray(data) ? data.map((record) => at(record, 'feature')) : [];
};

describe('tokens at the API', () => {
  test.each([
    ['none', {}, 'NO TOKEN AVAILABLE'],
    ['another scheme', { authorization: 'Basic abc' }, 'NO TOKEN AVAILABLE'],
    ['an unknown one', { authorization: 'Bearer abc' }, 'EXPIRED TOKEN'],
  ])('%s is refused with the platform’s envelope', async (_what, headers, error) => {
    const caller = await startCaller();
    const { status, body } = await caller.send(caller.path('0', SCHEDULE), { headers });
    expect(status).toBe(401);
    expect(body).toMatchObject({
      statusCode: 401,
      errorType: 'UNAUTHORIZED',
      error,
      viErrorId: expect.stringMatching(/^req-[0-9a-f]{32}$/),
    });
  });

  test('a token ends after its life', async () => {
    let now = 1_000_000;
    const caller = await startCaller({ now: () => now });
    expect((await caller.get(caller.path('0', SCHEDULE))).status).toBe(200);
    now += 3_599_999;
    expect((await caller.get(caller.path('0', SCHEDULE))).status).toBe(200);
    now += 1;
    expect((await caller.get(caller.path('0', SCHEDULE))).body).toMatchObject({ error: 'EXPIRED TOKEN' });
  });

  test('a token without the scope of the service is refused with 403', async () => {
    const caller = await startCaller();
    const { access_token } = caller.issueTokens('IoT');
    const headers = { authorization: `Bearer ${access_token}` };
    expect((await caller.get(caller.path('0', SCHEDULE), headers)).status).toBe(200);
    expect((await caller.get('/users/v1/users/me?sections=identity', headers)).body).toMatchObject({
      statusCode: 403,
      errorType: 'UNAUTHORIZED',
    });
  });

  test('an unknown address of the API asks for a token first', async () => {
    const caller = await startCaller();
    expect((await caller.send('/iot/v9/anything', {})).status).toBe(401);
    expect((await caller.get('/iot/v9/anything')).status).toBe(404);
    expect((await caller.send('/anything', {})).status).toBe(404);
  });
});

describe('the user', () => {
  test('comes whole with sections=identity, as the specification shows it', async () => {
    const caller = await startCaller();
    const { status, type, body } = await caller.get('/users/v1/users/me?sections=identity');
    expect([status, type]).toEqual([200, 'application/json;charset=utf-8']);
    expect(Object.keys(isRecord(body) ? body : {}).length).toBeGreaterThan(1);
    expect(at(body, 'properties')).toEqual({
      loginId: expect.any(String),
      address: {
        postalCode: expect.any(String),
        city: expect.any(String),
        street: expect.any(String),
        houseNumber: expect.any(String),
        countryCode: expect.stringMatching(/^[a-z]{2}$/),
      },
      clientExtId: expect.any(String),
      languageCode: expect.stringMatching(/^[a-z]{2}$/),
      userState: 'ACTIVE',
      name: { firstName: expect.any(String), familyName: expect.any(String) },
      validity: { from: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}$/) },
      contacts: { telephone: expect.any(String), telefax: expect.any(String), email: expect.any(String) },
    });
  });

  test('has no identity without the section, and no unknown sections', async () => {
    const caller = await startCaller();
    expect(at((await caller.get('/users/v1/users/me')).body, 'properties')).toBeUndefined();
    expect((await caller.get('/users/v1/users/me?sections=shoes')).body).toMatchObject({ errorType: 'VALIDATION_ERROR' });
    expect((await caller.post('/users/v1/users/me?sections=identity', {})).body).toMatchObject({ errorType: 'NOT_ALLOWED' });
  });
});

describe('a feature', () => {
  test('is a bare record with every field of the specification', async () => {
    const caller = await startCaller();
    const { status, type, headers, body } = await caller.get(caller.path('0', SCHEDULE));
    const uri = `/v1/gateways/${caller.gateway}/devices/0/features/${SCHEDULE}`;
    expect([status, type]).toEqual([200, 'application/json;charset=utf-8']);
    expect(headers.get('date')).not.toBeNull();
    expect(body).toMatchObject({
      feature: SCHEDULE,
      gatewayId: caller.gateway,
      deviceId: '0',
      apiVersion: 1,
      isEnabled: true,
      isReady: true,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      uri,
      properties: { active: { type: 'boolean', value: true }, entries: { type: 'Schedule' } },
    });
    expect(at(body, 'commands.setSchedule')).toEqual({
      name: 'setSchedule',
      isExecutable: true,
      description: expect.any(String),
      uri: `${uri}/commands/setSchedule`,
      params: {
        newSchedule: {
          type: 'Schedule',
          required: true,
          constraints: { maxEntries: 4, resolution: 10, modes: ['normal', 'comfort'], defaultMode: 'reduced', overlapAllowed: false },
        },
      },
    });
  });

  test('is wrapped when asked for, and again bare', async () => {
    const caller = await startCaller({ wrapped: true });
    expect(at((await caller.get(caller.path('0', SCHEDULE))).body, 'data.feature')).toBe(SCHEDULE);
    caller.control({ command: 'wrapped', value: false });
    expect(at((await caller.get(caller.path('0', SCHEDULE))).body, 'feature')).toBe(SCHEDULE);
  });

  test('answers at the relative address of its record too', async () => {
    const caller = await startCaller();
    const direct = await caller.get(caller.path('0', SCHEDULE));
    expect((await caller.get(`/iot${at(direct.body, 'uri')}`)).body).toEqual(direct.body);
  });

  test.each([
    ['installation', (path: string) => path.replace('/111222/', '/9/'), 'INSTALLATION_NOT_FOUND'],
    ['gateway', (path: string) => path.replace('/7571381699991111/', '/9/'), 'GATEWAY_NOT_FOUND'],
    ['device', (path: string) => path.replace('/devices/0/', '/devices/9/'), 'DEVICE_NOT_FOUND'],
    ['device that is an object’s own word', (path: string) => path.replace('/devices/0/', '/devices/constructor/'), 'DEVICE_NOT_FOUND'],
    ['feature', (path: string) => `${path}s`, 'FEATURE_NOT_FOUND'],
  ])('unknown %s gives 404', async (_what, change, errorType) => {
    const caller = await startCaller();
    expect((await caller.get(change(caller.path('0', SCHEDULE)))).body).toMatchObject({ statusCode: 404, errorType });
  });

  test('a wrong method is 400 NOT_ALLOWED', async () => {
    const caller = await startCaller();
    const wrong = { statusCode: 400, errorType: 'NOT_ALLOWED' };
    expect((await caller.post(caller.path('0', SCHEDULE), {})).body).toMatchObject(wrong);
    expect((await caller.post(caller.path('0'), {})).body).toMatchObject(wrong);
    expect((await caller.get(caller.path('0', SCHEDULE, 'setSchedule'))).body).toMatchObject(wrong);
  });
});

describe('lists', () => {
  test('a device’s list holds all its records, disabled ones and folders too', async () => {
    const caller = await startCaller();
    const { body } = await caller.get(caller.path('0'));
    const data = at(body, 'data');
    const records: unknown[] = Array.isArray(data) ? data : [];
    expect(records).toHaveLength(143);
    const disabled = records.filter((record) => at(record, 'isEnabled') === false);
    expect(disabled).toHaveLength(62);
    for (const record of disabled) expect([at(record, 'properties'), at(record, 'commands')]).toEqual([{}, {}]);
    expect((await caller.get(`${caller.path('0')}/`)).status).toBe(200);
  });

  test('the gateway’s list holds its own records, with includeDevicesFeatures those of all devices but no disabled ones', async () => {
    const caller = await startCaller();
    const own = await caller.get(caller.path());
    expect(names(own.body)).toEqual(['gateway.devices', 'gateway.wifi']);
    expect(own.text).not.toContain('deviceId":');
    const all = await caller.get(`${caller.path()}?includeDevicesFeatures=true`);
    expect(names(all.body)).toHaveLength(102);
    expect(all.text).not.toContain('"isEnabled":false');
    expect((await caller.get(caller.path(undefined, 'gateway.wifi'))).body).toMatchObject({
      uri: `/v1/gateways/${caller.gateway}/features/gateway.wifi`,
    });
  });
});

describe('the control path', () => {
  test('takes commands and tells the calls, without a token', async () => {
    const caller = await startCaller();
    await caller.get(caller.path('0', SCHEDULE));
    await caller.get(`${caller.path()}?includeDevicesFeatures=true`);
    await caller.get(`${caller.path()}?includeDevicesFeatures=true`);
    const counted = { total: 3, counts: { [`GET ${caller.path('0', SCHEDULE)}`]: 1, [`GET ${caller.path()}`]: 2 } };
    expect((await caller.send('/control/calls', {})).body).toEqual(counted);
    expect(caller.control({ command: 'calls' })).toEqual(counted);
    expect(caller.calls().map(({ method, status }) => [method, status])).toEqual(Array(3).fill(['GET', 200]));
    expect((await caller.send('/control', { method: 'POST', body: '{"command":"reset"}' })).status).toBe(200);
    expect(caller.calls()).toEqual([]);
  });

  test.each([['{"command":"dance"}'], ['nonsense'], ['{}'], ['{"command":"set","feature":"no.such","value":1}'], ['{"command":"lag"}']])(
    'refuses %s with a sentence',
    async (body) => {
      const caller = await startCaller();
      const seen = await caller.send('/control', { method: 'POST', body });
      expect(seen.status).toBe(400);
      expect(at(seen.body, 'error')).toEqual(expect.stringMatching(/\.$/));
      expect(() => caller.control(seen.body)).toThrow();
    },
  );
});

test('a body over the limit is 413, and the port is free again after close', async () => {
  const caller = await startCaller();
  const path = caller.path('0', SCHEDULE, 'setSchedule');
  expect((await caller.post(path, 'x'.repeat(1_100_000))).body).toMatchObject({ errorType: 'REQUEST_TOO_LARGE' });
  const port = Number(new URL(caller.url).port);
  await caller.close();
  expect((await startCaller({ port })).url).toBe(caller.url);
});
