import { expect, onTestFinished, test } from 'vitest';
import { startCommand } from '../../support/cli/inProcess.ts';
import { listen } from '../../support/network/mqttRecorder.ts';
import { logInAt } from '../../support/system/logInAt.ts';
import { webClient } from '../../support/web/webClient.ts';

test('the demo shows a calendar and a plan by prices from its first minute on, whatever day it is', async () => {
  const demo = startCommand(['demo']);
  await demo.until('Ctrl-C stops the demo.');
  const [url = ''] = /mqtt:\/\/127\.0\.0\.1:\d+/u.exec(demo.out()) ?? [];
  const recorder = await listen(url);
  onTestFinished(() => recorder.close());
  await recorder.client.subscribeAsync('heating2mqtt/#', { qos: 1 });
  const isSaid = (topic: string, text: string) =>
    recorder.until((one) => one.topic === `heating2mqtt/${topic}` && one.payload.includes(text));
  await isSaid('bridge/calendar', 'Holiday at the sea');
  await isSaid('bridge/price_plan', '"proposed"');
  // A day with two levels would have none.
  const { payload } = await isSaid('home/heating/dhw/schedule/text', 'mon-sun ');
  expect(payload).toBe('mon-sun 05:00-07:00 normal, 16:00-21:00 normal');
  // The home of a second account follows.
  await isSaid('bridge/accounts', '"name":"parents","state":"running","broker":true,"login":"ok"');
  await isSaid('parents/home/heating/dhw/temperature/main/value', '50');
  // Both take a new login on the page.
  const [, port = ''] = /Web page: http:\/\/127\.0\.0\.1:(\d+)/u.exec(demo.out()) ?? [];
  const { post } = webClient(Number(port));
  for (const name of ['', 'parents']) {
    const begun = (await post('/api/accounts/login', { name })).json();
    const address = await logInAt(String(begun['address']));
    expect((await post('/api/accounts/login/finish', { name, address })).json()).toMatchObject({ status: 'applied' });
  }
  // An answer of the bridge itself is told by its topic and its sentence.
  await recorder.client.publishAsync('heating2mqtt/bridge/price_plan/set', 'once', { qos: 1 });
  await demo.until('this plan is sent');
  expect(demo.out()).toContain('applied heating2mqtt/bridge/price_plan/set: this plan is sent when it begins');
  // Others may publish anything below the base of a broker of the user's: what is long is neither kept nor printed.
  await recorder.client.publishAsync('heating2mqtt/home/long', 'x'.repeat(5000), { qos: 1 });
  const forged = { status: 'applied', command: 'setLong', feature: 'long', topic: 'heating2mqtt/home/long/set' };
  await recorder.client.publishAsync('heating2mqtt/home/result', JSON.stringify(forged), { qos: 1 });
  await demo.until('setLong long');
  expect(demo.out()).not.toContain('xxx');
  expect((await demo.stop()).code).toBe(0);
});
