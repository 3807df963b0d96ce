import { type Answer, failure } from '../http/answer.ts';
import type { Tokens } from './tokens.ts';

/** The refusal that the bearer header earns, or undefined where the token is in force and holds the scope asked for. */
export const refuseBearer = (authorization: string | undefined, scope: 'IoT' | 'User', tokens: Tokens): Answer | undefined => {
  const token = /^Bearer +([\w.~+/=-]+)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) return failure(401, 'UNAUTHORIZED', 'Request contain invalid token', { error: 'NO TOKEN AVAILABLE' });
  const scopes = tokens.scopes(token);
  if (!scopes) return failure(401, 'UNAUTHORIZED', 'Token provided in request is expired or invalid.', { error: 'EXPIRED TOKEN' });
  return scopes.includes(scope) ? undefined : failure(403, 'UNAUTHORIZED', `The token lacks the scope ${scope}.`);
};
