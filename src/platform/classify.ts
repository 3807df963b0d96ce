import * as z from 'zod/mini';
import type { FailureCode } from '../shared/failures.ts';
import { isDeeperThan, isRecord } from '../shared/json.ts';
import { PlatformError } from './errors.ts';
import { CODE, oneLine, TEXT, WORDS } from './text.ts';

// A Date outside this range cannot be formatted.
const INSTANT = z.pipe(z.union([z.number(), z.pipe(z.string(), z.transform(Number))]), z.number().check(z.positive(), z.lte(8.64e15)));

/** The maximum plausible account limit: 1,450 and 3,000 were seen. */
const MOST_CALLS_PER_DAY = 100_000;

/** The platform's error envelope. An invalid member counts as missing. */
const ENVELOPE = z.object({
  errorType: CODE,
  /** `EXPIRED TOKEN` and similar errors, which also come without an envelope. */
  error: CODE,
  message: TEXT,
  viErrorId: CODE,
  extendedPayload: z.catch(
    z.object({
      reason: CODE,
      details: z.optional(z.unknown()),
      monetization: TEXT,
      limitReset: z.catch(z.optional(INSTANT), undefined),
      /** The name of a limit, and its number of calls. */
      name: CODE,
      requestCountLimit: z.catch(z.optional(z.int().check(z.positive(), z.lte(MOST_CALLS_PER_DAY))), undefined),
      /** The path that replaces a removed one. */
      replacement: WORDS,
    }),
    { reason: '', name: '', replacement: '' },
  ),
});

type Envelope = z.infer<typeof ENVELOPE>;

/** The known facts about a failed answer: its HTTP status and the platform's error envelope. */
type Clue = Envelope &
  Envelope['extendedPayload'] & {
    readonly status: number;
    /** The platform's message and details on one line, ready to append; empty if there are none. */
    readonly words: string;
    readonly isJson: boolean;
  };

type Row = { readonly code: FailureCode; readonly when: (clue: Clue) => boolean; readonly says: (clue: Clue) => string };

const is = (...words: readonly string[]) => {
  const set = new Set(words);
  return (clue: Clue): boolean => set.has(clue.errorType) || set.has(clue.reason);
};

/** When calls are possible again, in local time with its zone, because a container usually has UTC. */
export const backAt = (limitReset: number | undefined): string => {
  if (limitReset === undefined) return 'Calls are possible again later; the platform does not say when.';
  const style = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const;
  return `Calls are possible again at ${new Date(limitReset).toLocaleTimeString('en-GB', style)}.`;
};

// The first match wins. Envelope before HTTP status: proxies and platform versions changed the status.
const ROWS: readonly Row[] = [
  {
    code: 'rate_limited',
    when: (clue) => clue.status === 429 || is('RATE_LIMIT_EXCEEDED')(clue),
    says: (clue) => `The call limit of the platform is reached (429). ${backAt(clue.limitReset)}`,
  },
  {
    code: 'token_expired',
    when: (clue) => clue.status === 401 || is('NOT_AUTHENTICATED')(clue) || /\bTOKEN\b/.test(clue.error),
    says: () => 'The platform does not accept the access token. It must be renewed.',
  },
  {
    code: 'not_paid',
    when: (clue) => clue.status === 402 || is('PACKAGE_NOT_PAID_FOR')(clue),
    says: (clue) =>
      `Viessmann refuses this for your account (402). This depends on the plan and the age of the account, and may change. Nothing is wrong with your heating or your settings.${clue.words}`,
  },
  {
    code: 'gone',
    when: (clue) => clue.status === 410 || is('GONE')(clue),
    says: (clue) =>
      `The platform no longer has this path${clue.replacement && ` and names ${clue.replacement} instead`}. Check platform.profile and platform.base_url, or update heating2mqtt.`,
  },
  {
    code: 'gateway_offline',
    when: is('GATEWAY_OFFLINE'),
    says: () => 'The gateway is offline. Check its power supply and its network.',
  },
  {
    code: 'device_offline',
    when: is('DEVICE_OFFLINE'),
    says: () => 'The device is offline. Check its power supply and its connection to the gateway.',
  },
  {
    code: 'command_not_found',
    when: is('COMMAND_NOT_FOUND'),
    says: () => 'The device does not know this command. Read the feature again to see its commands.',
  },
  {
    code: 'device_error',
    when: is('GATEWAY_IS_UPDATING'),
    says: () => 'The gateway is installing an update. Try again in some minutes.',
  },
  {
    code: 'device_error',
    when: is('GATEWAY_REMOTEDIAGACTIVE'),
    says: () => 'A remote diagnosis is using the gateway. Try again when it has ended.',
  },
  {
    code: 'device_error',
    when: (clue) => clue.status === 424 || is('DEVICE_COMMUNICATION_ERROR', 'FAILED_DEPENDENCY')(clue),
    says: (clue) => `The platform could not reach the device${clue.reason && ` (${clue.reason})`}. Try again later.${clue.words}`,
  },
  {
    code: 'forbidden',
    when: (clue) => clue.status === 403,
    says: (clue) =>
      `The platform refuses access.${clue.words} Check that this account has the rights for it, and that platform.scope asks for them.`,
  },
  {
    code: 'not_found',
    when: (clue) => clue.status === 404 && !clue.isJson,
    says: () => 'This address is not found (404, and the answer is not from the platform). Check platform.base_url and platform.profile.',
  },
  {
    code: 'not_found',
    when: (clue) => clue.status === 404 || clue.errorType.endsWith('_NOT_FOUND'),
    says: (clue) =>
      `The platform does not know this${clue.errorType && ` (${clue.errorType})`}.${clue.words} Check installation, gateway, device and feature names.`,
  },
  {
    code: 'timeout',
    when: (clue) => clue.status === 408,
    says: () => 'The platform did not receive the request in time (408). Try again later.',
  },
  {
    code: 'validation',
    when: (clue) => clue.status >= 400 && clue.status < 500,
    says: (clue) => `The platform refuses the request (${clue.errorType || `HTTP ${clue.status}`}).${clue.words}`,
  },
  {
    code: 'bad_answer',
    when: (clue) => clue.status >= 300 && clue.status < 400,
    says: (clue) =>
      `The answer is a redirect (HTTP ${clue.status}). It is not followed, to protect the access token. Set platform.base_url to the final address.`,
  },
  {
    code: 'server_error',
    when: () => true,
    says: (clue) =>
      `The platform failed (${[`HTTP ${clue.status}`, clue.errorType || clue.reason].filter(Boolean).join(', ')}). Try again later.${clue.words}`,
  },
];

// More levels than a reader needs, and far fewer than the stack allows.
const DEEPEST_DETAILS = 20;

const detailsOf = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(detailsOf);
  return isRecord(value) ? [TEXT.parse(value.message) ?? JSON.stringify(value)] : [];
};

const wordsOf = ({ errorType, message, extendedPayload: { monetization, details } }: Envelope): string => {
  const sentences = [message, monetization, ...(isDeeperThan(details, DEEPEST_DETAILS) ? [] : detailsOf(details))];
  const words = oneLine(sentences.filter((sentence) => sentence !== undefined && sentence !== errorType).join(' '));
  return words && ` The platform says: "${words}"`;
};

// The platform also sends its envelope with 200 (seen: reason TIMEOUT, no statusCode). A feature record has
// none of these members.
const isEnvelope = (body: unknown): boolean =>
  isRecord(body) && !('data' in body) && !('feature' in body) && ('viErrorId' in body || 'extendedPayload' in body || 'errorType' in body);

export const isPage = (contentType: string): boolean => /html|xml/i.test(contentType);

/** The body as JSON; undefined for a page (by its content type) or invalid JSON. */
export const jsonOf = (contentType: string, bodyText: string): unknown => {
  if (isPage(contentType)) return undefined;
  try {
    return JSON.parse(bodyText);
  } catch {
    return undefined;
  }
};

/**
 * The failure in an answer with this body (`jsonOf`); undefined for success. One table covers HTTP status,
 * `errorType` and `extendedPayload.reason` (platform reference, errors and rate limits). The body may be
 * anything, even undefined or an error without an envelope.
 */
export const classify = (status: number, body: unknown): PlatformError | undefined => {
  if (status >= 200 && status < 300 && !isEnvelope(body)) return undefined;
  const envelope = ENVELOPE.parse(isRecord(body) ? body : {});
  const { extendedPayload, errorType, viErrorId } = envelope;
  const clue = { ...extendedPayload, ...envelope, status, words: wordsOf(envelope), isJson: body !== undefined };
  const row = ROWS.find(({ when }) => when(clue));
  return new PlatformError(row?.code ?? 'server_error', row?.says(clue) ?? '', {
    arrived: 'yes',
    status,
    errorType: errorType || undefined,
    reason: clue.reason || undefined,
    viErrorId: viErrorId || undefined,
    limitReset: clue.limitReset,
    limitName: clue.name || undefined,
    limitCalls: clue.requestCountLimit,
  });
};
