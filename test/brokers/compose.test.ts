import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { startMosquitto } from '../support/network/mosquitto.ts';
import { listen } from '../support/network/mqttRecorder.ts';
import { tempDir } from '../support/system/testSystem.ts';

const { services } = parse(readFileSync(join(import.meta.dirname, '../../compose.yaml'), 'utf8'));

test('compose.yaml has a Mosquitto that starts with its configuration, and takes connections', async () => {
  const [shell, flag, script] = services.mosquitto.command;
  const shown = execFileSync(shell, [flag, script.replace('> /tmp/mosquitto.conf ', '').replace(/^exec .*$/m, '')], { encoding: 'utf8' });
  const lines = shown.trimEnd().split('\n');
  expect(lines).toEqual(expect.arrayContaining(['listener 1883', 'persistence true', 'persistence_location /mosquitto/data/']));
  // The port and the folder are others here.
  const config = lines.filter((line) => !/^(?:listener|persistence|persistence_location) /.test(line));
  const broker = await startMosquitto({ config, persistence: tempDir() });
  const recorder = await listen(broker.url);
  await recorder.publish('a/b', 'c');
  await recorder.untilTopic('a/b');
  await recorder.close();
  await broker.stop();
});
