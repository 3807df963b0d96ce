import { expect, onTestFinished, test } from 'vitest';
import { startEmbeddedBroker } from '../../../src/mqtt/embeddedBroker.ts';
import { terminalFor } from '../../support/schedules/writing.ts';
import { processSystem } from '../../support/system/processSystem.ts';
import { SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';
import { untilSo } from '../../support/system/untilSo.ts';

/** The log of a bridge that starts, reads, takes two writes, is refused further calls until an instant, and stops. */
const logOnTerminal = async () => {
  const broker = await startEmbeddedBroker(0);
  onTestFinished(() => broker.close());
  const overrides = { log: { level: 'info', format: 'pretty' } } as const;
  const system = await processSystem({ brokerUrl: broker.url, protocolVersion: 4, overrides, zone: 'Asia/Kolkata' });
  const { simulator, recorder } = system;
  const bridge = await system.started();
  for (const payload of ['{"sun":[]}', 'sun 25:00-26:00 normal']) {
    const from = recorder.heard.length;
    await recorder.publish(`${SCHEDULE_TOPIC}/set`, payload);
    await terminalFor(recorder, `${SCHEDULE_TOPIC}/set`, from);
  }
  simulator.control({ command: 'fault', kind: 'rate_limited', limitReset: 7_200_000, match: { path: '/features' } });
  await recorder.publish('heating2mqtt/bridge/poll/set', 'home');
  await untilSo(() => /429.*until: /.test(bridge.log()));
  expect(await bridge.end('SIGTERM')).toBe(0);
  const secrets = Object.values(simulator.issueTokens()).filter((value) => typeof value === 'string' && value.length > 20);
  for (const secret of secrets) expect(bridge.log()).not.toContain(secret);
  return bridge.log().trimEnd().split('\n');
};

test('the log on a terminal: each message is one line with a local time', async () => {
  const lines = await logOnTerminal();
  for (const line of lines) expect(line).toMatch(/^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] (?:INFO|WARN): \S.*$/u);
  const text = lines.join('\n');
  expect(text).toMatch(/the first read is done \(devices: 1, features: \d+, topics: \d+, poll_seconds: 3600, calls_per_day: 24\)/);
  expect(text).toMatch(
    /write applied \(device: home, feature: \S+, command: setSchedule, payload: \{"sun":\[\]\}, days: \[sun\], by: MQTT\)/,
  );
  expect(text).toMatch(/write rejected \(device: home, .*by: MQTT, code: invalid, why: .*25:00/);
  // A zone that is half an hour off: no time of it is one of UTC.
  const [, logged = '', until = ''] = /\[([^\]]+)\] .*429.*until: (\S+ \S+)\)/.exec(text) ?? [];
  const [atMs, untilMs] = [logged, until].map((local) => Date.parse(`${local.replace(' ', 'T')}+05:30`));
  expect(Math.abs((atMs ?? 0) - Date.now())).toBeLessThan(60_000);
  expect(Math.abs((untilMs ?? 0) - (atMs ?? 0) - 7_200_000)).toBeLessThan(60_000);
});
