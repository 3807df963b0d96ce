import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startAppSystem } from '../support/app/appSystem.ts';
import { logInAt } from '../support/system/logInAt.ts';

const CLIENT = { platform: { client_id: 'heating2mqtt-demo' } };

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
  await app.untilLogged('Open web UI');
  expect(app.log()).toContain('Home Assistant shows the page');
  expect(app.log()).not.toContain('code');
  const health = start('check', '--health');
  expect(await health.ended()).toBe(0);
  expect(existsSync(join(dataDir, 'settings.yaml'))).toBe(false);
});
