import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { networks } from '../../../src/config/validation/webChecks.ts';
import { originOf, plainAddress } from '../../../src/web/security/clientAddress.ts';

const NONE = networks([]);
const PROXIES = networks(['192.168.1.2', '172.16.0.0/12', 'fd00::/8']);
const FORWARDED = { 'x-forwarded-for': '203.0.113.5', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'heating.example.com' };

describe('where a request comes from', () => {
  test.each<[what: string, peer: string, headers: IncomingHttpHeaders, trusted: typeof NONE, expected: object]>([
    ['this machine', '127.0.0.1', {}, NONE, { client: '127.0.0.1', isLocal: true, isSecure: false }],
    ['this machine, by IPv6', '::1', {}, NONE, { client: '::1', isLocal: true }],
    ['this machine, by a socket for both', '::ffff:127.0.0.1', {}, NONE, { client: '127.0.0.1', isLocal: true }],
    ['the home network', '192.168.1.7', {}, NONE, { client: '192.168.1.7', isLocal: false }],
    ['a proxy of this machine that nobody trusts', '127.0.0.1', FORWARDED, NONE, { client: '127.0.0.1', isLocal: false, isSecure: false }],
    ['a proxy of this machine that names itself', '127.0.0.1', { forwarded: 'for=192.0.2.1' }, NONE, { isLocal: false }],
    [
      'a proxy of this machine that names the browser in its own way',
      '127.0.0.1',
      { 'x-real-ip': '192.168.1.7' },
      NONE,
      { isLocal: false },
    ],
    ['a proxy of this machine that says no more than that', '127.0.0.1', { via: '1.1 proxy' }, NONE, { isLocal: false }],
    [
      'a proxy that names itself, for a browser of this machine',
      '127.0.0.1',
      { via: '1.1 proxy', 'x-real-ip': '127.0.0.1' },
      NONE,
      { isLocal: true },
    ],
    ['a proxy of this machine for a browser of it', '127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }, NONE, { isLocal: true }],
    [
      'headers that a client forges',
      '203.0.113.9',
      FORWARDED,
      PROXIES,
      { client: '203.0.113.9', isSecure: false, forwardedHost: undefined },
    ],
    [
      'a trusted proxy',
      '192.168.1.2',
      FORWARDED,
      PROXIES,
      { client: '203.0.113.5', isLocal: false, isSecure: true, forwardedHost: 'heating.example.com' },
    ],
    ['a chain of proxies', '192.168.1.2', { 'x-forwarded-for': '1.2.3.4, 203.0.113.5, 172.20.0.9' }, PROXIES, { client: '203.0.113.5' }],
    [
      'a forged begin of the chain',
      '172.31.0.1',
      { 'x-forwarded-for': '127.0.0.1, 203.0.113.5' },
      PROXIES,
      { client: '203.0.113.5', isLocal: false },
    ],
    ['no address in the header', '172.31.0.1', { 'x-forwarded-for': 'unknown, x' }, PROXIES, { client: '172.31.0.1' }],
    ['trusted proxies alone', '172.31.0.1', { 'x-forwarded-for': '192.168.1.2' }, PROXIES, { client: '192.168.1.2' }],
    ['a trusted proxy by IPv6', 'fd00::5', FORWARDED, PROXIES, { client: '203.0.113.5', isSecure: true }],
  ])('%s', (_, peer, headers, trusted, expected) => expect(originOf(peer, headers, trusted)).toMatchObject(expected));

  test('an address that is in both forms is one', () => {
    expect(['::ffff:172.30.32.2', '::FFFF:172.30.32.2', '172.30.32.2'].map(plainAddress)).toEqual(Array(3).fill('172.30.32.2'));
    expect(plainAddress(undefined)).toBe('');
  });
});
