import { hash, timingSafeEqual } from 'node:crypto';
import type { LoginStart } from './identityService.ts';

const digest = (text: string): Uint8Array => hash('sha256', text, 'buffer');

/** Compares in constant time: the duration does not reveal how many characters match. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

/** The query if it contains the platform's answer to this login; otherwise undefined. */
export const returnedQuery = (start: LoginStart, query: URLSearchParams | undefined): URLSearchParams | undefined => {
  const hasAnswer = Boolean(query?.get('code')) || Boolean(query?.get('error'));
  return hasAnswer && isSame(query?.get('state') ?? '', start.state) ? query : undefined;
};

/** The query of a pasted address, even if its beginning is missing; undefined without a query. */
export const pastedQuery = (line: string): URLSearchParams | undefined => {
  const query = /\?([^#\s"'>]+)/.exec(line)?.[1];
  return query === undefined ? undefined : new URLSearchParams(query);
};
