import { codeOf } from '../shared/errors.ts';
import type { FailureCode } from '../shared/failures.ts';
import { type Arrived, PlatformError } from './errors.ts';

/** Why the bridge itself ended a request. */
export type Stop = { readonly kind: 'timeout'; readonly ms: number } | { readonly kind: 'caller'; readonly reason: unknown };

const UNTRUSTED =
  'its certificate is not trusted here; if a proxy or virus scanner intercepts the connection, set NODE_EXTRA_CA_CERTS to the certificate file (PEM) of its authority';
const WRONG_TIME = 'its certificate is not valid at this time; is the clock of this machine right?';
const NO_TLS = 'it does not speak TLS there; is the port right, or is it http://?';

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the name is unknown',
  EAI_AGAIN: 'the name cannot be resolved now; is the network up?',
  ENETUNREACH: 'there is no route to its network',
  EHOSTUNREACH: 'there is no route to this host',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_SOCKET: 'it closed the connection',
  ECONNRESET: 'it closed the connection',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  CERT_HAS_EXPIRED: WRONG_TIME,
  CERT_NOT_YET_VALID: WRONG_TIME,
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
};

const CLOSED: ReadonlySet<string> = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);

const sentences: Readonly<Record<'unreachable' | 'too_large' | 'bad_answer' | 'cut', (origin: string, code: string) => string>> = {
  unreachable: (origin, code) =>
    `${origin} cannot be reached: ${UNREACHABLE[code] ?? code}. Check the address in the settings and the network.`,
  too_large: (origin) =>
    `The answer of ${origin} is larger than the limit for answers of the platform, so it was not read. Check the address in the settings.`,
  bad_answer: (origin) => `${origin} does not answer in HTTP. Check the address in the settings.`,
  cut: (origin, code) => `The connection to ${origin} was cut before the answer was complete (${code}).`,
};

const broken = (cause: unknown, code: string, arrived: Arrived): keyof typeof sentences & FailureCode => {
  if (arrived === 'no') return 'unreachable';
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return 'too_large';
  // After a valid response head, a parser error means that the answer was cut.
  return cause instanceof Error && cause.name === 'HTTPParserError' && arrived === 'maybe' ? 'bad_answer' : 'cut';
};

/** A failure below HTTP: unreachable, timeout, cut, aborted, too large, or not HTTP. */
export const transportError = (origin: string, cause: unknown, arrived: Arrived, stop: Stop | undefined): PlatformError => {
  if (stop?.kind === 'caller') return new PlatformError('aborted', 'The call was cancelled.', { arrived }, { cause: stop.reason });
  if (stop) {
    const seconds = stop.ms / 1000;
    return new PlatformError('timeout', `${origin} did not answer within ${seconds} s (platform.timeout_s).`, { arrived }, { cause });
  }
  const code = codeOf(cause) ?? 'unknown reason';
  if (CLOSED.has(code))
    return new PlatformError('aborted', 'The call was cancelled, because the connection is being closed.', { arrived }, { cause });
  const kind = broken(cause, code, arrived);
  return new PlatformError(kind, sentences[kind](origin, code), { arrived }, { cause });
};
