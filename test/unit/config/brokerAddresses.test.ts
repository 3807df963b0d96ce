import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { settingsList } from '../../../src/config/editing/settingsList.ts';
import { readSettings } from '../../../src/config/load.ts';
import { load, mistakes, REQUIRED } from './loading.ts';

const broker = (mqtt: object, env: Readonly<Record<string, string>> = {}) => load(REQUIRED + stringify({ mqtt }), env).mqtt;
const faults = (mqtt: object) => mistakes(() => broker(mqtt));

describe('several addresses in mqtt.url', () => {
  it.each([
    ['a list', { url: ['mqtt://a:1', 'mqtt://b:2'] }, {}],
    ['text with commas', { url: 'mqtt://a:1,mqtt://b:2' }, {}],
    ['text with blanks', { url: ' mqtt://a:1 ,  mqtt://b:2' }, {}],
    ['a variable', {}, { HEATING2MQTT_MQTT_URL: 'mqtt://a:1, mqtt://b:2' }],
    ['JSON in a variable', {}, { HEATING2MQTT_MQTT_URL: '["mqtt://a:1", "mqtt://b:2"]' }],
  ])('are %s', (_, mqtt, env) => {
    expect(broker({ ...mqtt, username: 'me', password: 'p' }, env)).toMatchObject({
      ...{ url: 'mqtt://a:1', username: 'me', password: 'p' },
      others: [{ url: 'mqtt://b:2', username: 'me', password: 'p' }],
    });
  });

  it('have a user each, and a comma in a password ends none', () => {
    const mqtt = broker({ url: 'mqtt://me:a,b@a, mqtt://you:c@b, mqtt://c' });
    expect(mqtt).toMatchObject({ url: 'mqtt://a', username: 'me', password: 'a,b' });
    expect(mqtt.others).toEqual([{ url: 'mqtt://b', username: 'you', password: 'c' }, { url: 'mqtt://c' }]);
    expect(broker({ url: 'mqtt://a' })).not.toHaveProperty('others');
  });

  it('are checked one by one', () => {
    expect(faults({ url: 'mqtt://a, http://b' })[0]).toContain('"http://b" is not an address');
    expect(faults({ url: 'mqtt://a:1,b:2' })[0]).toContain('is not an address; allowed');
    expect(faults({ url: 'mqtt://a,b' })[0]).toContain('nearest: mqtt://a, mqtt://b');
    expect(faults({ url: [] })).toHaveLength(1);
    expect(faults({ url: 'mqtts://a, mqtt://b', ca: import.meta.filename })[0]).toContain('mqtt.url does not use TLS');
    expect(faults({ url: 'mqtt://a, mqtt://me@b', username: 'you' })[0]).toContain('mqtt.url also contains a user name');
    expect(faults({ url: 'mqtt://a, mqtt://:p@b' })[0]).toContain('without mqtt.username');
  });

  it.each(['mqtt://a:65536', 'mqtt://me:p@a:99999', 'ws://[::1]:123456/mqtt', 'mqtt://a:0', 'mqtt://a:1, mqtt://b:99999'])(
    'have a port up to 65535: %s',
    (url) => {
      const [first = ''] = faults({ url });
      expect(first).toContain('has an invalid port; allowed: a port from 1 to 65535');
      expect(first).not.toContain('is not an address');
    },
  );

  it('are all shown on the page, without passwords', () => {
    const env = { HEATING2MQTT_MQTT_URL: 'mqtt://me:secret@a, mqtt://b' };
    const row = settingsList(readSettings({ env, cwd: '/' })).find(({ path }) => path === 'mqtt.url');
    expect(row?.value).toBe('mqtt://a, mqtt://b');
  });
});

it.each([
  ['my house', 'contains a space'],
  ['a/*/b', 'wildcard of NATS'],
  ['>', 'wildcard of NATS'],
])('mqtt.base %s is refused, as NATS cannot take it', (base, sentence) => {
  expect(faults({ base })[0]).toContain(sentence);
  expect(broker({ base: 'a*/b>' })).toMatchObject({ base: 'a*/b>' });
});
