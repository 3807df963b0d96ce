import { describe, expect, test } from 'vitest';
import { ingressAddress, planListeners } from '../../../src/web/security/listeners.ts';

const HASHED = `scrypt$${'a'.repeat(22)}$${'b'.repeat(43)}`;
const HOME = { isContainer: false, mode: 'run' } as const;
const CONTAINER = { isContainer: true, mode: 'run' } as const;
const SETUP = { isContainer: false, mode: 'setup' } as const;

describe('where the page is served', () => {
  const LONG = 'long enough';
  // Where, and what has to be shown first: a password, a code, or nothing.
  test.each<[what: string, settings: Parameters<typeof planListeners>[0], where: Parameters<typeof planListeners>[1], open: string]>([
    ['by default this machine, without a password', {}, HOME, '127.0.0.1 none'],
    ['this machine, with one', { password: 'short' }, HOME, '127.0.0.1 password'],
    ['another address, with a password', { listen: '192.168.1.5', password: LONG }, HOME, '192.168.1.5 password'],
    ['all addresses, of both families', { listen: '0.0.0.0', password: LONG }, HOME, 'undefined password'],
    ['with a hashed password', { listen: '::', password: HASHED }, HOME, 'undefined password'],
    ['in a container with a password: all addresses', { password: LONG }, CONTAINER, 'undefined password'],
    ['in an app, whose users come by ingress: to its own machine', { ingress: 8099 }, CONTAINER, '127.0.0.1 none'],
    ['the set-up of such an app, without a code', { ingress: 8099 }, { ...SETUP, isContainer: true }, '127.0.0.1 none'],
    ['an app with a password: all addresses', { ingress: 8099, password: LONG }, CONTAINER, 'undefined password'],
    ['in a container on its own 127.0.0.1, where that is asked for', { listen: '127.0.0.1' }, CONTAINER, '127.0.0.1 none'],
    ['the set-up on this machine', {}, SETUP, '127.0.0.1 none'],
    ['the set-up in a container, by a code', {}, { ...SETUP, isContainer: true }, 'undefined code'],
    ['the set-up on another address, by a code', { listen: '192.168.1.5' }, SETUP, '192.168.1.5 code'],
    ['the set-up with a password', { password: LONG }, { ...SETUP, isContainer: true }, 'undefined password'],
  ])('%s', (_, settings, where, expected) => {
    const { open, warning } = planListeners(settings, where);
    expect([`${open?.address} ${open?.entry}`, warning]).toEqual([expected, undefined]);
  });

  test.each([
    [{ listen: '0.0.0.0' }, HOME, 'none', 'web.listen 0.0.0.0 needs web.password; the page is served only on 127.0.0.1'],
    [{ listen: '::', password: '1234567' }, HOME, 'password', 'web.listen :: needs a web.password of 8 characters or more; the page is'],
    [{}, CONTAINER, undefined, 'in a container the page needs web.password; it is not served'],
    [{ password: 'short' }, CONTAINER, undefined, '8 characters'],
  ] as const)('with too little of a password only this machine, and nowhere in a container: %j', (settings, where, entry, sentence) => {
    const { open, warning } = planListeners(settings, where);
    expect(open).toEqual(entry && { address: '127.0.0.1', entry });
    expect(warning).toContain(sentence);
  });
});

test.each([
  ['172.30.32.9', '172.30.32.9'],
  ['172.30.33.4', '172.30.33.4'],
  ['172.30.34.1', undefined],
  ['fe80::1', undefined],
])('ingress listens on %s: %s', (address, expected) => {
  expect(ingressAddress({ lo: [{ address: '127.0.0.1' }], gone: undefined, eth0: [{ address }] })).toBe(expected);
});
