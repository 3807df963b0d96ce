import { randomBytes } from 'node:crypto';
import type { Json, JsonObject } from './json.ts';

/** An HTTP response. */
export type Answer = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string };

/** An HTTP request; `path` is percent-encoded and has no query. */
export type Request = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly contentType: string;
  readonly authorization: string | undefined;
  readonly body: string;
};

/** The content type of the user service's answers. */
export const API_JSON = 'application/json;charset=utf-8';

export const jsonAnswer = (status: number, body: Json): Answer => ({
  status,
  headers: { 'content-type': API_JSON },
  body: JSON.stringify(body),
});

export const htmlAnswer = (status: number, html: string, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers: { 'content-type': 'text/html;charset=utf-8', ...headers },
  body: html,
});

/** An id in the format of the platform's errors: `req-` and 32 hexadecimal digits. */
export const errorId = (): string => `req-${randomBytes(16).toString('hex')}`;

/**
 * The API error envelope; `more` adds or replaces members (`extendedPayload`, `error`). `extendedPayload` is
 * always there: clients read its `reason` for every refused command.
 */
export const failure = (statusCode: number, errorType: string, message: string | null, more: JsonObject = {}): Answer =>
  jsonAnswer(statusCode, { viErrorId: errorId(), statusCode, errorType, message, extendedPayload: { reason: errorType }, ...more });

/** 404 for an unknown item, with its id. */
export const notFound = (what: 'INSTALLATION' | 'GATEWAY' | 'DEVICE' | 'FEATURE', id: string): Answer =>
  failure(404, `${what}_NOT_FOUND`, `${what}_NOT_FOUND`, { extendedPayload: { reason: `${what}_NOT_FOUND`, id } });

/** 400 for broken rules; `path`: a JSON pointer into the body, or the name of a query parameter. */
export const validationError = (details: readonly { readonly path: string; readonly message: string }[]): Answer =>
  failure(400, 'VALIDATION_ERROR', 'Validation error', {
    extendedPayload: { reason: 'INVALID_PARAMETERS', details: details.map(({ path, message }) => ({ path, message })) },
  });

/** The error for an unreachable device or gateway: since 2023 a 400, with the reason in `extendedPayload`. */
export const communicationError = (reason: string): Answer =>
  failure(400, 'DEVICE_COMMUNICATION_ERROR', 'Device communication error', {
    extendedPayload: { httpStatusCode: 'NotFound', code: '404', reason },
  });

/** An answer of the identity service. */
export const identityAnswer = (status: number, body: object): Answer => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache' },
  body: JSON.stringify(body),
});

/** An identity service error (RFC 6749 §5.2). */
export const oauthError = (error: string, description: string): Answer => identityAnswer(400, { error, error_description: description });

/** A wrong HTTP method: the platform answers 400, not 405. */
export const notAllowed = (method: string): Answer => failure(400, 'NOT_ALLOWED', `Method ${method} is not allowed here.`);

/** The body has a content type other than JSON. */
export const unsupportedType = (): Answer => failure(400, 'UNSUPPORTED_MEDIA_TYPE', 'The content type must be application/json.');
