import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { pageBackups } from '../../../src/cli/setup/backups.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { listen } from '../../support/network/mqttRecorder.ts';
import { untilSo } from '../../support/system/untilSo.ts';
import { afterSetup, PAGE_PASSWORD, type SetupWorld, setupWorld } from '../../support/web/setupWorld.ts';

const FILE = { 'content-type': 'application/gzip' };
const dataOf = ({ cwd }: SetupWorld, name: string): string => join(cwd, 'data', name);
const TEXTS = ['settings.yaml', 'tokens.json'];
const textsOf = (world: SetupWorld): readonly string[] => TEXTS.map((name) => readFileSync(dataOf(world, name), 'utf8'));

const backupOf = async ({ download }: SetupWorld): Promise<Buffer> => {
  const { status, headers, bytes } = await download('api/backup');
  expect([status, headers['content-type']]).toEqual([200, 'application/gzip']);
  expect(headers['content-disposition']).toMatch(/^attachment; filename="heating2mqtt-\d{4}-\d\d-\d\d\.backup\.gz"$/);
  return bytes;
};

test('a backup brings settings, login and database to another machine', async () => {
  const old = await afterSetup();
  await old.post('api/settings', { changes: { 'poll.seconds': 90 } });
  const recorder = await listen(old.broker.url);
  await recorder.untilTopic('heating2mqtt/bridge/state', 'online');
  const backup = await backupOf(old);
  const texts = textsOf(old);
  await old.host.stop();
  const world = await setupWorld({ HEATING2MQTT_MQTT_URL: old.broker.url, HEATING2MQTT_PLATFORM_BASE_URL: old.simulator.url });
  const from = recorder.heard.length;
  expect((await world.send('api/backup/restore', backup, FILE)).status).toBe(401);
  await world.enter();
  expect((await world.send('api/backup/restore', backup, FILE)).status).toBe(202);
  await recorder.untilTopic('heating2mqtt/bridge/state', 'online', from);
  await recorder.close();
  await untilSo(() => world.host.web()?.entry() === 'password');
  expect(textsOf(world)).toEqual(texts);
  expect(await world.post('api/login', { password: PAGE_PASSWORD })).toMatchObject({ status: 204 });
  expect(await world.get('api/change-history')).toMatchObject({ status: 200 });
});

test('a backup of a bridge that runs has the values that were only in its memory', async () => {
  const world = await afterSetup();
  const recorder = await listen(world.broker.url);
  await recorder.until(({ topic, payload }) => topic === 'heating2mqtt/bridge/health' && payload.includes('last_success_at'));
  await recorder.close();
  const plain = gunzipSync(await backupOf(world));
  const copy = dataOf(world, 'copy.db');
  writeFileSync(copy, plain.subarray(plain.indexOf('\n') + 1));
  const database = new DatabaseSync(copy, { readOnly: true });
  expect(database.prepare('SELECT count(*) AS n FROM features').get()?.['n']).toBeGreaterThan(0);
  database.close();
});

test('what is no backup changes nothing: it is refused with the reason', async () => {
  const world = await afterSetup();
  const backup = gunzipSync(await backupOf(world));
  const before = [...textsOf(world), readdirSync(dataOf(world, ''))];
  const end = backup.indexOf('\n');
  const [head, database] = [JSON.parse(backup.toString('utf8', 0, end)), backup.subarray(end + 1)];
  const packed = (change: object, rest = database): Buffer =>
    gzipSync(Buffer.concat([Buffer.from(`${JSON.stringify({ ...head, ...change })}\n`), rest]));
  const broken = Buffer.from(database).fill(0x5a, 4096, 8192);
  const newer = Buffer.from(database);
  newer.writeUInt32BE(1000, 60);
  const changed = join(world.cwd, 'changed.db');
  writeFileSync(changed, database);
  const altered = new DatabaseSync(changed);
  altered.exec('PRAGMA journal_mode = DELETE; CREATE TRIGGER more AFTER INSERT ON calls BEGIN DELETE FROM writes; END');
  altered.close();
  const privately = 'calendar: {addresses: "http://127.0.0.1:9/x.ics", allow_private: true}\n';
  const wrong: readonly (readonly [Buffer, string])[] = [
    [packed({}, readFileSync(changed)), 'no_backup'],
    [packed({ texts: { ...head.texts, 'settings.yaml': `${head.texts['settings.yaml']}#${'x'.repeat(2 ** 20)}` } }), 'no_backup'],
    [packed({ texts: { ...head.texts, 'settings.yaml': `${head.texts['settings.yaml']}${privately}` } }), 'mistakes'],
    [packed({ texts: { ...head.texts, 'accounts.d/flat.yaml': `client_id: abc\n${privately}` } }), 'mistakes'],
    [Buffer.alloc(0), 'no_backup'],
    [Buffer.from('not packed'), 'no_backup'],
    [gzipSync('{}\n'), 'no_backup'],
    [gzipSync(backup).subarray(0, -9), 'no_backup'],
    [packed({ version: 2 }), 'newer_backup'],
    [packed({ more: 1 }), 'no_backup'],
    [packed({ texts: { ...head.texts, '../x': '' } }), 'no_backup'],
    [packed({ texts: { 'tokens.json': '{}' } }), 'no_backup'],
    [packed({}, Buffer.alloc(0)), 'no_backup'],
    [packed({}, broken), 'no_backup'],
    [packed({}, newer), 'newer_backup'],
    [packed({ texts: { ...head.texts, 'settings.yaml': 'poll: {secnds: 3}' } }), 'mistakes'],
  ];
  for (const [file, error] of wrong)
    expect(await world.send('api/backup/restore', file, FILE), file.toString('latin1', 0, 40)).toMatchObject({
      status: 422,
      body: { error },
    });
  expect(await world.send('api/backup/restore', packed({}), { 'content-type': 'text/plain' })).toMatchObject({ status: 415 });
  expect([...textsOf(world), readdirSync(dataOf(world, ''))]).toEqual(before);
});

test('a restore sends nothing of the time before it, and keeps what it replaces', async () => {
  const world = await afterSetup();
  await world.host.stop();
  const DAY_MS = 86_400_000;
  const write = (key: number, facts: object): readonly [number, number, string] => [
    key,
    Date.now(),
    JSON.stringify({ name: 'house', topic: 't', ...facts }),
  ];
  const end = (untilMs: number) => ({
    state: 'settled',
    command: 'c',
    answer: 'delivered',
    end: { untilMs, parts: [{ property: 'p', written: 1, former: 2 }] },
  });
  const database = new DatabaseSync(dataOf(world, 'heating2mqtt.db'));
  const put = database.prepare("INSERT INTO writes (key, at, device, feature, facts, live, listed) VALUES (?, ?, 'd', 'f', ?, 1, 0)");
  for (const row of [
    write(901, { state: 'queued' }),
    write(902, { state: 'waiting', command: 'c', values: {}, missing: [], untilMs: Date.now() + DAY_MS }),
    write(903, end(Date.now() - DAY_MS)),
    write(904, end(Date.now() + DAY_MS)),
  ])
    put.run(...row);
  database.close();
  const backups = pageBackups(dataOf(world, ''), systemClock);
  const file = await backups.make();
  // Calls and a pause since the backup was made.
  const later = new DatabaseSync(dataOf(world, 'heating2mqtt.db'));
  const countOf = (opened: DatabaseSync): unknown => opened.prepare('SELECT count(*) AS n FROM calls').get()?.['n'];
  for (let at = 1; at <= 3; at += 1) later.prepare('INSERT INTO calls (at, poll) VALUES (?, 1)').run(Date.now() + at);
  later.prepare('INSERT INTO pause (id, until, at) VALUES (1, 9, 8)').run();
  const calls = countOf(later);
  later.close();
  writeFileSync(dataOf(world, 'settings.yaml'), 'log: {level: debug}\n');
  const before = readdirSync(dataOf(world, ''));
  const takeBack = (await backups.read(file)).prepare()();
  const restored = new DatabaseSync(dataOf(world, 'heating2mqtt.db'), { readOnly: true });
  const rows = restored.prepare("SELECT key, facts ->> '$.end.untilMs' > 0 AS ends FROM writes WHERE key > 900 ORDER BY key").all();
  expect([countOf(restored), restored.prepare('SELECT until FROM pause').get()?.['until']]).toEqual([calls, 9]);
  restored.close();
  expect(rows.map((row) => ({ ...row }))).toEqual([
    { key: 903, ends: null },
    { key: 904, ends: 1 },
  ]);
  expect(readFileSync(dataOf(world, 'before-restore/settings.yaml'), 'utf8')).toBe('log: {level: debug}\n');
  expect(existsSync(dataOf(world, 'heating2mqtt.db.complete'))).toBe(false);
  takeBack();
  expect(readdirSync(dataOf(world, ''))).toEqual(before);
  expect(readFileSync(dataOf(world, 'settings.yaml'), 'utf8')).toBe('log: {level: debug}\n');
});
