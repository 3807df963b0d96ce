import { isDeepStrictEqual } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isRecord } from '../../../src/shared/json.ts';
import { startLine } from '../../support/network/line.ts';
import { startTestBroker } from '../../support/network/testBroker.ts';
import { SCHEDULE, SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';
import { follow, type Heard } from '../../support/web/webClient.ts';
import { startWebSystem } from '../../support/web/webSystem.ts';

const isAnswer =
  (wanted: object) =>
  ({ event, data: { answer } }: Heard): boolean =>
    event === 'result' && isDeepStrictEqual({ ...(isRecord(answer) ? answer : {}), ...wanted }, answer);

const WEEK = 'mon-sun 06:00-22:00 normal';

describe('the state of the page', () => {
  test('is what the retained topics say, whole and then change by change', async () => {
    const { system, client, port } = await startWebSystem();
    const { recorder } = system;
    await recorder.untilTopic(`${SCHEDULE_TOPIC}/entries`);
    const state = (await client.get('/api/state')).json();
    const retained = new Map(
      recorder.heard.filter(({ topic }) => topic.startsWith('heating2mqtt/')).map(({ topic, payload }) => [topic, payload]),
    );
    expect(state).toMatchObject({ base: 'heating2mqtt', version: expect.stringMatching(/^\d/), topics: Object.fromEntries(retained) });
    expect(Object.keys(state.topics as object).toSorted()).toEqual([...retained.keys()].toSorted());

    const stream = await follow(port, `/api/stream?since=${state.rev}`);
    await stream.until(({ event }) => event === 'hello');
    await recorder.publish(`${SCHEDULE_TOPIC}/set`, '{"sun":[{"start":"10:00","end":"12:00","mode":"comfort","position":0}]}');
    const changed = await stream.until(({ event, data }) => event === 'topic' && data.topic === `${SCHEDULE_TOPIC}/sun`);
    expect(changed.data).toMatchObject({ payload: '10:00-12:00 comfort' });
    expect(changed.id).toBe(String(changed.data.rev));
    // Answers to commands that came by MQTT are shown too.
    const applied = await stream.until(isAnswer({ status: 'applied' }));
    expect(applied.data.answer).toMatchObject({ topic: `${SCHEDULE_TOPIC}/set`, feature: SCHEDULE, changed: ['sun'] });

    const since = (await client.get(`/api/state?since=${state.rev}`)).json();
    expect(since).toMatchObject({
      changed: { [`${SCHEDULE_TOPIC}/sun`]: '10:00-12:00 comfort' },
      results: expect.arrayContaining([expect.objectContaining({ status: 'applied' })]),
    });
    expect(since).not.toHaveProperty('topics');
    expect((await client.get(`/api/state?since=${since.rev}`)).json()).toMatchObject({ changed: {} });
    // Too old, from another process, or no number: everything.
    for (const old of ['1', String(Number(since.rev) + 100), 'x', ''])
      expect((await client.get(`/api/state?since=${old}`)).json()).toHaveProperty('topics');
  });

  test('has the calls by cause, and when topics changed, for the page alone', async () => {
    const { system, client } = await startWebSystem();
    await system.recorder.publish(`${SCHEDULE_TOPIC}/set`, '{"sun":[]}');
    await system.recorder.until(({ topic, payload }) => topic === `${SCHEDULE_TOPIC}/result` && payload.includes('"applied"'));
    const { causes, used, reason, pace } = (await client.get('/api/calls')).json() as Record<string, Record<string, number>>;
    expect(causes).toMatchObject({ poll: expect.any(Number), command: 1, confirm: expect.any(Number) });
    expect(Object.values(causes ?? {}).reduce((sum, count) => sum + count, 0)).toBe(used?.['per_day']);
    expect(reason).toEqual(expect.any(String));
    expect(pace).toEqual({ kind: 'wanted' });
    const { changed_at: changedAt } = (await client.get('/api/changes')).json() as { changed_at: Record<string, number> };
    expect(changedAt[`${SCHEDULE_TOPIC}/sun`]).toBeGreaterThan(0);
    expect(changedAt).not.toHaveProperty(`${SCHEDULE_TOPIC}/mon`);
  });

  test('is told to a stream that comes back only as far as it does not have it', async () => {
    const { system, port, client } = await startWebSystem();
    const { rev } = (await client.get('/api/state')).json();
    await system.recorder.publish(`${SCHEDULE_TOPIC}/set`, '{"sun":[]}');
    await system.recorder.until(({ topic, payload }) => topic === `${SCHEDULE_TOPIC}/result` && payload.includes('"applied"'));
    const back = await follow(port, '/api/stream?since=1', { 'last-event-id': String(rev) });
    const topics = back.heard.filter(({ event }) => event === 'topic').map(({ data }) => data.topic);
    expect(new Set(topics).size).toBe(topics.length);
    expect(topics).toContain(`${SCHEDULE_TOPIC}/sun`);
    expect(back.heard[0]).toMatchObject({ event: 'hello' });
    expect(back.heard.map(({ event }) => event)).not.toContain('reset');
    const late = await follow(port, '/api/stream?since=1');
    expect(late.heard.map(({ event }) => event)).toEqual(['hello', 'reset']);
    const fresh = await follow(port);
    expect(fresh.heard.map(({ event }) => event)).toEqual(['hello']);
    expect(fresh.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    expect(fresh.headers).not.toHaveProperty('content-encoding');
  });

  test('shows that the bridge stops', async () => {
    const { system, port, client } = await startWebSystem();
    const stream = await follow(port);
    await system.stopApp();
    const offline = await stream.until(({ data }) => data.topic === 'heating2mqtt/bridge/state');
    expect(offline.data.payload).toBe('offline');
    expect((await client.get('/api/state')).json()).toMatchObject({ topics: { 'heating2mqtt/bridge/state': 'offline' } });
  });
});

describe('a command from the page', () => {
  test('is answered at once where its answer is known, and enters where messages enter', async () => {
    const { system, client, port } = await startWebSystem({
      overrides: { commands: { deny: ['*/activate'], allow: ['*'] } },
      device: { features: ['*'] },
    });
    const stream = await follow(port);
    const post = async (topic: string, payload: string, id?: string) => (await client.post('/api/write', { topic, payload, id })).json();
    // Refused by the rules of weeks.
    const refused = { status: 'rejected', code: 'invalid', id: 'r', topic: `${SCHEDULE_TOPIC}/set` };
    expect(await post(`${SCHEDULE_TOPIC}/set`, 'mon 6:05-25:00 cosy', 'r')).toMatchObject(refused);
    expect((await client.post('/api/write', { topic: `${SCHEDULE_TOPIC}/set`, payload: 'x' })).status).toBe(200);
    // Checked, and the same as it is.
    expect(await post(`${SCHEDULE_TOPIC}/validate`, WEEK, 'v')).toMatchObject({ status: 'valid', id: 'v' });
    const entries = system.recorder.last(`${SCHEDULE_TOPIC}/entries`) ?? '';
    expect(await post(`${SCHEDULE_TOPIC}/entries/set`, entries, 'u')).toMatchObject({ status: 'unchanged', id: 'u' });
    // An id in the envelope comes before that of the request.
    expect(await post(`${SCHEDULE_TOPIC}/validate`, JSON.stringify({ value: WEEK, id: 'own' }), 'v')).toMatchObject({ id: 'own' });
    // What the settings forbid, to the page too.
    const program = 'heating2mqtt/home/heating/circuits/0/operating/programs/comfort/call/activate';
    expect(await post(program, '{}', 'f')).toMatchObject({ status: 'rejected', code: 'forbidden' });
    expect(await post('heating2mqtt/home/nothing/set', '1')).toMatchObject({ status: 'rejected', code: 'unknown_feature' });
    expect(await post('heating2mqtt/home/nothing', '1')).toMatchObject({ status: 'rejected', code: 'unknown_topic' });
    expect(await post(`${SCHEDULE_TOPIC}/set`, '')).toMatchObject({ status: 'rejected', code: 'empty' });
    expect(await post('heating2mqtt/bridge/republish/set', 'now', 'b')).toMatchObject({ status: 'applied', id: 'b' });
    expect(system.posts()).toEqual([]);

    // One that goes to the platform: its answers come as events, and on the result topics as ever.
    const sent = await client.post('/api/write', { topic: `${SCHEDULE_TOPIC}/set`, payload: WEEK, id: 7 });
    expect([sent.status, sent.json()]).toEqual([202, { id: 7 }]);
    const results = await Promise.all(['accepted', 'applied'].map((status) => stream.until(isAnswer({ id: 7, status }))));
    for (const { data } of results) {
      await system.recorder.until(({ topic, payload }) => topic === `${SCHEDULE_TOPIC}/result` && payload === JSON.stringify(data.answer));
    }
    expect(system.posts()).toHaveLength(1);
    expect(system.recorder.last(`${SCHEDULE_TOPIC}/text`)).toBe(WEEK);
    // And it can be taken back by MQTT, as every change can.
    const from = system.recorder.heard.length;
    await system.recorder.publish(`${SCHEDULE_TOPIC}/undo/set`, 'x');
    await system.recorder.untilTopic(`${SCHEDULE_TOPIC}/entries`, entries, from);
  });

  test('is no message: nothing that is no command topic of this bridge is taken', async () => {
    const { client, system } = await startWebSystem();
    const topics = ['other/home/x/set', 'heating2mqtt/#', 'heating2mqtt/home/+/set', 'heating2mqtt/a\u0000/set', 1];
    const whole = { id: 'a', topic: 'heating2mqtt/home/x/set', payload: '1' };
    const parts = [...topics.map((topic) => ({ topic })), { payload: 1 }, { id: {} }, { id: 'x'.repeat(201) }];
    const refusals = [...parts.map((part) => ({ ...whole, ...part })), [], null, 'x'];
    for (const body of refusals) expect((await client.post('/api/write', body)).status, JSON.stringify(body)).toBe(422);
    expect(system.app.status().broker).toBe(true);
  });

  test('is refused with a clear word while the bridge starts again', async () => {
    const { client, web, system } = await startWebSystem();
    await system.recorder.untilTopic(`${SCHEDULE_TOPIC}/entries`);
    web.attach(undefined);
    const reply = await client.post('/api/write', { topic: `${SCHEDULE_TOPIC}/set`, payload: WEEK });
    expect([reply.status, reply.json().error, reply.headers['retry-after']]).toEqual([503, 'restarting', '5']);
    expect((await client.get('/metrics')).status).toBe(503);
    expect((await client.get('/health')).status).toBe(200);
    expect(system.posts()).toEqual([]);
  });

  test('goes to the platform while the broker is away: once, and its answers wait for the broker', async () => {
    const broker = await startTestBroker();
    onTestFinished(() => broker.close());
    // The recorder stays at the broker, so that it hears what is published at the first moment.
    const line = await startLine(broker.port);
    const mqtt = { url: `mqtt://127.0.0.1:${line.port}` };
    const { client, system, port } = await startWebSystem({ brokerUrl: broker.url, overrides: { mqtt } });
    const stream = await follow(port);
    line.cut(true);
    await stream.until(({ data }) => data.topic === 'heating2mqtt/bridge/state' && data.payload === 'offline');
    const reply = await client.post('/api/write', { topic: `${SCHEDULE_TOPIC}/set`, payload: WEEK, id: 'away' });
    expect(reply.status).toBe(202);
    await stream.until(isAnswer({ id: 'away', status: 'applied' }));
    await stream.until(({ data }) => data.topic === `${SCHEDULE_TOPIC}/text` && data.payload === WEEK);
    const from = system.recorder.heard.length;
    line.cut(false);
    const late = await system.recorder.until(
      ({ topic, payload }) => topic === `${SCHEDULE_TOPIC}/result` && payload.includes('"applied"'),
      from,
    );
    expect(late.payload).toContain('"id":"away"');
    await stream.until(({ data }) => data.topic === 'heating2mqtt/bridge/state' && data.payload === 'online');
    expect(system.posts()).toHaveLength(1);
  });

  test('has a clear word where the platform is away', async () => {
    const { client, system, port } = await startWebSystem();
    const stream = await follow(port);
    await system.simulator.close();
    const reply = await client.post('/api/write', { topic: `${SCHEDULE_TOPIC}/set`, payload: WEEK, id: 'gone' });
    const answer = reply.status === 200 ? reply.json() : (await stream.until(isAnswer({ id: 'gone' }))).data.answer;
    expect(answer).toMatchObject({ id: 'gone', status: 'failed', code: expect.any(String), message: expect.stringMatching(/./) });
  });
});
