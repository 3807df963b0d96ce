import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { networks } from '../../../src/config/validation/webChecks.ts';
import { originOf, plainAddress } from '../../../src/web/security/clientAddress.ts';
import { expectTable } from '../../support/golden.ts';

const PROXIES = ['192.168.1.2', '172.16.0.0/12', 'fd00::/8'];

describe('where a request comes from', () => {
  test('is told by the peer, and by headers of a proxy that is trusted', () =>
    expectTable('origins', 20, (_: string, peer: string, headers: IncomingHttpHeaders, isTrusted: boolean) =>
      originOf(peer, headers, networks(isTrusted ? PROXIES : [])),
    ));

  test('an address that is in both forms is one', () => {
    expect(['::ffff:172.30.32.2', '::FFFF:172.30.32.2', '172.30.32.2'].map(plainAddress)).toEqual(Array(3).fill('172.30.32.2'));
    expect(plainAddress(undefined)).toBe('');
  });
});
