import { describe, expect, test } from 'vitest';
import { bugReport } from '../../../src/page/model/bugReport.ts';

test('a bug report has what is needed, and no number of a gateway', () => {
  const info = {
    version: '0.1.0',
    devices: [{ name: 'home', gateway: '7571381681420106' }],
    settings: { mqtt: { url: 'mqtt://broker' }, devices: [{ gateway: '7571381681420106' }] },
  };
  const topics = new Map([
    ['base/bridge/info', JSON.stringify(info)],
    ['base/bridge/quota', '{"used":{"per_day":12}}'],
    ['base/bridge/health', '{"failures":3}'],
    ['base/bridge/auth', '{"state":"ok"}'],
  ]);
  const at = '2026-11-22T10:00:00Z';
  const log = Array.from({ length: 150 }, (_, index) => ({ at, level: 'warn', message: `line ${index} of 7571381681420106` }));
  const devices = [{ name: 'home', model: 'E3_Vitocal', isOnline: false, features: new Map() }];
  const text = bugReport({ topics, base: 'base', version: '0.1.0', platform: 'linux x64, Node 26', browser: 'Firefox', devices, log });
  for (const part of ['heating2mqtt 0.1.0', 'linux x64, Node 26', 'Firefox', 'E3_Vitocal, 0 features, offline', 'mqtt://broker'])
    expect(text).toContain(part);
  for (const part of ['"per_day": 12', '"failures": 3']) expect(text).toContain(part);
  expect(text).toContain('line 149 of …0106');
  expect(text).not.toContain('line 49 ');
  expect(text).not.toContain('757138168142');
});

const HOSTILE = [
  `\`\`\`\n</textarea><script>alert(1)</script> @everyone #1 ![x](http://evil.example) \${{ secrets.TOKEN }} |a|b|`,
  `${'`'.repeat(500)}\u001b]0;title\u0007\u202etxt.exe\u0085\u2028fake 2026-11-22 error`,
  "'; rm -rf / #\r\nx: y",
  'x'.repeat(10_000),
];

test('a bug report is one block of Markdown that no name ends, each entry is one line of it, and GitHub takes its length', () => {
  const devices = HOSTILE.map((model) => ({ name: model, model, isOnline: true, features: new Map() }));
  const topics = new Map([
    ['base/bridge/info', JSON.stringify({ settings: HOSTILE })],
    ['base/bridge/auth', JSON.stringify({ state: HOSTILE[0] })],
  ]);
  const log = Array.from({ length: 100 }, (_, index) => ({
    ...{ at: '2026-11-22T10:00:00Z', level: 'warn' },
    message: `${index} ${HOSTILE[index % 4]?.slice(0, 1990)}`,
  }));
  const text = bugReport({ topics, base: 'base', version: '0.1.0', platform: 'linux', browser: 'Firefox', devices, log });
  expect(text.length).toBeLessThan(64_000);
  const [first = '', ...lines] = text.trimEnd().split('\n');
  expect(first).toMatch(/^`+text$/u);
  const fence = first.replace('text', '');
  expect(lines.pop()).toBe(fence);
  expect(lines.join('\n')).not.toContain(fence);
  expect(lines.filter((line) => /[\p{Cc}\u2028\u202e]/u.test(line))).toEqual([]);
  expect(lines.filter((line) => line.startsWith('- '))).toHaveLength(4);
  const logged = lines.slice(lines.indexOf('Log') + 1);
  expect(logged.filter((line) => !line.startsWith('2026-11-22T10:00:00Z warn '))).toEqual([]);
  expect(logged.at(-1)).toContain('warn 99 xxx');
});

describe('whoever put it there, a bug report does not have', () => {
  const reportOf = (message: string, url = 'mqtt://broker'): string =>
    bugReport({
      ...{ base: 'base', version: '0.1.0', platform: 'linux', browser: 'Firefox', devices: [] },
      topics: new Map([['base/bridge/info', JSON.stringify({ settings: { mqtt: { url, token: '/idp/v3/token' } } })]]),
      log: [{ at: '2026-11-22T10:00:00Z', level: 'warn', message }],
    });

  test.each([
    ['a token that a proxy sends back', 'refused (headers: Authorization: Bearer abc.DEF-123_456~7, code: E1)', 'abc.DEF'],
    ['a JSON Web Token', 'refused: eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl is not valid', 'c2lnbmF0dXJl'],
    ['the code of a login', 'opened http://localhost:4200/?code=Zx81yy&state=abcdef123 twice', 'Zx81yy'],
    ['the state of a login', 'opened http://localhost:4200/?code=Zx81yy&state=abcdef123 twice', 'abcdef123'],
    ['a password that is named', 'unknown key mqtt.passwort (password: "geheim-1234")', 'geheim-1234'],
    ['one with blanks', 'unknown key mqtt.passwort: "my long one"', 'long one'],
    ['a token in JSON', '{"refresh_token":"0123abcd-ef"}', '0123abcd'],
    ['a password in an address', 'no connection to mqtts://me:my-secret@broker:8883', 'my-secret'],
    ['an address of a person', 'logged in (as: erika.mustermann@example.com)', 'erika'],
  ])('%s', (_, message, secret) => {
    const text = reportOf(message);
    expect(text).toContain('…');
    expect(text).not.toContain(secret);
    expect(reportOf('', message)).not.toContain(secret);
  });

  test('and still says what happened', () => {
    const message = 'a read failed (code: gateway_offline, device: home, token: refreshed, path: /iot/v2/features)';
    expect(reportOf(message)).toContain('code: gateway_offline, device: home');
    expect(reportOf(message)).toContain('path: /iot/v2/features');
    expect(reportOf(message)).toContain('"token": "/idp/v3/token"');
  });
});
