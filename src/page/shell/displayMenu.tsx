import { mdiTuneVariant } from '@mdi/js';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../editor/view/Button.tsx';
import { LANGUAGES } from '../../language/language.ts';
import { logout, session } from '../state/api.ts';
import { language, languageChoice, THEMES, theme } from '../state/preferences.ts';
import { into, Select } from './form.tsx';
import { Icon } from './icon.tsx';
import { route } from './route.ts';
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

/** Language, theme and logout. Closed by Escape, an outside click, or navigation. */
export const DisplayMenu = () => {
  const w = words.value;
  const place = useRef<HTMLDetailsElement>(null);
  const shown = route.value;
  useEffect(() => {
    place.current?.removeAttribute('open');
  }, [shown]);
  useEffect(() => {
    const close = (event: Event): void => {
      const menu = place.current;
      if (!menu?.open) return;
      if (event instanceof KeyboardEvent) {
        if (event.key !== 'Escape') return;
        if (menu.contains(document.activeElement)) menu.querySelector('summary')?.focus();
      } else if (event.composedPath().includes(menu)) return;
      menu.open = false;
    };
    addEventListener('pointerdown', close);
    addEventListener('keydown', close);
    return () => {
      removeEventListener('pointerdown', close);
      removeEventListener('keydown', close);
    };
  }, []);
  return (
    <details class="menu" ref={place}>
      <summary aria-label={w.display} title={w.display}>
        <Icon path={mdiTuneVariant} />
      </summary>
      <div class="menu-body stack">
        <DisplayChoices />
        {session.value?.login === 'done' && <Button text={w.logout} onClick={() => void logout()} />}
      </div>
    </details>
  );
};
