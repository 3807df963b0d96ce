import { expect, test } from 'vitest';
import { sealWith } from '../../../src/fleet/seal.ts';

const SECRET = 'a key that NATS does not have';

test('what is sealed shows nothing, and opens with the same key at the same place alone', () => {
  const seal = sealWith(SECRET);
  const sealed = seal.seal('{"refresh_token":"secret"}', 'a');
  expect(Buffer.from(sealed).includes('secret')).toBe(false);
  expect(sealWith(SECRET).open(sealed, 'a')).toBe('{"refresh_token":"secret"}');
  expect(() => sealWith('another key of the same length').open(sealed, 'a')).toThrow();
  expect(() => seal.open(sealed, 'b')).toThrow();
  for (let at = 0; at < sealed.length; at += 1)
    expect(() => seal.open(sealed.with(at, (sealed[at] ?? 0) ^ 1), 'a'), `byte ${at} changed`).toThrow();
  expect(() => seal.open(sealed.subarray(0, 10), 'a')).toThrow();
  expect(Buffer.from(seal.seal('x', 'a')).equals(seal.seal('x', 'a'))).toBe(false);
});

test('a key that is too short is refused', () => {
  expect(() => sealWith('short')).toThrow('openssl rand -base64 32');
});
