import type { LoginStart } from './identityService.ts';

/** The query, where it holds the platform's answer to this login; otherwise undefined. */
export const returnedQuery = (start: LoginStart, query: URLSearchParams): URLSearchParams | undefined => {
  const hasAnswer = Boolean(query.get('code')) || Boolean(query.get('error'));
  return hasAnswer && query.get('state') === start.state ? query : undefined;
};

/** The query of an address that was pasted, however much of its beginning is missing; undefined where it has none. */
export const pastedQuery = (line: string): URLSearchParams | undefined => {
  const query = /\?([^#\s"'>]+)/.exec(line)?.[1];
  return query === undefined ? undefined : new URLSearchParams(query);
};
