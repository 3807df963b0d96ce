import { type Answer, jsonAnswer, type Request, validationError } from '../http/answer.ts';
import type { JsonObject } from '../http/json.ts';

// As documented: 50 by default, at most 1000.
const PAGE = 50;
const LONGEST_PAGE = 1000;

/** The page in a query: at most `limit` members after `cursor`. A refusal where these are not whole numbers in their range. */
export const readPage = (
  query: URLSearchParams,
): { readonly cursor: number | undefined; readonly limit: number } | { readonly refusal: Answer } => {
  const cursor = query.get('cursor') ?? undefined;
  const limit = query.get('limit') ?? String(PAGE);
  if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > LONGEST_PAGE) {
    return { refusal: validationError([{ path: 'limit', message: `must be a whole number from 1 to ${LONGEST_PAGE}` }]) };
  }
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) {
    return { refusal: validationError([{ path: 'cursor', message: 'must be the one that the page before ended with' }]) };
  }
  return { cursor: cursor === undefined ? undefined : Number(cursor), limit: Number(limit) };
};

/** One page of a list, as `{data, cursor}`; the last page has no `cursor.next`. */
export const pageOf = (all: readonly JsonObject[], { query }: Request): Answer => {
  const page = readPage(query);
  if ('refusal' in page) return page.refusal;
  const { cursor: from = 0, limit } = page;
  const next = from + limit < all.length ? { next: String(from + limit) } : {};
  return jsonAnswer(200, { data: all.slice(from, from + limit), cursor: next });
};
