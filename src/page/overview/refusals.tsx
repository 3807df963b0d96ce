import { REFUSAL_WORDS, type RefusedPlace, refusalText } from '../../language/answers/refusals.ts';
import { STANDING } from '../../language/faults/standingWords.ts';
import { nameOf } from '../../language/names/name.ts';
import { jsonObject } from '../../shared/json.ts';
import { language } from '../state/preferences.ts';
import { base, topics } from '../state/store.ts';
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

/** In place of missing data: everything is refused to this account, else this text. */
export const NoData = ({ text }: { readonly text: string }) => {
  const { plan } = jsonObject(topics.value.get(`${base.value}/bridge/problems`) ?? '') ?? {};
  return <p class="quiet">{plan === undefined ? text : STANDING[language.value].allRefused}</p>;
};
