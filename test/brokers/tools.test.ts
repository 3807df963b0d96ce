import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Mosquitto, startMosquitto } from '../support/network/mosquitto.ts';
import { SCHEDULE_TOPIC, startTestSystem, type TestSystem } from '../support/system/testSystem.ts';

const run = promisify(execFile);

describe("Mosquitto's tools, as docs/mqtt-tools.md uses them", () => {
  let mosquitto: Mosquitto;
  let system: TestSystem;
  const tool = async (name: string, ...args: readonly string[]): Promise<string> =>
    (await run(name, ['-h', '127.0.0.1', '-p', String(mosquitto.port), ...args])).stdout.trim();

  beforeAll(async () => {
    mosquitto = await startMosquitto();
    system = await startTestSystem({ brokerUrl: mosquitto.url, device: { features: ['*'] } });
    await system.recorder.until(({ topic }) => topic === 'heating2mqtt/bridge/health');
  });
  afterAll(async () => {
    await system?.close();
    await mosquitto?.stop();
  });

  test('mosquitto_sub reads a value, mosquitto_pub writes one', async () => {
    expect(await tool('mosquitto_sub', '-C', '1', '-t', `${SCHEDULE_TOPIC}/sat`)).toBe(
      '07:00-17:00 normal, 17:00-21:00 comfort, 21:00-23:00 normal',
    );
    const from = system.recorder.heard.length;
    await tool('mosquitto_pub', '-q', '1', '-t', `${SCHEDULE_TOPIC}/set`, '-m', 'sat 08:00-23:00 normal');
    await system.recorder.untilTopic(`${SCHEDULE_TOPIC}/sat`, '08:00-23:00 normal', from);
  });

  test('mosquitto_rr waits for an answer', async () => {
    const topic = 'heating2mqtt/home/heating/dhw/temperature/main/value/set';
    const answer = JSON.parse(await tool('mosquitto_rr', '-V', '5', '-q', '1', '-W', '10', '-t', topic, '-e', 'my/answer', '-m', '99'));
    expect(answer).toMatchObject({ status: 'rejected', topic });
    expect(answer.message).toContain('60');
  });
});
