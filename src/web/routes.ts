import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { LoginState } from '../api/answers.ts';
import { limitFacts } from '../bridge/ports.ts';
import { codeOf, messageOf } from '../shared/errors.ts';

type Method = 'GET' | 'POST';

/**
 * Whom a route is for. `public`: everyone, pages of other sites too, so no cookie is looked at; `open`: everyone who reaches the page;
 * `session`: people that are logged in, or need not be; `setup`: the same, while there are no settings yet.
 */
type Access = 'public' | 'open' | 'session' | 'setup';

/** A request that has passed every check of its route. */
export type WebRequest = {
  readonly method: Method;
  /** Below the place of the page, without a slash at its begin: `api/state`; empty for the page itself. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The JSON value of a POST, or the bytes where the route takes a file. */
  readonly body: unknown;
  /** The address of the browser, as far as it is known: for limits and the log. */
  readonly client: string;
  readonly isIngress: boolean;
  /** The browser uses https. */
  readonly isSecure: boolean;
  readonly login: LoginState;
  /** The token of the session, where `login` is `done`. */
  readonly session?: string | undefined;
  /** The name that Home Assistant gives, under ingress. */
  readonly user?: string | undefined;
};

/** An answer: JSON, or content as it is, or a stream that takes over the response after the headers. */
export type WebAnswer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly content?: Content;
  readonly stream?: (response: ServerResponse) => void;
};

/** `gzipped` is the body for those that take gzip; a body is made of it for others. `bytes` are sent as they are. */
type Content = { readonly type: string } & ({ readonly text: string } | { readonly gzipped: Uint8Array } | { readonly bytes: Uint8Array });

export type Route = {
  readonly method: Method;
  readonly path: string;
  readonly access: Access;
  /** The POST has the bytes of a file, of this many at most, and no JSON. */
  readonly mostFileBytes?: number;
  /** The POST has the fields of an HTML form, all of them texts, and no JSON. */
  readonly isForm?: true;
  readonly handle: (request: WebRequest) => WebAnswer | Promise<WebAnswer>;
};

/** A route for a GET; `access` is for people that are logged in, or need not be, where nothing else is said. */
export const get = (path: string, handle: Route['handle'], access: Access = 'session'): Route => ({ method: 'GET', path, access, handle });

/** The same for a POST of JSON. */
export const post = (path: string, handle: Route['handle'], access: Access = 'session'): Route => ({
  method: 'POST',
  path,
  access,
  handle,
});

/** The codes of refusals, each of which the page says in German too. */
export type RefusalCode =
  | ('bad_request' | 'busy' | 'foreign_origin' | 'internal' | 'invalid' | 'login_needed' | 'method' | 'no_code' | 'no_json' | 'not_found')
  | ('password_missing' | 'restarting' | 'setup' | 'too_fast' | 'too_large' | 'too_long' | 'too_many_streams' | 'too_often')
  | ('wrong_code' | 'wrong_host' | 'wrong_password' | 'unwritable' | 'cannot_change' | 'storage' | 'no_backup' | 'newer_backup' | 'worker');

/** A refusal: a code for programs, and a sentence for people. */
export const refused = (status: number, error: RefusalCode, message: string, more: Pick<WebAnswer, 'headers'> = {}): WebAnswer => ({
  status,
  json: { error, message },
  ...more,
});

/** What was thrown, with the platform's own word for a refusal, and our code, by which the page can say it in another language. */
export const failed = (cause: unknown, code = codeOf(cause)): WebAnswer => {
  const word = cause instanceof Error && 'errorType' in cause && typeof cause.errorType === 'string' ? cause.errorType : 'failed';
  return {
    status: 502,
    json: { error: word, ...(code === undefined ? {} : { code }), message: messageOf(cause), facts: limitFacts(cause) },
  };
};

/** Faults of files that people can mend themselves, with the status of their answers. */
const OF_FILES = [
  ['unwritable', 422],
  ['cannot_change', 422],
  ['no_backup', 422],
  ['newer_backup', 422],
  ['storage', 507],
] as const;

/** What a fault of the files becomes; undefined for any other one. */
export const fileRefusal = (cause: unknown): WebAnswer | undefined => {
  const found = OF_FILES.find(([code]) => code === codeOf(cause));
  return found && refused(found[1], found[0], messageOf(cause));
};

/** What was asked for; with its type, as the page reads it. */
export const ok = <Json>(json: Json): WebAnswer => ({ status: 200, json });

export const NO_CONTENT: WebAnswer = { status: 204 };

/** While no bridge runs. */
export const RESTARTING = refused(503, 'restarting', 'The bridge starts again. Try again in a moment.', {
  headers: { 'retry-after': '5' },
});

/** What a route does with the bridge that runs. */
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

/** Finds routes by method and path; HEAD is a GET whose content is not sent. */
export const findRoute = (routes: readonly Route[], method: string, path: string): Found => {
  const here = routes.filter((route) => route.path === path);
  const route = here.find((one) => one.method === (method === 'HEAD' ? 'GET' : method));
  if (route) return { kind: 'route', route };
  if (here.length === 0) return { kind: 'none' };
  return { kind: 'method', allow: here.map((one) => (one.method === 'GET' ? 'GET, HEAD' : one.method)).join(', ') };
};
