import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import { hostname } from 'node:os';
import type { LoginState } from '../api/answers.ts';
import type { Settings } from '../config/settings.ts';
import { networks } from '../config/validation/webChecks.ts';
import type { Clock } from '../shared/clock.ts';
import { messageOf } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { COOKIES } from './api/session.ts';
import { commonHeaders, send } from './http/answer.ts';
import { readBody } from './http/body.ts';
import { refusalPage } from './http/refusalPage.ts';
import { type Found, fileRefusal, findRoute, type Route, refused, type WebAnswer } from './routes.ts';
import { type Origin, originOf } from './security/clientAddress.ts';
import { ConnectionLimit } from './security/connectionLimit.ts';
import { RequestLimit } from './security/limits.ts';
import type { Entry, WebMode } from './security/listeners.ts';
import { cookiesNamed, isFromPage, isHostAllowed, isJson, mayRead, pathBelow, takesGzip } from './security/requestChecks.ts';
import type { Sessions } from './security/sessions.ts';

/** Longer than any path of the page, with its query. */
const LONGEST_URL = 4096;
/** A browser sends the cookie of its own folder first. */
const MOST_COOKIES = 4;

/** The page's files are the same below each account's path, whether the account exists or not. */
const ACCOUNT_PLACE = /^a\/[a-z0-9_-]{1,40}\//;

type RequestHandlerParts = {
  readonly settings: Settings['web'];
  readonly mode: WebMode;
  /** How users log in here; `ingress` if Home Assistant has authenticated them. */
  readonly entry: Entry | 'ingress';
  readonly routes: readonly Route[];
  /** Routes whose path contains an account name or a link token. */
  readonly findMore?: ((method: string, path: string) => Found | undefined) | undefined;
  /** The page's files, if no other route matches. */
  readonly assets: () => Promise<readonly Route[]>;
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly log: Log;
};

const WRONG_HOST = refused(421, 'wrong_host', 'The page does not accept this host name: add it to web.hosts in the settings.');
const TOO_FAST = refused(429, 'too_fast', 'Too many requests; wait a second.', { headers: { 'retry-after': '1' } });
const NOT_FOUND = refused(404, 'not_found', 'There is nothing at this address.');
const TOO_LONG = refused(414, 'too_long', 'This address is too long.');
const NOT_FROM_PAGE = refused(403, 'foreign_origin', 'This request does not come from the page itself; see web.hosts in the settings.');
const NO_JSON_TYPE = refused(415, 'no_json', 'The request must contain JSON (content-type: application/json).');
const FILE_TYPE = 'application/gzip';
const NO_FILE_TYPE = refused(415, 'bad_request', `The request must contain a file (content-type: ${FILE_TYPE}).`);
const LOGIN_NEEDED = refused(401, 'login_needed', 'Log in first.');
const PASSWORD_MISSING = refused(
  403,
  'password_missing',
  'The page can be opened from other machines only if web.password is set in the settings.',
);
const FAULT = refused(500, 'internal', 'Internal error of the page; see the log.');

/** One entrance to the page: checks each request and finds its route. */
export class RequestHandler {
  readonly #parts: RequestHandlerParts;
  readonly connections: ConnectionLimit;
  readonly #trusted: BlockList;
  readonly #limit = new RequestLimit();

  constructor(parts: RequestHandlerParts) {
    this.#parts = parts;
    this.#trusted = networks(parts.settings.trusted_proxies);
    this.connections = new ConnectionLimit(this.#trusted);
  }

  get entry(): RequestHandlerParts['entry'] {
    return this.#parts.entry;
  }

  /** Answers a request; never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { settings, log, entry } = this.#parts;
    response.on('error', () => undefined);
    const wanted = { isHead: request.method === 'HEAD', takesGzip: takesGzip(oneOf(request.headers['accept-encoding'])) };
    try {
      const origin = this.#originOf(request);
      for (const [name, value] of Object.entries(commonHeaders(settings.frame_ancestors, origin.isSecure))) response.setHeader(name, value);
      await send(response, await this.#answer(request, origin), wanted);
    } catch (cause) {
      // The client disconnected while sending its request.
      if (request.destroyed && !request.complete) return;
      log.error({ why: messageOf(cause), entry }, 'internal error while handling a request of the page; please report it');
      if (response.headersSent) response.destroy();
      else await send(response, FAULT, wanted).catch(() => response.destroy());
    }
  }

  #originOf(request: IncomingMessage): Origin {
    const { headers, socket } = request;
    if (this.#parts.entry !== 'ingress') return originOf(socket.remoteAddress, headers, this.#trusted);
    // The Supervisor is the only peer and sets these headers.
    const [scheme, host] = [headers['x-forwarded-proto'], headers['x-forwarded-host']];
    const client = oneOf(headers['x-remote-user-id']) ?? 'ingress';
    return { client, isLocal: true, isSecure: oneOf(scheme) === 'https', forwardedHost: oneOf(host) };
  }

  async #answer(request: IncomingMessage, origin: Origin): Promise<WebAnswer> {
    const { headers, method = '', url = '' } = request;
    const refusal = this.#refuseSource(request, origin);
    if (refusal) return refusalPage(refusal, request);
    const { base_path: base } = this.#parts.settings;
    const [place, query] = splitQuery(url);
    if (isPlaceWithoutSlash(base, place)) return redirectTo(`${place.slice(place.lastIndexOf('/') + 1)}/`);
    const path = pathBelow(base, place);
    if (path === undefined) return NOT_FOUND;
    if (this.#parts.findMore && /^a\/[a-z0-9_-]{1,40}$/.test(path)) return redirectTo(`${path.slice(2)}/`);
    const found = await this.#find(method, path);
    if (found.kind === 'none') return NOT_FOUND;
    if (found.kind === 'method') return { ...refused(405, 'method', 'Method not allowed.'), headers: { allow: found.allow } };
    const { route } = found;
    const session = route.access === 'public' ? undefined : await this.#sessionOf(headers.cookie);
    const login = this.#loginState(session);
    const refusedHere = this.#refuseRoute(route, request, origin, login);
    const isLetIn = !refusedHere && route.access !== 'public' && login !== 'needed';
    if (isLetIn) this.connections.letIn(request.socket);
    const body = refusedHere ?? (route.method === 'POST' ? await readBody(request, route) : NO_BODY);
    if ('status' in body) return body;
    const isIngress = this.#parts.entry === 'ingress';
    const user = isIngress ? userOf(request) : undefined;
    const { client, isSecure } = origin;
    try {
      return await route.handle({
        ...{ method: route.method, path, query: new URLSearchParams(query), headers, body: body.value, client, isIngress, isSecure, login },
        ...{ session, user },
      });
    } catch (cause) {
      // It names folders of this machine, which only authenticated users may see.
      const refusal = isLetIn ? fileRefusal(cause) : undefined;
      if (!refusal) throw cause;
      return refusal;
    }
  }

  /** Whether this client, with this host name, gets an answer at all. */
  #refuseSource({ headers, url = '' }: IncomingMessage, { client, isLocal, forwardedHost }: Origin): WebAnswer | undefined {
    const { entry, settings, clock } = this.#parts;
    const known = { machine: hostname(), hosts: settings.hosts };
    // Behind ingress, the Supervisor's own cookie protects against this.
    const hosts = entry === 'ingress' ? [] : [headers.host, ...(forwardedHost === undefined ? [] : [forwardedHost])];
    if (!hosts.every((host) => isHostAllowed(host, known))) return WRONG_HOST;
    if (!this.#limit.takes(client, clock.elapsedMs())) return TOO_FAST;
    if (entry === 'none' && !isLocal) return PASSWORD_MISSING;
    return url.length > LONGEST_URL ? TOO_LONG : undefined;
  }

  /** Whether the headers of this request permit the route. */
  #refuseRoute(
    { method, path, access, mostFileBytes, isForm }: Route,
    { headers }: IncomingMessage,
    { forwardedHost }: Origin,
    login: LoginState,
  ): WebAnswer | undefined {
    const fetchSite = oneOf(headers['sec-fetch-site']);
    const from = { fetchSite, origin: headers.origin, host: headers.host, forwardedHost };
    const isSafe = method === 'POST' ? isFromPage(from, this.#parts.settings.hosts) : !path.startsWith('api/') || mayRead(fetchSite);
    if (!isSafe) return NOT_FROM_PAGE;
    if (access === 'setup' && this.#parts.mode !== 'setup') return NOT_FOUND;
    if (access !== 'public' && access !== 'open' && login === 'needed') return LOGIN_NEEDED;
    if (method !== 'POST') return undefined;
    // A form route only trusts its token and the check above.
    if (isForm) return undefined;
    // A form on another site can send neither type.
    if (mostFileBytes !== undefined) return headers['content-type'] === FILE_TYPE ? undefined : NO_FILE_TYPE;
    return isJson(headers['content-type']) ? undefined : NO_JSON_TYPE;
  }

  async #find(method: string, path: string): Promise<Found> {
    const found = this.#parts.findMore?.(method, path) ?? findRoute(this.#parts.routes, method, path);
    if (found.kind !== 'none' || path.startsWith('api/')) return found;
    return findRoute(await this.#parts.assets(), method, this.#parts.findMore ? path.replace(ACCOUNT_PLACE, '') : path);
  }

  #loginState(session: string | undefined): LoginState {
    if (this.#parts.entry === 'none' || this.#parts.entry === 'ingress') return 'none';
    return session === undefined ? 'needed' : 'done';
  }

  async #sessionOf(cookies: string | undefined): Promise<string | undefined> {
    if (this.#parts.entry === 'none' || this.#parts.entry === 'ingress') return undefined;
    const tokens = COOKIES.flatMap((name) => cookiesNamed(name, cookies).slice(0, MOST_COOKIES));
    for (const token of tokens) if (await this.#parts.sessions.has(token)) return token;
    return undefined;
  }
}

const NO_BODY = { value: undefined };

const oneOf = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header);

const splitQuery = (url: string): readonly [place: string, query: string] => {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
};

/** True for the page's path without the final slash: relative addresses would be wrong there. */
const isPlaceWithoutSlash = (basePath: string | undefined, path: string): boolean => {
  const prefix = basePath?.replace(/\/+$/, '') ?? '';
  return prefix !== '' && path === prefix;
};

/** Relative, because the browser may see a different prefix. */
const redirectTo = (location: string): WebAnswer => ({ status: 308, headers: { location } });

const LONGEST_NAME = 64;

/** The name of the user in Home Assistant. Headers are read as Latin-1; the Supervisor sends UTF-8. */
const userOf = ({ headers }: IncomingMessage): string | undefined => {
  const name = oneOf(headers['x-remote-user-display-name']) ?? oneOf(headers['x-remote-user-name']);
  return name === undefined ? undefined : [...Buffer.from(name, 'latin1').toString('utf8')].slice(0, LONGEST_NAME).join('');
};
