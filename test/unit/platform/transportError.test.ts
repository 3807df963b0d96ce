import { expect, test } from 'vitest';
import { transportError } from '../../../src/platform/transportError.ts';

const ORIGIN = 'https://api.test';

const sentence = (code: string): string =>
  transportError(ORIGIN, Object.assign(new Error('in the words of a library'), { code }), 'no', undefined).message;

test.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'NODE_EXTRA_CA_CERTS'],
  ['CERT_HAS_EXPIRED', 'is the clock of this machine right?'],
  ['CERT_NOT_YET_VALID', 'is the clock of this machine right?'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'for another host name'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'does not speak TLS'],
  ['ECONNRESET', 'closed the connection'],
  ['ENOTFOUND', 'the name is unknown'],
])('a connection that fails with %s is told in words, with what to look at', (code, words) => {
  expect(sentence(code)).toMatch(/^https:\/\/api\.test cannot be reached: /);
  expect(sentence(code)).toContain(words);
  expect(sentence(code)).not.toContain(code);
});
