import { signal } from '@preact/signals';
import { printWeek } from '../../schedule/text/weekText.ts';
import type { Week } from '../../schedule/week.ts';
import { announce } from '../shell/announcer.tsx';
import { words } from '../shell/words.ts';
import { postJson } from '../state/api.ts';

const PATH = 'schedules.profiles';

/** The result of the last profile save. */
export const profileOutcome = signal<{ readonly isProblem: boolean; readonly text: string } | undefined>();

/** Saves a week as a profile in the settings; the bridge restarts with them. */
export const saveProfile = async (name: string, week: Week): Promise<void> => {
  const say = (isProblem: boolean, text: string): void => {
    profileOutcome.value = { isProblem, text };
    announce(text);
  };
  // Imported late: the schedules do not need the texts of the settings otherwise.
  const settings = () => import('../setup/setupState.ts');
  try {
    const { overruled } = await postJson('api/settings', { changes: { [`${PATH}.${name}`]: printWeek(week) ?? week } });
    const isOverruled = overruled.some(({ path }) => path === PATH);
    say(false, words.value.profileSaved(name) + (isOverruled ? ` ${(await settings()).words.value.overruled}` : ''));
  } catch (error) {
    say(true, words.value.refused(Object.values((await settings()).problemsOf(error)).join(' ')));
  }
};
