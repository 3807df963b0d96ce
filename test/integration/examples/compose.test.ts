import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readSettings } from '../../../src/config/load.ts';
import { hasMosquitto, startMosquitto } from '../../support/network/mosquitto.ts';
import { listen } from '../../support/network/mqttRecorder.ts';
import { tempDir } from '../../support/system/testSystem.ts';

const { services, volumes } = parse(readFileSync(join(import.meta.dirname, '../../../compose.yaml'), 'utf8'));
const { heating2mqtt: bridge, mosquitto } = services;

describe('compose.yaml', () => {
  test('gives the bridge nothing that it does not need', () => {
    expect(bridge).toMatchObject({
      read_only: true,
      tmpfs: ['/tmp'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      restart: 'unless-stopped',
    });
    for (const key of ['privileged', 'user', 'network_mode', 'cap_add', 'healthcheck']) expect(bridge).not.toHaveProperty(key);
  });

  test('keeps in volumes what has to be kept', () => {
    expect(bridge.volumes).toContain('data:/data');
    expect(mosquitto.volumes).toContain('mosquitto:/mosquitto/data');
    expect(Object.keys(volumes)).toEqual(['data', 'mosquitto']);
  });

  test('tells the bridge where the broker is, and leaves the rest to the page', () => {
    const read = readSettings({ env: { ...bridge.environment, HEATING2MQTT_DATA_DIR: tempDir() }, cwd: tempDir() });
    expect(read.loaded.mqtt.url).toBe('mqtt://mosquitto:1883');
    expect(read.mistakes.filter(({ rule }) => rule !== 'required')).toEqual([]);
    expect(services).toHaveProperty(new URL(bridge.environment.HEATING2MQTT_MQTT_URL).hostname);
  });

  test('does not open the broker to the network', () => {
    expect(mosquitto.ports).toEqual(['127.0.0.1:1883:1883']);
  });

  test.runIf(hasMosquitto)('has a Mosquitto that starts with its configuration, and takes connections', async () => {
    const [shell, flag, script] = mosquitto.command;
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
});
