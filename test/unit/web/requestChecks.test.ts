import { describe, expect, test } from 'vitest';
import { cookiesNamed, isFromPage, isHostAllowed, isJson, mayRead, pathBelow, takesGzip } from '../../../src/web/security/requestChecks.ts';

describe('the host of a request', () => {
  const known = { machine: 'Cellar', hosts: ['https://heating.example.com:8443/', 'Other.Example.', 'https://Müller.example'] };
  test.each([
    '127.0.0.1:8427',
    '192.168.1.20',
    '[::1]:8427',
    '[fd00::1]',
    'localhost:8427',
    'LOCALHOST',
    'heating',
    'pi.local:8427',
    'cellar:80',
    'heating.example.com',
    'HEATING.example.com:443',
    'other.example',
    'other.example.:80',
    // As a browser sends müller.example.
    'xn--mller-kva.example',
  ])('%s is allowed', (host) => expect(isHostAllowed(host, known)).toBe(true));
  test.each([
    undefined,
    '',
    'evil.example',
    'evil.example:8427',
    '127.0.0.1.evil.example',
    'heating.example.com.evil.example',
    'localhost.evil.example',
    'pi.local.evil.example',
    'evil.example@127.0.0.1',
    'evil.example/127.0.0.1',
    'http://127.0.0.1',
    'a b',
    'x.example, 127.0.0.1',
  ])('%s is refused', (host) => expect(isHostAllowed(host, known)).toBe(false));
});

describe('a request that changes something', () => {
  const nothing = { fetchSite: undefined, origin: undefined, host: '192.168.1.20:8427', forwardedHost: undefined };
  test.each([
    [{ fetchSite: 'same-origin' }],
    [{ fetchSite: 'same-origin', origin: 'https://other.example' }],
    [{ origin: 'http://192.168.1.20:8427' }],
    // TLS ends at a proxy, which may leave out the port.
    [{ origin: 'https://192.168.1.20:8443', host: '192.168.1.20' }],
    [{ origin: 'https://pi.local', host: 'PI.local' }],
    // nginx: proxy_set_header Host $host:$server_port
    [{ origin: 'http://pi.local', host: 'pi.local:80' }],
    [{ origin: 'https://pi.local', host: 'pi.local:443' }],
    [{ origin: 'https://xn--mller-kva.example', host: '127.0.0.1:8427' }],
    [{ origin: 'https://heating.example.com', host: '127.0.0.1:8427', forwardedHost: 'heating.example.com' }],
    [{ origin: 'https://named.example:444', host: '127.0.0.1:8427' }],
  ])('of the page: %j', (more) => expect(isFromPage({ ...nothing, ...more }, ['https://named.example', 'müller.example'])).toBe(true));
  test.each([
    [{}],
    [{ origin: 'null' }],
    [{ origin: '' }],
    [{ origin: 'file://' }],
    [{ origin: 'http://evil.example' }],
    [{ origin: 'http://192.168.1.20:8123' }],
    [{ origin: 'http://192.168.1.20' }],
    [{ origin: 'http://192.168.1.20', host: '192.168.1.20:443' }],
    [{ origin: 'http://evil.example', host: 'evil.example@192.168.1.20' }],
    [{ origin: 'http://192.168.1.20:8427.evil.example' }],
    [{ fetchSite: 'cross-site', origin: 'http://192.168.1.20:8427' }],
    [{ fetchSite: 'same-site', origin: 'http://192.168.1.20:8427' }],
    [{ fetchSite: 'none' }],
    [{ fetchSite: '' }],
    [{ origin: 'http://evil.named.example' }],
  ])('of another site: %j', (more) => expect(isFromPage({ ...nothing, ...more }, ['https://named.example'])).toBe(false));
});

test.each([
  [undefined, true],
  ['same-origin', true],
  ['none', true],
  ['cross-site', false],
  ['same-site', false],
])('a read with Sec-Fetch-Site %s: %s', (site, allowed) => expect(mayRead(site)).toBe(allowed));

test.each([
  ['application/json', true],
  ['application/json; charset=utf-8', true],
  ['Application/JSON', true],
  ['application/jsonx', false],
  ['text/plain', false],
  ['application/x-www-form-urlencoded', false],
  [undefined, false],
])('the content type %s: %s', (type, json) => expect(isJson(type)).toBe(json));

test.each([
  ['gzip', true],
  ['gzip, deflate, br, zstd', true],
  ['br;q=1, gzip;q=0.5', true],
  ['gzip;q=0', false],
  ['gzip; q=0.0', false],
  ['br, zstd', false],
  ['x-gzip', false],
  ['', false],
  [undefined, false],
])('Accept-Encoding %s: gzip %s', (header, gzip) => expect(takesGzip(header)).toBe(gzip));

test.each([
  [undefined, '/', ''],
  [undefined, '/api/state', 'api/state'],
  [undefined, '//evil.example/x', '/evil.example/x'],
  [undefined, 'http://evil.example/', undefined],
  [undefined, '*', undefined],
  ['/heating', '/heating/', ''],
  ['/heating/', '/heating/api/state', 'api/state'],
  // A proxy that takes the prefix off.
  ['/heating', '/api/state', 'api/state'],
  ['/heating', '/heatingx/api', 'heatingx/api'],
])('below %s the path %s is %s', (base, path, below) => expect(pathBelow(base, path)).toBe(below));

test('every cookie of the name', () => {
  expect(cookiesNamed('a', 'b=1; a=2;a=3=4; aa=5; a')).toEqual(['2', '3=4', '']);
  expect(cookiesNamed('a', undefined)).toEqual([]);
});
