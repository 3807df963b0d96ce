import * as z from 'zod/mini';
import type { Body, EventHistory, Target } from '../bridge/ports.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import { sha1 } from '../shared/message.ts';
import { SerialQueue } from '../shared/serialQueue.ts';
import type { TokenKeeper } from './auth/tokenKeeper.ts';
import { classify, isPage, jsonOf } from './classify.ts';
import { type Accepted, readCommandAnswer } from './commandAnswer.ts';
import { orAborted, PlatformError } from './errors.ts';
import type { HttpAnswer } from './exchange.ts';
import { httpOrigin } from './httpOrigin.ts';
import { commandTemplate, fillPath, type PathTemplates, readTemplate, withQuery } from './paths.ts';
import { hasSecret, oneLine, TEXT, withoutSecrets } from './text.ts';

/** The purpose of a request to `base_url`. */
export type CallKind = 'read' | 'command' | 'identity' | 'discovery' | 'events';

/** The source of the access tokens. */
export type Tokens = Pick<TokenKeeper, 'accessToken' | 'renew'>;

export type PlatformClientOptions = {
  readonly baseUrl: string;
  readonly paths: PathTemplates;
  /** For one request: connection, headers and body together. */
  readonly timeoutMs: number;
  /** The maximum size of a body. */
  readonly maxBytes?: number;
  readonly tokens: Tokens;
  readonly log: Log;
  /** Called for each HTTP request to `baseUrl`, retries included: the platform counts them in the quota. */
  readonly onCall: (kind: CallKind, path: string) => void;
  /**
   * Called before a retry (renewed token, broken kept-alive connection): true if the quota has a call left.
   * The caller checks the quota for the first request.
   */
  readonly mayRepeat?: (kind: CallKind) => boolean;
  /** Awaited before each request: it resolves when the request may be sent. */
  readonly permit?: ((kind: CallKind) => Promise<void>) | undefined;
  /** Called when a command is written to the connection: false cancels it. */
  readonly mayLeave?: (() => boolean) | undefined;
  /** Called with the platform's clock minus ours, in ms, for each answer with a Date header. */
  readonly onClock?: (offsetMs: number) => void;
  readonly clock?: Clock;
};

type Call = { readonly kind: CallKind; readonly path: string; readonly body?: string; readonly signal?: AbortSignal | undefined };

// A recorded device has 230 kB of features; a gateway with all its devices stays far below 8 MB.
const MAX_BYTES = 8 * 1024 * 1024;
// A page has 50 to 1000 installations. The limit stops a list with endless cursors.
const MOST_PAGES = 20;
// The platform's maximum page size.
const MOST_EVENTS = '1000';
// A token refused right after its renewal is not renewed again for 5 min: each renewal costs two requests.
const RENEW_AGAIN_MS = 5 * 60_000;

const REFUSED_ANEW =
  'The platform refuses an access token that its identity service has just issued. Check that platform.base_url and platform.auth_url belong together and that platform.scope is right; then log in again.';

/**
 * Shorter tokens are not masked: they may be words of the answer. Real tokens have hundreds of characters.
 */
const SHORTEST_MASKED = 12;

/** The platform over HTTP. Classifies failures, does not parse records. `baseUrl` alone gets the token. */
export const platformClient = (options: PlatformClientOptions) => {
  const { paths, tokens, log, onCall, mayRepeat = () => true, permit, mayLeave, onClock, clock = systemClock } = options;
  const http = httpOrigin(options.baseUrl, { timeoutMs: options.timeoutMs, maxBytes: options.maxBytes ?? MAX_BYTES });
  // Reads run one after another, so each read's timeout starts with its own turn.
  const reads = new SerialQueue();
  let refused: { readonly token: string; readonly atMs: number } | undefined;

  /** The raw JSON body: one feature, or all of a device or gateway; throws PlatformError. */
  const readFeatures = async (target: Target, signal?: AbortSignal): Promise<unknown> => (await fetchFeatures(target, signal)).json();

  /** The same, unparsed: a known answer needs no parsing. */
  const fetchFeatures = async (target: Target, signal?: AbortSignal): Promise<Body> => {
    const answer = await call({ kind: 'read', path: fillPath(readTemplate(paths, target), target), signal });
    const isHtml = isPage(answer.contentType);
    const digest = (isHtml ? 'page ' : '') + sha1(answer.bytes, 'base64');
    const text = (): string => (isHtml ? '' : String(answer.bytes));
    return { digest, text, json: jsonIn.bind(undefined, answer) };
  };

  /**
   * All pages of the installation list as raw JSON. Throws PlatformError, and TypeError if these paths have
   * no such list. Each page is a call: `beforePage` is awaited from page 2 on, and its error ends the list.
   */
  const readInstallations = async (signal?: AbortSignal, beforePage?: () => Promise<void>): Promise<readonly unknown[]> => {
    const pages: unknown[] = [];
    const asked = new Set<string>();
    const first = fillPath(paths.installations, {});
    for (let path: string | undefined = first; path !== undefined; ) {
      // A repeated cursor would cause an endless loop of calls.
      if (asked.has(path) || asked.size === MOST_PAGES) throw endless(asked.size);
      if (asked.size > 0) await beforePage?.();
      asked.add(path);
      const page = await get('discovery', path, signal);
      pages.push(page);
      const next = PAGE.safeParse(page).data?.cursor.next;
      path = next === undefined ? undefined : withQuery(first, 'cursor', next);
    }
    return pages;
  };

  /** A page of events as raw JSON. Throws PlatformError, and TypeError if these paths have none. */
  const readEvents: EventHistory['readEvents'] = async (installation, from, signal?: AbortSignal) => {
    const path = withQuery(fillPath(paths.events, { installation }), 'limit', MOST_EVENTS);
    // The platform accepts exactly one of the two.
    const page = 'cursor' in from ? withQuery(path, 'cursor', from.cursor) : withQuery(path, 'lastNDays', String(from.lastNDays));
    return get('events', page, signal);
  };

  /** The account of the token as raw JSON; throws PlatformError. */
  const identity = (signal?: AbortSignal): Promise<unknown> => get('identity', paths.identity, signal);

  /**
   * Sends a command once. PlatformError shows in `arrived` and `executed` whether it may have had an effect.
   */
  const execute = async (target: Required<Target>, command: string, args: object, signal?: AbortSignal): Promise<Accepted> => {
    const path = fillPath(commandTemplate(paths, target), { ...target, command });
    return readCommandAnswer(await call({ kind: 'command', path, body: JSON.stringify(args), signal }));
  };

  /** Requests a gateway restart once. Throws like `execute`, and TypeError if these paths have none. */
  const restartGateway = async (target: Pick<Target, 'installation' | 'gateway'>, signal?: AbortSignal): Promise<void> => {
    readCommandAnswer(await call({ kind: 'command', path: fillPath(paths.reboot, target), body: '{}', signal }));
  };

  const get = async (kind: CallKind, path: string, signal: AbortSignal | undefined): Promise<unknown> =>
    jsonIn(await call({ kind, path, signal }));

  /** The answer, after at most one token renewal. A 401 executes nothing, so a command is also sent again. */
  const call = async (wanted: Call): Promise<HttpAnswer> => {
    const endTurn = wanted.kind === 'command' ? undefined : await reads.turn();
    try {
      const token = await tokens.accessToken(wanted.signal);
      const first = await send(wanted, token);
      if (!(first instanceof PlatformError)) return first;
      if (first.code !== 'token_expired') throw first;
      const isJustRefused = refused?.token === token && clock.elapsedMs() - refused.atMs < RENEW_AGAIN_MS;
      if (isJustRefused) throw refusedAnew(first);
      const renewed = await tokens.renew(token, wanted.signal);
      // The renewal costs no call and serves the next request, so it comes first.
      if (!mayRepeat(wanted.kind)) throw noCallLeft(first);
      const second = renewed === token ? first : await send(wanted, renewed);
      if (!(second instanceof PlatformError)) return second;
      if (second.code !== 'token_expired') throw second;
      refused = { token: renewed, atMs: clock.elapsedMs() };
      throw refusedAnew(second);
    } finally {
      endTurn?.();
    }
  };

  const send = async (wanted: Call, token: string): Promise<HttpAnswer | PlatformError> => {
    const { kind, path, body, signal } = wanted;
    if (permit) await orAborted(permit(kind), signal, 'The call was cancelled before it was sent.');
    const answer = await http.send({
      method: body === undefined ? 'GET' : 'POST',
      path,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        'user-agent': 'heating2mqtt',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
      signal,
      mayLeave: kind === 'command' ? mayLeave : undefined,
      onSend: () => onCall(kind, path),
      mayRepeat: () => mayRepeat(kind),
    });
    log.debug({ kind, path, status: answer.status, bytes: answer.bytes.length }, 'platform answered');
    // The Date header has whole seconds.
    if (answer.date !== undefined) onClock?.(answer.date - clock.now());
    // An answer that echoes the token, even a successful one, must not reach a log or a topic.
    const isMasked = token.length >= SHORTEST_MASKED && hasSecret(answer.bytes, token);
    const masked = isMasked ? { ...answer, bytes: Buffer.from(withoutSecrets(String(answer.bytes), [token])) } : answer;
    if (answer.status >= 200 && answer.status < 300) return masked;
    return classify(answer.status, jsonOf(answer.contentType, String(masked.bytes))) ?? masked;
  };

  const jsonIn = ({ status, contentType, bytes }: HttpAnswer): unknown => {
    const body = jsonOf(contentType, String(bytes));
    if (body === undefined) {
      const type = oneLine(contentType, 60) || 'an answer without a content type';
      const what = bytes.length === 0 ? 'nothing' : /json/iu.test(type) ? 'invalid JSON' : type;
      throw new PlatformError(
        'bad_answer',
        `The platform answers with ${what} instead of JSON. Check platform.base_url; if it is right, try again later.`,
        { arrived: 'yes', status },
      );
    }
    const failure = classify(status, body);
    if (failure) throw failure;
    return body;
  };

  return {
    ...{ readFeatures, fetchFeatures, readInstallations, readEvents, identity, execute, restartGateway },
    /** Loads what the first call needs. */
    prepare: http.prepare,
    /** Cancels running requests and closes the connections. */
    close: http.close,
  };
};

export type PlatformClient = ReturnType<typeof platformClient>;

const refusedAnew = (cause: PlatformError): PlatformError => new PlatformError('token_expired', REFUSED_ANEW, cause, { cause });

const noCallLeft = (cause: PlatformError): PlatformError =>
  new PlatformError(
    'no_quota',
    'The access token was refused and renewed, but no call is left to repeat the request. Try again later.',
    cause,
    { cause },
  );

/** A page of the installation list that has a next page. */
const PAGE = z.object({ cursor: z.object({ next: TEXT }) });

const endless = (pages: number): PlatformError =>
  new PlatformError('bad_answer', `The platform's list of installations does not end after ${pages} pages. Check platform.paths.`, {
    arrived: 'yes',
  });
