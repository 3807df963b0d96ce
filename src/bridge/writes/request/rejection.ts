import type { AnswerFacts } from '../../../language/answers/answersDe.ts';
import type { Issue } from '../../../shared/issue.ts';
import { parseJson } from '../../../shared/json.ts';
import type { RefusalCode } from '../../../topics/resultPayload.ts';

/** A refusal in one sentence; for `invalid` with every broken rule. `facts`: for other languages. */
export type Refusal = {
  readonly code: RefusalCode;
  readonly message: string;
  readonly errors?: readonly Issue[] | undefined;
  readonly facts?: AnswerFacts | undefined;
};

// The sentence has only the first issues; `errors` has all.
const MOST_SENTENCES = 3;

/** The refusal of a payload that breaks these rules. */
export const invalid = (errors: readonly Issue[]): Refusal => {
  const sentences = [...new Set(errors.map(({ message }) => message))];
  const first = sentences.slice(0, MOST_SENTENCES);
  const left = sentences.length - first.length;
  return { code: 'invalid', message: [...first, ...(left > 0 ? [`and ${left} more, see errors`] : [])].join('; '), errors };
};

const OF_ADDRESS: ReadonlySet<RefusalCode> = new Set(['unknown_device', 'unknown_feature', 'unknown_command', 'unknown_topic']);
const BEGINS_JSON = /^\s*[[{]/u;

/**
 * The refusal of a command whose address may be wrong. A broken payload is reported first. Without a target
 * to parse it, a payload is broken if it begins as JSON but is not JSON.
 */
export const addressRefusal = (text: string, refusal: Refusal): Refusal => {
  if (!OF_ADDRESS.has(refusal.code) || !BEGINS_JSON.test(text)) return refusal;
  const read = parseJson(text);
  return read.ok ? refusal : invalid(read.issues);
};
