import { LANGUAGES } from '../../language/language.ts';
import { language, languageChoice, THEMES, theme } from '../state/preferences.ts';
import { into } from './form.tsx';
import { Select } from './select.tsx';
import { words } from './words.ts';

const NAMES = { en: 'English', de: 'Deutsch' } as const;

/** Language and theme of the page, stored in this browser. */
export const DisplayChoices = () => {
  const w = words.value;
  const auto = ['auto', `${w.languageAuto} (${NAMES[language.value]})`] as const;
  const languages = LANGUAGES.map((one) => [one, NAMES[one], one] as const);
  return (
    <>
      <label class="field">
        <span>{w.language}</span>
        <Select value={languageChoice.value} options={[auto, ...languages]} onPick={into(languageChoice)} />
      </label>
      <label class="field">
        <span>{w.theme}</span>
        <Select value={theme.value} options={THEMES.map((one) => [one, w.themes[one]] as const)} onPick={into(theme)} />
      </label>
    </>
  );
};
