import { REFUSAL_WORDS, type RefusedPlace, refusalText } from '../../language/answers/refusals.ts';
import { nameOf } from '../../language/names/name.ts';
import { language } from '../state/preferences.ts';
import { deviceTitle } from './names.ts';

/** The list of everything that Viessmann refuses to this account. */
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

/** Shown next to partly refused controls (`here`), or to values no longer readable (`old`). */
export const RefusedHere = ({ what }: { readonly what: 'here' | 'old' }) => <p class="quiet">{REFUSAL_WORDS[language.value][what]}</p>;
