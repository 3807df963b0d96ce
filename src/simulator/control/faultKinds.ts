import { API_JSON, errorId, failure } from '../http/answer.ts';
import type { JsonObject } from '../http/json.ts';

const HTML = 'text/html';
const page = (title: string): string => `<html><head><title>${title}</title></head><body><center><h1>${title}</h1></center></body></html>`;

/** An API error; `more` has further members. */
const envelope = (statusCode: number, errorType: string, message: string | null, extendedPayload?: JsonObject, more = {}): JsonObject => {
  const { status, body } = failure(statusCode, errorType, message, { extendedPayload, ...more });
  return { status, body };
};

const offline = (reason: string): JsonObject =>
  envelope(400, 'DEVICE_COMMUNICATION_ERROR', '', { httpStatusCode: 'NotFound', code: '404', reason });

const TOKEN_PATH = '^/idp/v\\d+/token';

const LIMIT_WORDS = 'API calls rate limit has been exceeded. Please wait until your limit will renew.';

/** `limitReset` in the command: ms from now; in the answer: epoch ms, as on the platform. */
const rateLimited = (command: JsonObject, now: number, name = 'ViCare day limit', requestCountLimit = 1450): JsonObject =>
  envelope(429, 'RATE_LIMIT_EXCEEDED', LIMIT_WORDS, {
    ...{ clientId: 'heating2mqtt-demo', userId: 'simulated-user', name, requestCountLimit },
    limitReset: now + (typeof command.limitReset === 'number' ? command.limitReset : 60_000),
  });

const GONE_WORDS = 'This endpoint has been deprecated and is no longer available. Please use the replacement.';

/** 9 MB: above every platform answer (230 kB observed), and more than a client should accept. */
const huge = (): string => `{"data":[${'"........",'.repeat(857_142)}"end"]}`;

/** The known platform failures by name, each with the members that it adds to a `fault` command. */
export const FAULT_KINDS: Readonly<Record<string, (command: JsonObject, now: number) => JsonObject>> = {
  html502: () => ({ status: 502, contentType: HTML, body: page('502 Bad Gateway') }),
  html503: () => ({ status: 503, contentType: HTML, body: page('503 Service Temporarily Unavailable') }),
  html200: () => ({ status: 200, contentType: HTML, body: page('Log in') }),
  rate_limited: (command, now) => rateLimited(command, now),
  rate_limited_10_minutes: (command, now) => rateLimited(command, now, 'ViCare 10 minutes limit', 120),
  rate_limited_bare: () => envelope(429, 'RATE_LIMIT_EXCEEDED', LIMIT_WORDS, { clientId: 'heating2mqtt-demo', userId: 'simulated-user' }),
  gateway_offline: () => offline('GATEWAY_OFFLINE'),
  device_offline: () => offline('DEVICE_OFFLINE'),
  communication_error: () => envelope(502, 'DEVICE_COMMUNICATION_ERROR', 'DEVICE_COMMUNICATION_ERROR', { reason: 'INTERNAL_SERVER_ERROR' }),
  updating: () => envelope(403, 'GATEWAY_IS_UPDATING', 'The gateway is being updated.'),
  not_paid: () => envelope(402, 'PACKAGE_NOT_PAID_FOR', null, { monetization: 'User does not have access to given feature.' }),
  not_found: () => envelope(404, 'FEATURE_NOT_FOUND', 'FEATURE_NOT_FOUND'),
  validation: () => envelope(422, 'VALIDATION_ERROR', 'Validation error', { reason: 'INVALID_PARAMETERS', details: [] }),
  gone: () =>
    envelope(410, 'GONE', GONE_WORDS, { sunsetDate: '2025-12-15T12:00:00.000Z', replacement: 'GET /iot/v2/equipment/installations' }),
  failed_dependency: () => envelope(424, 'FAILED_DEPENDENCY', 'The gateway did not answer.'),
  internal_error: () => envelope(500, 'INTERNAL_ERROR', 'Internal server error'),
  proxy_error: () => ({ status: 500, contentType: 'text/plain', body: 'Proxy error' }),
  timeout504: () => ({ status: 504, body: { statusCode: 504, errorType: 'ECONNABORTED', message: 'ECONNABORTED' } }),
  timeout200: () => ({
    status: 200,
    body: { viErrorId: `00-${errorId().slice(4)}-00`, errorType: '', message: '', extendedPayload: { code: '500', reason: 'TIMEOUT' } },
  }),
  success_false: () => ({
    status: 200,
    body: { data: { success: false, message: 'The command was not executed.', reason: 'COMMAND_FAILED' } },
  }),
  rebooting: () => ({ status: 202, body: '', execute: true }),
  rubbish: () => ({ status: 200, contentType: API_JSON, body: '{"data":[{"feature":' }),
  no_data: () => ({ status: 200, body: {} }),
  null_data: () => ({ status: 200, body: { data: null } }),
  empty: () => ({ status: 200, body: '' }),
  empty_list: () => ({ status: 200, body: { data: [] } }),
  huge: () => ({ status: 200, contentType: API_JSON, body: huge() }),
  expired_token: () =>
    envelope(401, 'UNAUTHORIZED', 'Token provided in request is expired or invalid.', undefined, { error: 'EXPIRED TOKEN' }),
  expired_token_bare: () => ({ status: 401, body: { error: 'EXPIRED TOKEN' } }),
  identity_error: () => ({ status: 500, body: { error: 'server_error', error_description: 'Unexpected server error' } }),
  invalid_grant: () => ({ status: 400, body: { error: 'invalid_grant', error_description: 'Invalid refresh token.' } }),
  invalid_client: () => ({ status: 400, body: { error: 'invalid_client', error_description: 'Client not registered.' } }),
  hang: () => ({ hang: true }),
  cut_before: () => ({ cut: 'before' }),
  cut_headers: () => ({ cut: 'headers' }),
  cut_middle: () => ({ cut: 'middle' }),
  cut_after_effect: () => ({ cut: 'after_effect' }),
  hang_middle: () => ({ cut: 'stall' }),
  slow: () => ({ slowMsPerByte: 10 }),
  trickle: () => ({ slowMsPerByte: 1000 }),
  large: () => ({ padBytes: 3 * 1024 * 1024 }),
  token_down: () => ({ status: 503, contentType: HTML, body: page('503 Service Temporarily Unavailable'), match: { path: TOKEN_PATH } }),
  token_hang: () => ({ hang: true, match: { path: TOKEN_PATH } }),
};
