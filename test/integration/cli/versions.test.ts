import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { readArguments } from '../../../src/cli/arguments.ts';
import { readScheduleRequest } from '../../../src/cli/schedule/scheduleArguments.ts';
import { schedule } from '../../../src/cli/schedule/scheduleCommand.ts';
import { SCHEDULE, SCHEDULE_TOPIC, startTestSystem, tempDir } from '../../support/system/testSystem.ts';

test('versions are listed beside the running bridge, and one is written again, or kept as a profile', async () => {
  const system = await startTestSystem({ device: { features: [SCHEDULE] } });
  onTestFinished(() => system.close());
  const { recorder, settings } = system;
  await expect.poll(() => recorder.last(`${SCHEDULE_TOPIC}/text`)).toBeDefined();
  const first = recorder.last(`${SCHEDULE_TOPIC}/text`);
  const type = async (...args: readonly string[]): Promise<string> => {
    const request = readArguments(['schedule', 'versions', 'circuits.0', ...args]);
    if (request.kind !== 'command') throw new Error('no command');
    let out = '';
    const say = (text: string): void => {
      out += `${text}\n`;
    };
    const env = { HEATING2MQTT_DATA_DIR: settings.data_dir, HEATING2MQTT_PLATFORM_CLIENT_ID: 'x' };
    const io = { env, cwd: tempDir(), out: say, err: () => undefined, stdin: Readable.from([]), isTTY: false };
    await schedule(settings, readScheduleRequest(request.words ?? [], request.values), io).catch((error: Error) => say(error.message));
    return out;
  };
  expect(await type()).toBe(`home ${SCHEDULE}\n  1  before the recorded changes\n     the current week\n`);
  await type('--restore', '2');
  for (const week of ['daily 05:30-09:00 normal', 'daily 05:30-10:00 normal']) {
    await recorder.publish(`${SCHEDULE_TOPIC}/set`, week);
    await expect.poll(() => recorder.last(`${SCHEDULE_TOPIC}/text`)).toBe(week.replace('daily', 'mon-sun'));
  }
  expect(await type()).toMatch(
    /^home .*\n {2}1 {2}\S+ \S+ by MQTT\n {5}the current week\n {2}2 {2}\S+ \S+ by MQTT\n {5}Mon–Sun: 10:00 → 09:00, 1 h less a day\n {2}3 {2}before the recorded changes\n/u,
  );
  expect(JSON.parse(await type('--json'))).toMatchObject([
    { by: { kind: 'mqtt' } },
    { text: 'mon-sun 05:30-09:00 normal' },
    { text: first },
  ]);
  expect(await type('--restore', '9')).toContain('There is no version 9');
  expect(await type('--version', '2', '--name', 'custom')).toContain('--name custom');
  expect(await type('--version', '2', '--name', 'early')).toMatch(/^early is stored in .*settings.yaml/u);
  expect(readFileSync(join(settings.data_dir, 'settings.yaml'), 'utf8')).toMatch(/early: "?mon-sun 05:30-09:00 normal/u);
  expect(await type('--restore', '3', '--until', '22:00')).toContain('It ends by itself');
  expect(recorder.last(`${SCHEDULE_TOPIC}/text`)).toBe(first);
});
