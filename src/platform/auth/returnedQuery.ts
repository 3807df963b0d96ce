import { hash, timingSafeEqual } from 'node:crypto';
import type { LoginStart } from './identityService.ts';

const digest = (text: string): Uint8Array => hash('sha256', text, 'buffer');

/** True for equal texts; the time that it takes says nothing of how far they are equal. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

/** The query, where it holds the platform's answer to this login; otherwise undefined. */
export const returnedQuery = (start: LoginStart, query: URLSearchParams | undefined): URLSearchParams | undefined => {
  const hasAnswer = Boolean(query?.get('code')) || Boolean(query?.get('error'));
  return hasAnswer && isSame(query?.get('state') ?? '', start.state) ? query : undefined;
};

/** The query of an address that was pasted, however much of its beginning is missing; undefined where it has none. */
export const pastedQuery = (line: string): URLSearchParams | undefined => {
  const query = /\?([^#\s"'>]+)/.exec(line)?.[1];
  return query === undefined ? undefined : new URLSearchParams(query);
};
