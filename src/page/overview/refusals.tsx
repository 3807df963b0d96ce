import { REFUSAL_WORDS, type RefusedPlace, refusalText } from '../../language/answers/refusals.ts';
import { nameOf } from '../../language/names/name.ts';
import { language } from '../state/preferences.ts';
import { deviceTitle } from './names.ts';

/** The list of what Viessmann refuses to this account. */
export const RefusalList = ({ refusals }: { readonly refusals: readonly RefusedPlace[] }) => {
  const w = REFUSAL_WORDS[language.value];
  const called = { device: deviceTitle, feature: (feature: string) => nameOf(feature, undefined, language.value) };
  const textOf = (one: RefusedPlace): string => refusalText(one, language.value, called);
  return (
    <details class="refusals">
      <summary>{w.title(refusals.length)}</summary>
      <p>{w.why}</p>
      <ul>
        {refusals.map((one) => (
          <li key={textOf(one)}>{textOf(one)}</li>
        ))}
      </ul>
    </details>
  );
};

/** Said beside controls of which some are refused (`here`), and beside values that cannot be read any more (`old`). */
export const RefusedHere = ({ what }: { readonly what: 'here' | 'old' }) => <p class="quiet">{REFUSAL_WORDS[language.value][what]}</p>;
