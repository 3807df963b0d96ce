import { LANGUAGES } from '../../language/language.ts';
import { language, languageChoice, THEMES, theme } from '../state/preferences.ts';
import { words } from './words.ts';

const NAMES = { en: 'English', de: 'Deutsch' } as const;

/** Language and theme of the page, stored in this browser. */
export const DisplayChoices = () => {
  const w = words.value;
  return (
    <>
      <label class="field">
        <span>{w.language}</span>
        <select
          value={languageChoice.value}
          onChange={({ currentTarget: { value } }) => {
            languageChoice.value = LANGUAGES.find((one) => one === value) ?? 'auto';
          }}
        >
          <option value="auto">{`${w.languageAuto} (${NAMES[language.value]})`}</option>
          {LANGUAGES.map((one) => (
            <option key={one} value={one} lang={one}>
              {NAMES[one]}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>{w.theme}</span>
        <select
          value={theme.value}
          onChange={({ currentTarget: { value } }) => {
            theme.value = THEMES.find((one) => one === value) ?? 'auto';
          }}
        >
          {THEMES.map((one) => (
            <option key={one} value={one}>
              {w.themes[one]}
            </option>
          ))}
        </select>
      </label>
    </>
  );
};
