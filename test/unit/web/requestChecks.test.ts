import { describe, expect, test } from 'vitest';
import { cookiesNamed, isFromPage, isHostAllowed, isJson, mayRead, pathBelow, takesGzip } from '../../../src/web/security/requestChecks.ts';
import { expectTable } from '../../support/golden.ts';

describe('the host of a request', () => {
  const known = { machine: 'Cellar', hosts: ['https://heating.example.com:8443/', 'Other.Example.', 'https://Müller.example'] };
  test('is this machine, an address or a name of the settings', () =>
    expectTable('hosts', 27, (host: string | null) => isHostAllowed(host ?? undefined, known)));
});

describe('a request that changes something', () => {
  const nothing = { fetchSite: undefined, origin: undefined, host: '192.168.1.20:8427', forwardedHost: undefined };
  test('of the page', () =>
    expectTable('requestsOfPage', 10, (more: object) => isFromPage({ ...nothing, ...more }, ['https://named.example', 'müller.example'])));
  test('of another site', () =>
    expectTable('requestsOfOthers', 15, (more: object) => isFromPage({ ...nothing, ...more }, ['https://named.example'])));
});

test('a read from another site', () => expectTable('fetchSites', 5, (site: string | null) => mayRead(site ?? undefined)));

test('a content type that is JSON', () => expectTable('contentTypes', 7, (type: string | null) => isJson(type ?? undefined)));

test('an Accept-Encoding that has gzip', () => expectTable('encodings', 9, (header: string | null) => takesGzip(header ?? undefined)));

test('a path below the base', () => expectTable('paths', 9, (base: string | null, path: string) => pathBelow(base ?? undefined, path)));

test('every cookie of the name', () => {
  expect(cookiesNamed('a', 'b=1; a=2;a=3=4; aa=5; a')).toEqual(['2', '3=4', '']);
  expect(cookiesNamed('a', undefined)).toEqual([]);
});
