import { mdiTuneVariant } from '@mdi/js';
import { LANGUAGES } from '../../language/language.ts';
import { language, languageChoice, THEMES, theme } from '../state/preferences.ts';
import { logout, session } from '../state/session.ts';
import { Icon } from './icon.tsx';
import { words } from './say.ts';

const NAMES = { en: 'English', de: 'Deutsch' } as const;

/** Language, appearance and logging out. */
export const DisplayMenu = () => {
  const w = words.value;
  return (
    <details class="menu" name="menu">
      <summary aria-label={w.display} title={w.display}>
        <Icon path={mdiTuneVariant} />
      </summary>
      <div class="menu-body stack">
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
        {session.value?.login === 'done' && (
          <button type="button" onClick={() => void logout()}>
            {w.logout}
          </button>
        )}
      </div>
    </details>
  );
};
