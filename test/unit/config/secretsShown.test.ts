import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { runs } from '../../support/chance.ts';
import { expectTable } from '../../support/golden.ts';
import { load, mistakes, REQUIRED } from './loading.ts';

const SECRET = 'hunter2';

/** The mistakes that loading ends with, none of which shows the secret. */
const silent = (yaml: string, env: Readonly<Record<string, string>> = {}): readonly string[] => {
  const lines = mistakes(() => load(REQUIRED + yaml, env));
  expect(lines.join('\n')).not.toContain(SECRET);
  return lines;
};

describe('a password in mqtt.url', () => {
  it.each([
    ['/', '%2F'],
    ['?', '%3F'],
    ['#', '%23'],
    ['\\', '%5C'],
  ])('with a %s is told by the character to write otherwise', (sign, encoded) => {
    for (const password of [`${SECRET}${sign}x`, `x${sign}${SECRET}`, `12${sign}${SECRET}`, `${sign}${SECRET}@x${sign}`]) {
      for (const protocol of ['mqtt', 'mqtts', 'ws', 'wss']) {
        expect(silent(stringify({ mqtt: { url: `${protocol}://me:${password}@host:1883` } }))).toEqual([
          `settings.yaml, line 4: mqtt.url: "${protocol}://…@host:1883" contains ${sign} in its user name or password; allowed: ${encoded} instead of ${sign}, and %40 for an @ after the host`,
        ]);
      }
    }
  });

  it.each(['@', '%', ':', '&', '+', ' ', '"', "'", 'ü', '[', '^', '|'])('with a %s is taken as it is', (sign) => {
    const { mqtt } = load(REQUIRED + stringify({ mqtt: { url: `mqtt://me:a${sign}${SECRET}@host:1883` } }));
    expect(mqtt).toMatchObject({ url: 'mqtt://host:1883', username: 'me', password: `a${sign}${SECRET}` });
  });

  it('is not shown, whatever it is', () => {
    const text = fc.string({ unit: 'grapheme-ascii', maxLength: 8 });
    const protocol = fc.constantFrom('mqtt://', 'mqtts:/', 'ws://', 'http://', '//', 'mqtt:', '');
    const rest = fc.constantFrom('@host', '@host:1883', '@host/path', '@', '', '@ho st', '@host:x', '@[::1', '@host?a=b');
    fc.assert(
      fc.property(protocol, fc.constantFrom('me:', ':', 'm e:'), text, text, rest, (start, user, before, after, end) => {
        // What stands behind the last @ is the host, and behind a port the path.
        fc.pre(end.includes('@') || !(before.includes('@') || /^\d+\//.test(before)));
        const yaml = stringify({ mqtt: { url: `${start}${user}${before}${SECRET}${after}${end}` } });
        for (const mqtt of [{}, { username: 'you' }, { password: 'p' }]) silent(yaml + stringify({ mqtt }).replace(/^mqtt:.*\n/, ''));
      }),
      { numRuns: runs(400) },
    );
  });

  it('is not shown as the key of a wrong place, nor where the host was forgotten', () => {
    for (const url of ['mqtt://me:hunter2', 'me:hunter2@host', 'mqtt:me:hunter2@host', 'mqtt://me@x:hunter2', 'wsx://h/p?token=hunter2']) {
      for (const mqtt of [{ url }, url, { url: { [url]: 1 } }, { [url]: 1 }, { url: [url] }, { client_id: { [url]: 1 } }])
        expect([url, silent(stringify({ mqtt })).length]).not.toEqual([url, 0]);
    }
  });
});

describe('a secret is not shown', () => {
  it('in a file, wherever its mistake is', () => expectTable('secretsInFiles', 23, (yaml: string) => silent(yaml).length > 0));

  it('whatever stands around it', () => {
    const junk = fc.stringMatching(/^[-[\]{}:&*!|>'"%@#?\t \\a=]{0,4}$/);
    fc.assert(
      fc.property(junk, junk, junk, (before, after, later) => {
        silent(`mqtt:\n  username: u\n  password: ${before}${SECRET}${after}\n  ${later}`);
        silent(`mqtt: { username: u, password: ${before}${SECRET}${after}, ${later} }\n`);
      }),
      { numRuns: runs(400) },
    );
  });

  it('of the environment, in its own variable or in that of a file', () => {
    expect(silent('', { HEATING2MQTT_MQTT_USERNAME: 'u', HEATING2MQTT_MQTT_PASSWORD: 'hunter2\u0000' })).not.toEqual([]);
    expect(silent('', { HEATING2MQTT_MQTT_USERNAME: 'u', HEATING2MQTT_MQTT_PASSWORD_FILE: 'hunter2' })).toEqual([
      'HEATING2MQTT_MQTT_PASSWORD_FILE: mqtt.password names a file that cannot be read (ENOENT); allowed: the path of a file',
    ]);
    expect(silent('', { HEATING2MQTT_MQTT_URL: 'mqtt://me:1/hunter2@host' })).not.toEqual([]);
    const entry = '{"name":"flat","mqtt":{"password":"hunter2"}}';
    for (const HEATING2MQTT_ACCOUNTS of [entry, `[${entry}`]) expect(silent('', { HEATING2MQTT_ACCOUNTS })).not.toEqual([]);
  });

  it('of a key that stands where its file belongs', () => {
    const pem = `-----BEGIN PRIVATE KEY-----\n${SECRET}\n-----END PRIVATE KEY-----\n`;
    for (const key of [pem, pem.replaceAll('\n', ' ')])
      expect(silent(stringify({ mqtt: { url: 'mqtts://h', cert: 'settings.yaml', key } }))).toEqual([
        expect.stringMatching(/^settings\.yaml, line \d+: mqtt\.key contains the text of a PEM file; allowed: the path of the file$/),
      ]);
  });
});
