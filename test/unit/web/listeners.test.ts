import { describe, expect, test } from 'vitest';
import { ingressAddress, planListeners } from '../../../src/web/security/listeners.ts';

const HASHED = `scrypt$${'a'.repeat(22)}$${'b'.repeat(43)}`;
const HOME = { isContainer: false, mode: 'run' } as const;
const CONTAINER = { isContainer: true, mode: 'run' } as const;
const SETUP = { isContainer: false, mode: 'setup' } as const;

describe('where the page is served', () => {
  test.each([
    ['by default this machine, without a password', {}, HOME, { open: { address: '127.0.0.1', entry: 'none' } }],
    ['this machine, with one', { password: 'short' }, HOME, { open: { address: '127.0.0.1', entry: 'password' } }],
    [
      'another address, with a password',
      { listen: '192.168.1.5', password: 'long enough' },
      HOME,
      { open: { address: '192.168.1.5', entry: 'password' } },
    ],
    [
      'all addresses, of both families',
      { listen: '0.0.0.0', password: 'long enough' },
      HOME,
      { open: { address: undefined, entry: 'password' } },
    ],
    ['with a hashed password', { listen: '::', password: HASHED }, HOME, { open: { address: undefined, entry: 'password' } }],
    [
      'another address without a password: only this machine',
      { listen: '0.0.0.0' },
      HOME,
      {
        open: { address: '127.0.0.1', entry: 'none' },
        warning: 'web.listen 0.0.0.0 needs web.password; the page is served on 127.0.0.1 alone',
      },
    ],
    [
      'another address with a short password: only this machine, with it',
      { listen: '192.168.1.5', password: '1234567' },
      HOME,
      {
        open: { address: '127.0.0.1', entry: 'password' },
        warning: 'web.listen 192.168.1.5 needs a web.password of 8 characters or more; the page is served on 127.0.0.1 alone',
      },
    ],
    [
      'in a container with a password: all addresses',
      { password: 'long enough' },
      CONTAINER,
      { open: { address: undefined, entry: 'password' } },
    ],
    [
      'in an app of Home Assistant, whose users come by ingress: to its own machine',
      { ingress: 8099 },
      CONTAINER,
      { open: { address: '127.0.0.1', entry: 'none' } },
    ],
    [
      'the set-up of such an app, without a code',
      { ingress: 8099 },
      { ...SETUP, isContainer: true },
      { open: { address: '127.0.0.1', entry: 'none' } },
    ],
    [
      'an app of Home Assistant with a password: all addresses',
      { ingress: 8099, password: 'long enough' },
      CONTAINER,
      { open: { address: undefined, entry: 'password' } },
    ],
    ['in a container without: nowhere', {}, CONTAINER, { warning: 'in a container the page needs web.password; it is not served' }],
    [
      'in a container on its own 127.0.0.1, where that is asked for',
      { listen: '127.0.0.1' },
      CONTAINER,
      { open: { address: '127.0.0.1', entry: 'none' } },
    ],
    ['in a container with a short one: nowhere', { password: 'short' }, CONTAINER, { warning: expect.stringContaining('8 characters') }],
    ['the set-up on this machine', {}, SETUP, { open: { address: '127.0.0.1', entry: 'none' } }],
    ['the set-up in a container, by a code', {}, { ...SETUP, isContainer: true }, { open: { address: undefined, entry: 'code' } }],
    ['the set-up on another address, by a code', { listen: '192.168.1.5' }, SETUP, { open: { address: '192.168.1.5', entry: 'code' } }],
    [
      'the set-up with a password',
      { password: 'long enough' },
      { ...SETUP, isContainer: true },
      { open: { address: undefined, entry: 'password' } },
    ],
  ])('%s', (_, settings, where, expected) => expect(planListeners(settings, where)).toEqual(expected));
});

test.each([
  ['172.30.32.9', '172.30.32.9'],
  ['172.30.33.4', '172.30.33.4'],
  ['172.30.34.1', undefined],
  ['fe80::1', undefined],
])('ingress listens on %s: %s', (address, expected) => {
  expect(ingressAddress({ lo: [{ address: '127.0.0.1' }], gone: undefined, eth0: [{ address }] })).toBe(expected);
});
