import { mdiTuneVariant } from '@mdi/js';
import { logout, session } from '../state/session.ts';
import { DisplayChoices } from './displayChoices.tsx';
import { Icon } from './icon.tsx';
import { words } from './words.ts';

/** Language, appearance and logging out. */
export const DisplayMenu = () => {
  const w = words.value;
  return (
    <details class="menu" name="menu">
      <summary aria-label={w.display} title={w.display}>
        <Icon path={mdiTuneVariant} />
      </summary>
      <div class="menu-body stack">
        <DisplayChoices />
        {session.value?.login === 'done' && (
          <button type="button" onClick={() => void logout()}>
            {w.logout}
          </button>
        )}
      </div>
    </details>
  );
};
