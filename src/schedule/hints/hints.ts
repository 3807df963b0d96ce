import { CHECKS, type Found, type HintKey, TIPS } from './checks.ts';
import type { WeekFacts } from './facts.ts';
import type { Move } from './measured.ts';

/** A remark about a week, never an error: the check that made it, its level, and a proposed move. */
export type Hint = { readonly key: HintKey; readonly level: 'hint' | 'tip'; readonly text: string; readonly move?: Move };

/** The sentence of each check, in one language. */
type Sentences = { readonly [K in HintKey]: (found: Found[K]) => string };

/** The hints of all checks for a week. */
export const hintsOf = (facts: WeekFacts, sentences: Sentences): readonly Hint[] =>
  (Object.keys(CHECKS) as HintKey[]).flatMap((key) => textOf(key, facts, sentences));

const textOf = <K extends HintKey>(key: K, facts: WeekFacts, sentences: Sentences): readonly Hint[] => {
  const found = CHECKS[key](facts);
  const level = TIPS.has(key) ? 'tip' : 'hint';
  return found ? [{ key, level, text: sentences[key](found), ...('move' in found ? { move: found.move } : {}) }] : [];
};
