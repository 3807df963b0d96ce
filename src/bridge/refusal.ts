import type { Issue } from '../base/issue.ts';
import type { RefusalCode } from '../topics/table.ts';

/** Why a message was not carried out, in one sentence, and for `invalid` with every broken rule. */
export type Refusal = { readonly code: RefusalCode; readonly message: string; readonly errors?: readonly Issue[] };

// A sentence of more is read by nobody; all of them are in `errors`.
const MOST_SAID = 3;

/** The refusal of a payload that breaks these rules. */
export const invalid = (errors: readonly Issue[]): Refusal => {
  const said = errors.slice(0, MOST_SAID).map(({ message }) => message);
  const left = errors.length - said.length;
  return { code: 'invalid', message: [...said, ...(left > 0 ? [`and ${left} more, see errors`] : [])].join('; '), errors };
};
