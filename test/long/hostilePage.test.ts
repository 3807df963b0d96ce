import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SCHEDULE_TOPIC } from '../support/system/testSystem.ts';
import { afterSetup } from '../support/web/setupWorld.ts';
import { startWebSystem } from '../support/web/webSystem.ts';

const LONG = `<b>\u202e${'ä'.repeat(5000)}</b>`;

describe('whatever is asked, the page answers without a fault', () => {
  test('by addresses', async () => {
    const { client, system, logged } = await startWebSystem();
    await system.recorder.untilTopic('heating2mqtt/bridge/health');
    const long = encodeURIComponent(LONG.slice(0, 600));
    const odd = ['__proto__', '%00', '%ff', '..%2f..%2fetc', '-1', '1e999', 'NaN', long];
    const addresses = ['', '/', 'api/', 'api/state?since=', 'api/history?topic=', 'api/history?topic=x&days=', 'api/session?', 'metrics?'];
    const queries = ['api/change-history?before=', 'api/change-history?device=', 'api/change-history?device=x&feature=', 'api/calls?x='];
    const paths = odd.flatMap((one) => [
      ...[...addresses, ...queries].map((address) => `/${address}${one}`),
      `/login/callback?code=${one}&state=${one}`,
      `/;${one}/api/state`,
    ]);
    const wrong: string[] = [];
    for (const path of paths) {
      const { status, text } = await client.get(path);
      if (status >= 500 || text.includes('    at ')) wrong.push(`${status} ${path.slice(0, 80)}`);
    }
    expect(wrong).toEqual([]);
    expect((await client.get('http://evil.example/api/state')).status).toBe(404);
    expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('by writes', async () => {
    const { client, system, logged } = await startWebSystem();
    await system.recorder.untilTopic('heating2mqtt/bridge/health');
    const topics = [
      `${SCHEDULE_TOPIC}/set`,
      `${SCHEDULE_TOPIC}/__proto__/set`,
      'heating2mqtt/__proto__/constructor/set',
      'heating2mqtt/bridge/constructor/set',
      `heating2mqtt/home/${LONG}/set`,
      'heating2mqtt/#',
      'heating2mqtt/\u0000/set',
      '',
      `${SCHEDULE_TOPIC}/call/__proto__`,
    ];
    const values = ['', 'null', '{}', '[]', '"', '{"__proto__":{"mon":[]}}', '{"value":{"constructor":1}}', '{"mon":[null,1,{}]}'];
    const payloads = [...values, LONG, '['.repeat(20_000)];
    const writes = topics.flatMap((topic) => payloads.map((payload) => ({ topic, payload })));
    const ids = ['__proto__', LONG, {}].map((id) => ({ ...writes[5], id }));
    const wrong: string[] = [];
    for (const body of [...writes, ...ids]) {
      const { status } = await client.post('/api/write', body);
      if (status >= 500) wrong.push(`${status} ${JSON.stringify(body).slice(0, 90)}`);
    }
    expect(wrong).toEqual([]);
    expect(system.posts()).toEqual([]);
    expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
    expect((await client.get('/api/state')).status).toBe(200);
  });

  test('by settings, and the file stays one that can be read', async () => {
    const world = await afterSetup();
    const file = join(world.cwd, 'data/settings.yaml');
    const before = readFileSync(file, 'utf8');
    const bad: readonly object[] = [
      JSON.parse('{"__proto__":{"polluted":true}}'),
      { '__proto__.polluted': 'x' },
      { 'constructor.prototype.polluted': 'x' },
      { 'schedules.profiles.': 'mon 06:00-08:00 normal' },
      { [`schedules.profiles.${LONG}`]: 'mon 06:00-08:00 normal' },
      { 'schedules.profiles.a': LONG },
      { 'schedules.profiles': { a: 1 } },
      { 'mqtt.base': `x\nweb:\n  listen: 0.0.0.0` },
      { 'mqtt.base': LONG },
      { 'poll.seconds': '1e999' },
      { 'web.hosts': [LONG] },
      { devices: [{ name: 'bridge', device: '0' }] },
      { '': 'x' },
      { [LONG]: LONG },
    ];
    const taken: string[] = [];
    for (const changes of bad) {
      const { status } = await world.post('api/settings', { changes });
      if (status !== 422) taken.push(`${status} ${JSON.stringify(changes).slice(0, 80)}`);
    }
    expect(taken).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect({}).not.toHaveProperty('polluted');
    expect(world.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
