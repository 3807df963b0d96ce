import type { PageWords } from '../../language/pageEn.ts';
import type { RuleSentence } from '../../language/rules.ts';
import type { Answer } from '../../topics/resultPayload.ts';

/** The texts that outcomes need. */
type OutcomeWords = Pick<PageWords, Exclude<Answer['status'], 'rejected' | 'failed'> | 'appliedUntil' | 'adapted' | 'refused' | 'codes'>;

/** The refusal part of an answer. */
type Refused = { readonly code?: string | undefined; readonly message?: string | undefined; readonly errors?: Answer['errors'] };

/** Why a write was refused: its broken rules, else its code, else the bridge's own text. */
export const reasonOf = ({ code, message, errors }: Refused, { codes }: OutcomeWords, rule: RuleSentence): string => {
  if (errors && errors.length > 0) return errors.map(rule).join(' ');
  const known = code !== undefined && Object.hasOwn(codes, code) ? codes[code] : undefined;
  return known ?? message ?? code ?? '?';
};

/** The outcome of a write as one sentence. */
export const outcomeOf = (
  answer: Partial<Answer>,
  words: OutcomeWords,
  rule: RuleSentence,
  moment: (instant: string) => string,
  valueText: (value: number | string) => string,
): string => {
  const { status, adapted, until } = answer;
  if (status === undefined || status === 'rejected' || status === 'failed') {
    const reason = reasonOf(answer, words, rule);
    // The write may have had an effect.
    return answer.code === 'unknown_outcome' ? reason : words.refused(reason);
  }
  if (status === 'applied' && (typeof adapted === 'number' || typeof adapted === 'string')) return words.adapted(valueText(adapted));
  if (status === 'applied' && until !== undefined) return words.appliedUntil(moment(until));
  // A newer bridge may have statuses that this page does not know.
  return words[status] ?? '';
};
