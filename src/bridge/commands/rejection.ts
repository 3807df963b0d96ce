import type { Issue } from '../../shared/issue.ts';
import { parseJson } from '../../shared/json.ts';
import type { RefusalCode } from '../../topics/resultPayload.ts';

/** Why a message was not carried out, in one sentence, and for `invalid` with every broken rule. */
export type Refusal = { readonly code: RefusalCode; readonly message: string; readonly errors?: readonly Issue[] };

// A sentence of more is read by nobody; all of them are in `errors`.
const MOST_SAID = 3;

/** The refusal of a payload that breaks these rules. */
export const invalid = (errors: readonly Issue[]): Refusal => {
  const sentences = [...new Set(errors.map(({ message }) => message))];
  const said = sentences.slice(0, MOST_SAID);
  const left = sentences.length - said.length;
  return { code: 'invalid', message: [...said, ...(left > 0 ? [`and ${left} more, see errors`] : [])].join('; '), errors };
};

const OF_ADDRESS: ReadonlySet<RefusalCode> = new Set(['unknown_device', 'unknown_feature', 'unknown_command', 'unknown_topic']);
const BEGINS_JSON = /^\s*[[{]/u;

/**
 * The refusal of a message whose address may be wrong: what is broken in the payload comes first (docs/errors.md). Where nobody is there to
 * read it, only what begins as JSON and is none is surely broken.
 */
export const addressRefusal = (text: string, refusal: Refusal): Refusal => {
  if (!OF_ADDRESS.has(refusal.code) || !BEGINS_JSON.test(text)) return refusal;
  const read = parseJson(text);
  return read.ok ? refusal : invalid(read.issues);
};
