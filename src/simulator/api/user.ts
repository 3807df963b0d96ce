import { type Answer, failure, jsonAnswer, notAllowed, type Request } from '../http/answer.ts';
import type { JsonObject } from '../http/json.ts';

/** `/users/v1/users/me`: the whole record with `sections=identity`; without sections, what lies outside `properties`. */
export const user = (request: Request, record: JsonObject): Answer => {
  if (request.method !== 'GET') return notAllowed(request.method);
  const sections = request.query.get('sections')?.split(',') ?? [];
  const unknown = sections.filter((section) => section !== 'identity');
  if (unknown.length > 0) return failure(400, 'VALIDATION_ERROR', `Unknown section ${unknown.join(', ')}.`);
  const { properties, ...outside } = record;
  return jsonAnswer(200, sections.includes('identity') ? { ...outside, properties } : outside);
};
