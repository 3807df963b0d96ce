import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/shared/clock.ts';
import { isRecord } from '../../../src/shared/json.ts';
import { SCHEDULE, SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';
import { freePort } from '../../support/web/setupWorld.ts';
import { type WebClient, webClient } from '../../support/web/webClient.ts';
import { startWebSystem } from '../../support/web/webSystem.ts';

const CURVE = 'heating.circuits.0.heating.curve';
const SUNDAY = [{ start: '10:00', end: '12:00', mode: 'comfort', position: 0 }];

const changesOf = async (client: WebClient, query = ''): Promise<readonly Readonly<Record<string, unknown>>[]> => {
  const { changes } = (await client.get(`/api/change-history${query}`)).json();
  return Array.isArray(changes) ? changes.filter(isRecord) : [];
};

test('what was changed is kept, of whoever asked for it, with what was before and what became of it', async () => {
  let aheadMs = 0;
  // What waits for a minute looks soon: the hour of the temporary write passes at once.
  const sleep: Clock['sleep'] = (ms, signal) => systemClock.sleep(ms > 1000 && ms <= 60_000 ? 100 : ms, signal);
  const clock: Clock = { ...systemClock, now: () => Date.now() + aheadMs, sleep };
  const { system, web, client } = await startWebSystem({ clock, device: { features: [SCHEDULE, CURVE] } });
  const { recorder } = system;
  const answered = (topic: string, id: string, status: string) =>
    recorder.until((heard) => heard.topic === topic && heard.payload.includes(`"${id}"`) && heard.payload.includes(`"${status}"`));
  const entries = JSON.parse((await recorder.untilTopic(`${SCHEDULE_TOPIC}/entries`)).payload);
  await recorder.untilTopic('heating2mqtt/bridge/health');
  expect(await changesOf(client)).toEqual([]);

  await recorder.publish(`${SCHEDULE_TOPIC}/set`, JSON.stringify({ value: { sun: SUNDAY }, id: 'one' }));
  await answered(`${SCHEDULE_TOPIC}/result`, 'one', 'applied');
  const curve = 'heating2mqtt/home/heating/circuits/0/heating/curve';
  const slope = (await recorder.untilTopic(`${curve}/slope`)).payload;
  await client.post('/api/write', { topic: `${curve}/slope/set`, payload: '2.1', id: 'two' });
  await answered(`${curve}/result`, 'two', 'applied');
  // What is refused, or so already, changes nothing.
  await client.post('/api/write', { topic: `${curve}/slope/set`, payload: '2.1', id: 'three' });
  await client.post('/api/write', { topic: `${curve}/slope/set`, payload: '99', id: 'four' });

  const all = await changesOf(client);
  expect(all).toEqual([
    expect.objectContaining({
      device: 'home',
      feature: CURVE,
      topic: `${curve}/slope/set`,
      by: { kind: 'page' },
      before: { slope: Number(slope) },
      after: { slope: 2.1 },
      status: 'applied',
      undo: { topic: `${curve}/slope/set`, payload: JSON.stringify({ value: Number(slope) }) },
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    }),
    expect.objectContaining({
      device: 'home',
      feature: SCHEDULE,
      by: { kind: 'mqtt' },
      before: { entries: { sun: entries.sun } },
      after: { entries: { sun: SUNDAY } },
      status: 'applied',
    }),
  ]);
  expect(await changesOf(client, `?device=home&feature=${SCHEDULE}`)).toEqual(all.slice(1));
  expect(await changesOf(client, `?before=${all[0]?.['key']}`)).toEqual(all.slice(1));
  expect(await changesOf(client, '?device=other')).toEqual([]);
  expect((await client.get('/api/change-history?before=x')).status).toBe(422);
  expect((await client.get(`/api/change-history?feature=${SCHEDULE}`)).status).toBe(422);

  await system.restart();
  web.attach(system.app.view);
  expect(await changesOf(client)).toEqual(all);

  // Both are taken back by an ordinary write.
  for (const { undo, feature } of all) {
    await client.post('/api/write', { ...(isRecord(undo) ? undo : {}), id: `undo ${feature}` });
    await answered('heating2mqtt/home/result', `undo ${feature}`, 'applied');
  }
  expect(JSON.parse(recorder.last(`${SCHEDULE_TOPIC}/entries`) ?? '')).toEqual(entries);
  expect(recorder.last(`${curve}/slope`)).toBe(slope);
  const [back] = await changesOf(client, `?device=home&feature=${CURVE}`);
  expect(back).toMatchObject({ by: { kind: 'page' }, before: { slope: 2.1 }, after: { slope: Number(slope) } });
  expect((await changesOf(client)).slice(2)).toEqual(all.map((one) => ({ ...one, undo: { why: 'is_so' } })));

  // What a temporary write replaced comes back by itself: that is a change too.
  await recorder.publish(`${SCHEDULE_TOPIC}/set`, JSON.stringify({ value: { sat: SUNDAY }, for: '1h', id: 'five' }));
  await answered(`${SCHEDULE_TOPIC}/result`, 'five', 'applied');
  aheadMs = 3_601_000;
  await recorder.until(
    ({ topic, payload }) => topic === `${SCHEDULE_TOPIC}/result` && payload.includes('/until"') && payload.includes('"applied"'),
  );
  const [ended, temporary] = await changesOf(client);
  expect(temporary).toMatchObject({ by: { kind: 'mqtt' }, after: { entries: { sat: SUNDAY } }, until: expect.any(String) });
  expect(ended).toMatchObject({ by: { kind: 'end' }, before: { entries: { sat: SUNDAY } }, after: temporary?.['before'] });
});

test('a user of Home Assistant is kept by name, whatever it holds; the open port takes no name', async () => {
  const port = await freePort();
  const { system, client } = await startWebSystem(
    { device: { features: [CURVE] } },
    { settings: { ingress: port }, supervisor: ['127.0.0.1'] },
  );
  await system.recorder.untilTopic('heating2mqtt/bridge/health');
  const ingress = webClient(port);
  const name = `<b>\u202eÄnna</b> ${'😀'.repeat(1500)}`;
  const headers = { 'sec-fetch-site': 'same-origin', 'x-remote-user-display-name': Buffer.from(name).toString('latin1') };
  const curve = 'heating2mqtt/home/heating/circuits/0/heating/curve';
  const write = async (by: WebClient, payload: string): Promise<void> => {
    // As bytes: beside a text Node sends headers as UTF-8.
    const raw = Buffer.from(JSON.stringify({ topic: `${curve}/slope/set`, payload, id: payload }));
    expect((await by.ask('/api/write', { raw, headers })).status).toBe(202);
    await system.recorder.until(
      (heard) => heard.topic === `${curve}/result` && heard.payload.includes(`"${payload}"`) && heard.payload.includes('"applied"'),
    );
  };
  await write(ingress, '2.1');
  await write(client, '2.2');
  const [forged, real] = await changesOf(client);
  expect(forged).toMatchObject({ after: { slope: 2.2 }, by: { kind: 'page' } });
  expect(forged?.['by']).not.toHaveProperty('user');
  const { user } = isRecord(real?.['by']) ? real['by'] : {};
  expect(user).toMatch(/^<b>\u202eÄnna<\/b> (?:😀)+$/u);
  expect([...String(user)]).toHaveLength(64);
});

test('a change that was overwritten since can still be taken back: what was before it is written, and nothing of others', async () => {
  const { system, web, client } = await startWebSystem({ device: { features: [SCHEDULE, CURVE] } });
  const { recorder } = system;
  const entries = JSON.parse((await recorder.untilTopic(`${SCHEDULE_TOPIC}/entries`)).payload);
  await recorder.untilTopic('heating2mqtt/bridge/health');
  let count = 0;
  const write = async (topic: string, payload: string, result: string, status = 'applied'): Promise<void> => {
    count += 1;
    const id = `w${count}`;
    const { json } = await client.post('/api/write', { topic, payload: payload.replace('{', `{"id":"${id}",`), id });
    if (status === 'applied')
      await recorder.until((heard) => heard.topic === result && heard.payload.includes(`"${id}"`) && heard.payload.includes('"applied"'));
    else expect(json()).toMatchObject({ status });
  };
  const set = (value: object): Promise<void> => write(`${SCHEDULE_TOPIC}/set`, JSON.stringify({ value }), `${SCHEDULE_TOPIC}/result`);
  const other = [{ start: '05:00', end: '06:00', mode: 'comfort', position: 0 }];
  await set({ sun: SUNDAY, sat: SUNDAY });
  await set({ sun: other, mon: other });
  await system.restart();
  web.attach(system.app.view);
  await recorder.untilTopic('heating2mqtt/bridge/health');
  const [, first] = await changesOf(client);
  expect(first).toMatchObject({ after: { entries: { sun: SUNDAY, sat: SUNDAY } }, undo: { topic: `${SCHEDULE_TOPIC}/set` } });
  const undo = isRecord(first?.['undo']) ? first['undo'] : {};
  const days = JSON.parse(String(undo['payload']));
  expect(days).toEqual({ sun: entries.sun, sat: entries.sat });
  await set(days);
  const shown = (): unknown => JSON.parse(recorder.last(`${SCHEDULE_TOPIC}/entries`) ?? '');
  await expect.poll(shown).toMatchObject({ sun: entries.sun, sat: entries.sat, mon: other });
  const [, second, again] = await changesOf(client);
  expect(again).toMatchObject({ key: first?.['key'], undo: { why: 'is_so' } });
  // Pressed in two tabs: the second one changes nothing.
  await write(`${SCHEDULE_TOPIC}/set`, JSON.stringify({ value: days }), '', 'unchanged');
  expect(second).toMatchObject({ undo: { topic: `${SCHEDULE_TOPIC}/set` } });
});

test('a refusal of the platform is kept with its reason', async () => {
  const { system, client } = await startWebSystem();
  const { recorder, simulator } = system;
  await recorder.untilTopic('heating2mqtt/bridge/health');
  simulator.control({ command: 'fault', kind: 'success_false', match: { method: 'POST' }, times: 1 });
  await recorder.publish(`${SCHEDULE_TOPIC}/set`, JSON.stringify({ sun: SUNDAY }));
  await recorder.until(({ topic, payload }) => topic === `${SCHEDULE_TOPIC}/result` && payload.includes('"failed"'));
  expect(await changesOf(client)).toEqual([
    expect.objectContaining({
      feature: SCHEDULE,
      status: 'failed',
      undo: { why: 'nothing' },
      code: expect.any(String),
      message: expect.any(String),
    }),
  ]);
});

test('a write that was under way when the bridge was stopped is kept', async () => {
  const { system, web, client } = await startWebSystem();
  const { recorder, simulator } = system;
  await recorder.untilTopic('heating2mqtt/bridge/health');
  simulator.control({ command: 'fault', kind: 'hang', execute: true, match: { method: 'POST' }, times: 1 });
  await recorder.publish(`${SCHEDULE_TOPIC}/set`, JSON.stringify({ sun: SUNDAY }));
  await expect.poll(() => system.posts().length).toBe(1);
  await system.restart();
  web.attach(system.app.view);
  await expect
    .poll(() => changesOf(client))
    .toEqual([expect.objectContaining({ by: { kind: 'mqtt' }, after: { entries: { sun: SUNDAY } }, feature: SCHEDULE })]);
});
