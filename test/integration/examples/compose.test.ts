import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readSettings } from '../../../src/config/load.ts';
import { tempDir } from '../../support/system/testSystem.ts';

const { services, volumes } = parse(readFileSync(join(import.meta.dirname, '../../../compose.yaml'), 'utf8'));
const { heating2mqtt: bridge, mosquitto } = services;

test('compose.yaml gives the bridge nothing that it does not need, and does not open the broker to the network', () => {
  const hardened = { read_only: true, tmpfs: ['/tmp'], cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] };
  expect(bridge).toMatchObject({ ...hardened, restart: 'unless-stopped' });
  for (const key of ['privileged', 'user', 'network_mode', 'cap_add', 'healthcheck']) expect(bridge).not.toHaveProperty(key);
  expect(mosquitto.ports).toEqual(['127.0.0.1:1883:1883']);
});

test('compose.yaml keeps in volumes what has to be kept', () => {
  expect(bridge.volumes).toContain('data:/data');
  expect(mosquitto.volumes).toContain('mosquitto:/mosquitto/data');
  expect(Object.keys(volumes)).toEqual(['data', 'mosquitto']);
});

test('compose.yaml tells the bridge where the broker is, and leaves the rest to the page', () => {
  const read = readSettings({ env: { ...bridge.environment, HEATING2MQTT_DATA_DIR: tempDir() }, cwd: tempDir() });
  expect(read.loaded.mqtt.url).toBe('mqtt://mosquitto:1883');
  expect(read.mistakes.filter(({ rule }) => rule !== 'required')).toEqual([]);
  expect(services).toHaveProperty(new URL(bridge.environment.HEATING2MQTT_MQTT_URL).hostname);
});
