import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { accountsWorld } from '../support/accounts/accountsWorld.ts';
import { runCommand, startCommand } from '../support/cli/inProcess.ts';
import { freePort } from '../support/network/freePort.ts';
import { listen } from '../support/network/mqttRecorder.ts';
import { startTestBroker } from '../support/network/testBroker.ts';
import { untilSo } from '../support/system/untilSo.ts';

const END = '08:00';
const online = (base: string): string => `${base}/bridge/state`;

test('a bridge of the main account that has lost its database clears nothing of the others', async () => {
  const world = await accountsWorld({ rows: ['parents'] });
  for (const name of ['', 'parents']) await world.recorder.until(({ topic }) => topic === `${world.week(name)}/record`);
  await world.running.stop();
  rmSync(join(world.dataDir, 'heating2mqtt.db'), { force: true });
  mkdirSync(world.dataDir, { recursive: true });
  const from = world.recorder.heard.length;
  world.start();
  await world.recorder.until(({ topic, payload }) => topic === online('heating2mqtt/parents') && payload === 'online', from);
  await world.recorder.until(({ topic, payload }) => topic === online('heating2mqtt') && payload === 'online', from);
  expect(
    world.recorder.heard.slice(from).filter(({ topic, payload }) => topic.startsWith('heating2mqtt/parents/') && payload === ''),
  ).toEqual([]);
});

test.each([
  ['refuses every call for days (429)', { command: 'fault', status: 429 }],
  ['fails without end (500)', { command: 'fault', status: 500 }],
  ['hangs', { command: 'fault', hang: true }],
  ['answers with 3 MB', { command: 'fault', kind: 'large' }],
  ['sends bodies without an end', { command: 'fault', kind: 'trickle' }],
])('while the platform of one account %s, the others read and write', async (_, fault) => {
  const rows = ['a', 'b', 'c'];
  const world = await accountsWorld({ main: false, rows });
  for (const name of rows) await world.recorder.until(({ topic }) => topic === `${world.week(name)}/record`);
  world.platforms.get('b')?.control(fault);
  for (const name of rows) await world.write(name, `w-${name}`, END);
  for (const name of ['a', 'c']) await untilSo(() => world.answers(`w-${name}`).length === 2);
  for (const name of ['a', 'c']) expect(world.answers(`w-${name}`)).toEqual(['accepted', 'applied']);
  expect(world.list().map(({ state }) => state)).toEqual(['running', 'running', 'running']);
});

test('without a login, an account asks for one, and the others go on', async () => {
  const world = await accountsWorld({ main: false, rows: ['a', 'b'], withoutLogin: 'b' });
  await world.recorder.until(({ topic }) => topic === `${world.week('a')}/record`);
  await untilSo(() => world.list().some(({ name, login }) => name === 'b' && login === 'needed'));
  await world.write('a', 'w', END);
  await untilSo(() => world.answers('w').length === 2);
});

test('an account whose folder cannot be used is tried again, and the others go on', async () => {
  const world = await accountsWorld({ main: false, rows: ['a', 'b'] });
  await world.running.stop();
  const folder = join(world.dataDir, 'accounts', 'b');
  renameSync(folder, `${folder}.away`);
  writeFileSync(folder, '');
  const running = world.start();
  await untilSo(() => world.list()[1]?.problem?.includes('there is a file with this name') === true);
  expect(world.list()[1]?.state).toBe('stopped');
  await world.write('a', 'w', END);
  await untilSo(() => world.answers('w').length === 2);
  rmSync(folder);
  renameSync(`${folder}.away`, folder);
  running.hangUp();
  await untilSo(() => world.list()[1]?.state === 'running');
});

test('where the broker is away at the start, all accounts come once it is there', async () => {
  const world = await accountsWorld({ rows: ['a', 'b'] });
  await world.running.stop();
  const port = await freePort();
  const file = join(world.cwd, 'settings.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/url: mqtt:.*/, `url: mqtt://127.0.0.1:${port}`));
  world.start();
  await untilSo(() => ['a', 'b'].every((name) => existsSync(join(world.dataDir, 'accounts', name, 'bridge.lock'))));
  const broker = await startTestBroker(port);
  onTestFinished(() => broker.close());
  const recorder = await listen(broker.url);
  onTestFinished(() => recorder.close());
  for (const name of ['', 'a', 'b']) await recorder.until(({ topic }) => topic === `${world.week(name)}/record`);
  await recorder.until(({ topic, payload }) => topic === 'heating2mqtt/bridge/accounts' && payload.split('"running"').length === 4);
});

test.each([
  ['a further account', ['--account', 'a'], 'heating2mqtt/a'],
  ['the main account without its database', [], 'heating2mqtt'],
])('forget withdraws what %s has published, and nothing else', async (_, words, base) => {
  const world = await accountsWorld({ rows: ['a'], files: ['b'] });
  for (const name of ['', 'a', 'b']) await world.recorder.until(({ topic }) => topic === `${world.week(name)}/record`);
  await world.running.stop();
  rmSync(join(world.dataDir, 'heating2mqtt.db'));
  const from = world.recorder.heard.length;
  expect(await runCommand(['forget', '--config', 'settings.yaml', '--force', ...words], { cwd: world.cwd })).toMatchObject({
    code: 0,
    err: '',
  });
  // It comes after all that forget has sent.
  await world.recorder.publish('after', base);
  await world.recorder.until(({ topic }) => topic === 'after', from);
  const gone = world.recorder.heard.slice(from).flatMap(({ topic, payload }) => (payload === '' ? topic : []));
  expect(gone).toContain(online(base));
  const [other, another] = words.length === 0 ? ['heating2mqtt/[ab]/', '100[12]'] : ['heating2mqtt/(?!a/)', '100[02]'];
  expect(gone.filter((topic) => new RegExp(`^${other}|^homeassistant/.*${another}_`).test(topic))).toEqual([]);
  expect(gone.length).toBeGreaterThan(400);
});

test('of two processes with the same account the one that loses its client id stops it, and says so', async () => {
  const world = await accountsWorld({ main: false, rows: ['a'] });
  await world.recorder.until(({ topic }) => topic === `${world.week('a')}/record`);
  const taking = await world.takeClientId('a');
  await untilSo(() => world.list()[0]?.state === 'taken_over');
  expect(world.list()[0]?.problem).toContain('another process seems to serve this account');
  await taking();
  world.running.hangUp();
  await untilSo(() => world.list()[0]?.state === 'running');
});

test('two processes with one base share the accounts out; one account of both is served by one of them, and its writes are sent once', async () => {
  const world = await accountsWorld({ main: false, rows: ['a', 'b', 'c'] });
  await world.recorder.until(({ topic }) => topic === `${world.week('c')}/record`);
  await world.running.stop();
  const other = join(world.cwd, 'other');
  for (const name of ['b', 'c']) cpSync(join(world.dataDir, 'accounts', name), join(other, 'accounts', name), { recursive: true });
  const settings = (rows: readonly string[], own: object): string => {
    const { mqtt, ...all } = parse(world.settingsWith(rows));
    return stringify({ ...all, ...own, mqtt: { ...mqtt, client_id: rows.join('-') } });
  };
  writeFileSync(join(world.cwd, 'settings.yaml'), settings(['a', 'b'], {}));
  writeFileSync(join(world.cwd, 'other.yaml'), settings(['c'], { data_dir: other }));
  const heard = (name: string, state: string): boolean =>
    world.recorder.heard
      .slice(from)
      .some(({ topic, payload }) => topic.endsWith('/accounts') && payload.includes(`"${name}","state":"${state}"`));
  const from = world.recorder.heard.length;
  world.start();
  const second = startCommand(['run', '--config', 'other.yaml'], { cwd: world.cwd });
  await untilSo(() => ['a', 'b', 'c'].every((name) => heard(name, 'running')));
  expect(['a', 'b', 'c'].filter((name) => heard(name, 'taken_over'))).toEqual([]);
  writeFileSync(join(world.cwd, 'other.yaml'), settings(['c', 'b'], { data_dir: other }));
  second.hangUp();
  await untilSo(() => heard('b', 'taken_over'));
  for (const name of ['a', 'b', 'c']) await world.write(name, `w-${name}`, END);
  for (const name of ['a', 'b', 'c']) await untilSo(() => world.answers(`w-${name}`).at(-1) === 'applied');
  for (const name of ['a', 'b', 'c']) expect(world.answers(`w-${name}`)).toEqual(['accepted', 'applied']);
});
