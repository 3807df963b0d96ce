import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { LoginState } from '../api/answers.ts';
import { limitFacts } from '../bridge/ports.ts';
import { codeOf, messageOf } from '../shared/errors.ts';

type Method = 'GET' | 'POST';

/**
 * The permitted users of a route. `public`: everyone, also pages of other sites, so cookies are ignored;
 * `open`: everyone that reaches the page; `session`: logged-in users, or all if no login is needed; `setup`:
 * the same, while there are no settings yet.
 */
type Access = 'public' | 'open' | 'session' | 'setup';

/** A request that passed all checks of its route. */
export type WebRequest = {
  readonly method: Method;
  /** Below the page's path, without a leading slash: `api/state`; empty for the page itself. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The JSON value of a POST, or the bytes if the route accepts a file. */
  readonly body: unknown;
  /** The address of the browser, if known: for limits and the log. */
  readonly client: string;
  readonly isIngress: boolean;
  /** The browser uses https. */
  readonly isSecure: boolean;
  readonly login: LoginState;
  /** The session token, if `login` is `done`. */
  readonly session?: string | undefined;
  /** The user name from Home Assistant, under ingress. */
  readonly user?: string | undefined;
};

/** An answer: JSON, raw content, or a stream that takes over the response after the headers. */
export type WebAnswer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly content?: Content;
  readonly stream?: (response: ServerResponse) => void;
};

/** `gzipped`: the body for clients with gzip, decompressed for others. `bytes` are sent unchanged. */
type Content = { readonly type: string } & ({ readonly text: string } | { readonly gzipped: Uint8Array } | { readonly bytes: Uint8Array });

export type Route = {
  readonly method: Method;
  readonly path: string;
  readonly access: Access;
  /** The POST body is a file with at most this many bytes, not JSON. */
  readonly mostFileBytes?: number;
  /** The POST body has HTML form fields, all of them texts, not JSON. */
  readonly isForm?: true;
  readonly handle: (request: WebRequest) => WebAnswer | Promise<WebAnswer>;
};

/** A GET route; by default for logged-in users, or for all if no login is needed. */
export const get = (path: string, handle: Route['handle'], access: Access = 'session'): Route => ({ method: 'GET', path, access, handle });

/** The same for a POST with JSON. */
export const post = (path: string, handle: Route['handle'], access: Access = 'session'): Route => ({
  method: 'POST',
  path,
  access,
  handle,
});

/** The codes of refusals; the page also has a German text for each. */
export type RefusalCode =
  | ('bad_request' | 'busy' | 'foreign_origin' | 'internal' | 'invalid' | 'login_needed' | 'method' | 'no_code' | 'no_json' | 'not_found')
  | ('password_missing' | 'restarting' | 'setup' | 'too_fast' | 'too_large' | 'too_long' | 'too_many_streams' | 'too_often')
  | ('wrong_code' | 'wrong_host' | 'wrong_password' | 'unwritable' | 'cannot_change' | 'storage' | 'no_backup' | 'newer_backup' | 'worker');

/** A refusal: a code for programs and a message for users. */
export const refused = (status: number, error: RefusalCode, message: string, more: Pick<WebAnswer, 'headers'> = {}): WebAnswer => ({
  status,
  json: { error, message },
  ...more,
});

/** An error with the platform's own word for a refusal, and our code for the translation in the page. */
export const failed = (cause: unknown, code = codeOf(cause)): WebAnswer => {
  const word = cause instanceof Error && 'errorType' in cause && typeof cause.errorType === 'string' ? cause.errorType : 'failed';
  return {
    status: 502,
    json: { error: word, ...(code === undefined ? {} : { code }), message: messageOf(cause), facts: limitFacts(cause) },
  };
};

/** File errors that users can solve, with the status of the answers. */
const OF_FILES = [
  ['unwritable', 422],
  ['cannot_change', 422],
  ['no_backup', 422],
  ['newer_backup', 422],
  ['storage', 507],
] as const;

/** The answer for a file error; undefined for any other error. */
export const fileRefusal = (cause: unknown): WebAnswer | undefined => {
  const found = OF_FILES.find(([code]) => code === codeOf(cause));
  return found && refused(found[1], found[0], messageOf(cause));
};

/** A successful answer, with the type that the page reads. */
export const ok = <Json>(json: Json): WebAnswer => ({ status: 200, json });

export const NO_CONTENT: WebAnswer = { status: 204 };

/** The answer while no bridge is running. */
export const RESTARTING = refused(503, 'restarting', 'The bridge is restarting. Try again in a moment.', {
  headers: { 'retry-after': '5' },
});

/** Runs a route with the running bridge. */
export const ofBridge =
  <View>(
    state: { readonly view: View | undefined },
    handle: (view: View, request: WebRequest) => WebAnswer | Promise<WebAnswer>,
  ): Route['handle'] =>
  (request) =>
    state.view ? handle(state.view, request) : RESTARTING;

export type Found =
  | { readonly kind: 'route'; readonly route: Route }
  | { readonly kind: 'none' }
  | { readonly kind: 'method'; readonly allow: string };

/** Finds routes by method and path; HEAD is a GET without the content. */
export const findRoute = (routes: readonly Route[], method: string, path: string): Found => {
  const here = routes.filter((route) => route.path === path);
  const route = here.find((one) => one.method === (method === 'HEAD' ? 'GET' : method));
  if (route) return { kind: 'route', route };
  if (here.length === 0) return { kind: 'none' };
  return { kind: 'method', allow: here.map((one) => (one.method === 'GET' ? 'GET, HEAD' : one.method)).join(', ') };
};
