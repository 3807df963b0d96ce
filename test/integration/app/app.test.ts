import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startAppSystem } from '../../support/app/appSystem.ts';
import { TOKEN } from '../../support/app/falseSupervisor.ts';
import { logInAt } from '../../support/web/setupWorld.ts';

const CLIENT = { platform: { client_id: 'heating2mqtt-demo' } };

/** A value of the simulated home, below `mqtt.base`. */
const isValue = (base: string) => (message: { readonly topic: string; readonly payload: string }) =>
  message.topic.startsWith(`${base}/`) && !message.topic.startsWith(`${base}/bridge/`) && message.payload !== '';

test('from the start to the first topic without a settings file, while Home Assistant starts its broker later', async () => {
  const { start, recorder, supervisor, dataDir } = await startAppSystem({
    options: { ...CLIENT, mqtt: { base: 'house' }, log: { level: 'debug' } },
    notYet: 2,
  });
  const app = start('run');
  await recorder.untilTopic('house/bridge/state', 'online');
  await recorder.until(isValue('house'));
  expect(supervisor.asked.map(({ status }) => status).slice(0, 3)).toEqual([400, 400, 200]);
  for (const { path, headers } of supervisor.asked) expect([path, headers.host]).toEqual(['/services/mqtt', 'supervisor']);
  expect(app.log()).toContain('Home Assistant has no MQTT broker yet');
  // People read it on the tab Log of the app, which is no terminal.
  expect(app.log()).toMatch(/^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] INFO: heating2mqtt starts /m);
  expect(app.log()).not.toContain(TOKEN);
  expect(readdirSync(dataDir).filter((name) => name.endsWith('.yaml'))).toEqual([]);
  app.child.kill('SIGTERM');
  expect(await app.ended()).toBe(0);
});

test('a broker that was installed anew: the refused login is tried again with the password of now', async () => {
  const { start, recorder, supervisor, broker } = await startAppSystem({ options: CLIENT });
  const app = start('run');
  await recorder.untilTopic('heating2mqtt/bridge/state', 'online');
  broker.change('second password');
  await app.untilLogged('user name or password is wrong');
  const from = recorder.heard.length;
  if (supervisor.service) supervisor.service = { ...supervisor.service, password: 'second password' };
  await recorder.untilTopic('heating2mqtt/bridge/state', 'online', from);
  expect(app.log()).not.toContain('second password');
});

test('while the Supervisor is updated, what it said last counts', async () => {
  const { start, recorder, supervisor, broker } = await startAppSystem({ options: CLIENT });
  start('run');
  await recorder.untilTopic('heating2mqtt/bridge/state', 'online');
  supervisor.isAway = true;
  const from = recorder.heard.length;
  broker.change('first password');
  await recorder.untilTopic('heating2mqtt/bridge/state', 'online', from);
});

test('a broker of its own among the options goes first, and the Supervisor is not asked', async () => {
  const { start, recorder, supervisor, broker, dataDir } = await startAppSystem();
  const mqtt = { url: broker.url, username: 'addons', password: 'first password' };
  writeFileSync(join(dataDir, 'options.json'), JSON.stringify({ ...CLIENT, mqtt }));
  start('run');
  await recorder.untilTopic('heating2mqtt/bridge/state', 'online');
  expect(supervisor.asked).toEqual([]);
});

test('commands inside of the app know its broker, too', async () => {
  const { start, broker } = await startAppSystem({ options: CLIENT, notYet: 1 });
  const early = start('check');
  expect(await early.ended()).toBe(1);
  expect(early.log()).toContain('FAIL broker: http://supervisor/services/mqtt: Home Assistant has no MQTT broker yet');
  const check = start('check');
  expect(await check.ended()).toBe(0);
  expect(check.log()).toContain(`ok   broker: ${broker.url} answers`);
});

test('the login can be made inside of the app, too', async () => {
  const { start, simulator } = await startAppSystem({ options: CLIENT, withoutTokens: true });
  const login = start('login', '--paste');
  await login.untilLogged('paste it here');
  const address = login
    .log()
    .split('\n')
    .find((line) => line.startsWith(simulator.url));
  login.child.stdin?.write(`${await logInAt(address ?? '')}\n`);
  expect(await login.ended()).toBe(0);
  const check = start('check');
  expect([await check.ended(), check.log()]).toEqual([0, expect.stringContaining('ok   login')]);
});

test('without any option the page waits for the set-up, and the app counts as healthy', async () => {
  const { start, dataDir } = await startAppSystem({ withoutTokens: true });
  const app = start('run');
  await app.untilLogged('Home Assistant shows the page');
  expect(app.log()).toContain('Open web UI');
  expect(app.log()).not.toContain('code');
  const health = start('check', '--health');
  expect(await health.ended()).toBe(0);
  expect(existsSync(join(dataDir, 'settings.yaml'))).toBe(false);
});
