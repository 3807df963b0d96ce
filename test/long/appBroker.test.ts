import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FIRST_PASSWORD, startAppSystem } from '../support/app/appSystem.ts';
import { TOKEN } from '../support/app/falseSupervisor.ts';

/** A value of the simulated home, below `mqtt.base`. */
const isValue = (base: string) => (message: { readonly topic: string; readonly payload: string }) =>
  message.topic.startsWith(`${base}/`) && !message.topic.startsWith(`${base}/bridge/`) && message.payload !== '';

// Its commands, the login inside of it, and options beside the Supervisor: test/long/app.test.ts.
test('the app without a settings file: the broker that the Supervisor names, later, with another password, and while it is updated', async () => {
  const { start, recorder, supervisor, broker, dataDir } = await startAppSystem({
    options: { platform: { client_id: 'heating2mqtt-demo' }, mqtt: { base: 'house' }, log: { level: 'debug' } },
    notYet: 2,
  });
  const app = start('run');
  const online = (from: number) => recorder.untilTopic('house/bridge/state', 'online', from);
  await online(0);
  await recorder.until(isValue('house'));
  expect(supervisor.asked.map(({ status }) => status).slice(0, 3)).toEqual([400, 400, 200]);
  for (const { path, headers } of supervisor.asked) expect([path, headers.host]).toEqual(['/services/mqtt', 'supervisor']);
  expect(app.log()).toContain('Home Assistant has no MQTT broker yet');
  // People read it on the tab Log of the app, which is no terminal.
  expect(app.log()).toMatch(/^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] INFO: heating2mqtt starts /m);
  expect(readdirSync(dataDir).filter((name) => name.endsWith('.yaml'))).toEqual([]);

  // While the Supervisor is updated, what it said last counts.
  supervisor.isAway = true;
  let from = recorder.heard.length;
  broker.change(FIRST_PASSWORD);
  await online(from);

  // A broker that was installed anew: the refused login is tried again with the password of now.
  supervisor.isAway = false;
  broker.change('second password');
  await app.untilLogged('user name or password is wrong');
  from = recorder.heard.length;
  if (supervisor.service) supervisor.service = { ...supervisor.service, password: 'second password' };
  await online(from);
  for (const secret of [TOKEN, 'second password']) expect(app.log()).not.toContain(secret);
  app.child.kill('SIGTERM');
  expect(await app.ended()).toBe(0);
});
