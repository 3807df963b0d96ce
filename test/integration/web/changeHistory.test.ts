import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/shared/clock.ts';
import { isRecord } from '../../../src/shared/json.ts';
import { freePort } from '../../support/network/freePort.ts';
import { SCHEDULE, SCHEDULE_TOPIC, type TestSystem } from '../../support/system/testSystem.ts';
import { type WebClient, webClient } from '../../support/web/webClient.ts';
import { startWebSystem } from '../../support/web/webSystem.ts';

const CURVE = 'heating.circuits.0.heating.curve';
const SUNDAY = [{ start: '10:00', end: '12:00', mode: 'comfort', position: 0 }];

const CURVE_TOPIC = 'heating2mqtt/home/heating/circuits/0/heating/curve';

/** When the answer to the command of this id has this status. */
const answered = ({ recorder }: TestSystem, topic: string, id: string, status = 'applied') =>
  recorder.until((heard) => heard.topic === topic && heard.payload.includes(`"${id}"`) && heard.payload.includes(`"${status}"`));

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
  const entries = JSON.parse((await recorder.untilTopic(`${SCHEDULE_TOPIC}/entries`)).payload);
  expect(await changesOf(client)).toEqual([]);

  await recorder.publish(`${SCHEDULE_TOPIC}/set`, JSON.stringify({ value: { sun: SUNDAY }, id: 'one' }));
  await answered(system, `${SCHEDULE_TOPIC}/result`, 'one');
  const slope = (await recorder.untilTopic(`${CURVE_TOPIC}/slope`)).payload;
  await client.post('/api/write', { topic: `${CURVE_TOPIC}/slope/set`, payload: '2.1', id: 'two' });
  await answered(system, `${CURVE_TOPIC}/result`, 'two');
  // What is refused, or so already, changes nothing.
  await client.post('/api/write', { topic: `${CURVE_TOPIC}/slope/set`, payload: '2.1', id: 'three' });
  await client.post('/api/write', { topic: `${CURVE_TOPIC}/slope/set`, payload: '99', id: 'four' });

  const all = await changesOf(client);
  expect(all).toEqual([
    expect.objectContaining({
      device: 'home',
      feature: CURVE,
      topic: `${CURVE_TOPIC}/slope/set`,
      by: { kind: 'page' },
      before: { slope: Number(slope) },
      after: { slope: 2.1 },
      status: 'applied',
      undo: { topic: `${CURVE_TOPIC}/slope/set`, payload: JSON.stringify({ value: Number(slope) }) },
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
    await answered(system, 'heating2mqtt/home/result', `undo ${feature}`);
  }
  expect(JSON.parse(recorder.last(`${SCHEDULE_TOPIC}/entries`) ?? '')).toEqual(entries);
  expect(recorder.last(`${CURVE_TOPIC}/slope`)).toBe(slope);
  const [back] = await changesOf(client, `?device=home&feature=${CURVE}`);
  expect(back).toMatchObject({ by: { kind: 'page' }, before: { slope: 2.1 }, after: { slope: Number(slope) } });
  expect((await changesOf(client)).slice(2)).toEqual(all.map((one) => ({ ...one, undo: { why: 'is_so' } })));

  // What a temporary write replaced comes back by itself: that is a change too.
  await recorder.publish(`${SCHEDULE_TOPIC}/set`, JSON.stringify({ value: { sat: SUNDAY }, for: '1h', id: 'five' }));
  await answered(system, `${SCHEDULE_TOPIC}/result`, 'five');
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
  const ingress = webClient(port);
  const name = `<b>\u202eÄnna</b> ${'😀'.repeat(1500)}`;
  const headers = { 'sec-fetch-site': 'same-origin', 'x-remote-user-display-name': Buffer.from(name).toString('latin1') };
  const write = async (by: WebClient, payload: string): Promise<void> => {
    // As bytes: beside a text Node sends headers as UTF-8.
    const raw = Buffer.from(JSON.stringify({ topic: `${CURVE_TOPIC}/slope/set`, payload, id: payload }));
    expect((await by.ask('/api/write', { raw, headers })).status).toBe(202);
    await answered(system, `${CURVE_TOPIC}/result`, payload);
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
  let count = 0;
  const post = (value: object) => {
    count += 1;
    return client.post('/api/write', { topic: `${SCHEDULE_TOPIC}/set`, payload: JSON.stringify({ id: `w${count}`, value }) });
  };
  const set = async (value: object): Promise<void> => {
    await post(value);
    await answered(system, `${SCHEDULE_TOPIC}/result`, `w${count}`);
  };
  const other = [{ start: '05:00', end: '06:00', mode: 'comfort', position: 0 }];
  await set({ sun: SUNDAY, sat: SUNDAY });
  await set({ sun: other, mon: other });
  await system.restart();
  web.attach(system.app.view);
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
  expect((await post(days)).json()).toMatchObject({ status: 'unchanged' });
  expect(second).toMatchObject({ undo: { topic: `${SCHEDULE_TOPIC}/set` } });
});

test('a refusal of the platform is kept with its reason', async () => {
  const { system, client } = await startWebSystem();
  const { recorder, simulator } = system;
  simulator.control({ command: 'fault', kind: 'success_false', match: { method: 'POST' }, times: 1 });
  await recorder.publish(`${SCHEDULE_TOPIC}/set`, JSON.stringify({ sun: SUNDAY }));
  await recorder.until(({ topic, payload }) => topic === `${SCHEDULE_TOPIC}/result` && payload.includes('"failed"'));
  const why = { code: expect.any(String), message: expect.any(String) };
  expect(await changesOf(client)).toMatchObject([{ feature: SCHEDULE, status: 'failed', undo: { why: 'nothing' }, ...why }]);
});

test('a write that was under way when the bridge was stopped is kept', async () => {
  const { system, web, client } = await startWebSystem();
  const { recorder, simulator } = system;
  simulator.control({ command: 'fault', kind: 'hang', execute: true, match: { method: 'POST' }, times: 1 });
  await recorder.publish(`${SCHEDULE_TOPIC}/set`, JSON.stringify({ sun: SUNDAY }));
  await expect.poll(() => system.posts().length).toBe(1);
  await system.restart();
  web.attach(system.app.view);
  const kept = { by: { kind: 'mqtt' }, after: { entries: { sun: SUNDAY } }, feature: SCHEDULE };
  await expect.poll(() => changesOf(client)).toEqual([expect.objectContaining(kept)]);
});
