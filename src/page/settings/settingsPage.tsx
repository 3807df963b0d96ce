import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { BrokerForm } from '../setup/brokerForm.tsx';
import { CheckList } from '../setup/checkList.tsx';
import { DevicesForm } from '../setup/devicesForm.tsx';
import { LoginStep } from '../setup/loginForm.tsx';
import { PasswordForm } from '../setup/passwordForm.tsx';
import { file, loadLogin, loadRows, problem, problemsOf, words } from '../setup/setupState.ts';
import { DisplayChoices } from '../shell/displayChoices.tsx';
import { Heading } from '../shell/heading.tsx';
import { levels, linkTo } from '../shell/route.ts';
import { words as pageWords } from '../shell/words.ts';
import { AllSettings } from './allSettings.tsx';
import { Overruled } from './overruled.tsx';
import { ProfilesForm } from './profilesForm.tsx';
import { isSaved, isSaving, saveSettings } from './saveSettings.ts';

const PARTS = ['devices', 'broker', 'login', 'profiles', 'password', 'display', 'tests', 'all'] as const;
type Part = (typeof PARTS)[number];

/** Parts that change no setting of the bridge. */
const WRITES_NOTHING: readonly Part[] = ['login', 'display', 'tests'];

/** The settings that the form of a part changes; all of them have their place among all settings. */
const SETTINGS_OF: Readonly<Partial<Record<Part, readonly string[]>>> = {
  devices: ['devices'],
  broker: ['mqtt.url', 'mqtt.username', 'mqtt.password'],
  profiles: ['schedules.profiles'],
  password: ['web.password'],
};

const titleOf = (part: Part): string => {
  const w = words.value;
  return {
    devices: w.devices,
    broker: w.broker,
    login: w.login,
    profiles: w.profiles,
    password: w.pagePassword,
    display: pageWords.value.display,
    tests: w.tests,
    all: w.all,
  }[part];
};

const Content = ({ part }: { readonly part: Part }) => {
  const w = words.value;
  switch (part) {
    case 'devices':
      return (
        <section class="card stack">
          <p>{w.devicesText}</p>
          <DevicesForm button={w.save} onChosen={saveSettings} />
        </section>
      );
    case 'broker':
      return (
        <section class="card">
          <BrokerForm button={w.save} onTested={saveSettings} onSkip={saveSettings} />
        </section>
      );
    case 'login':
      return (
        <section class="card">
          <LoginStep />
        </section>
      );
    case 'profiles':
      return <ProfilesForm />;
    case 'password':
      return (
        <PasswordForm label={w.newPassword} button={w.save} isBusy={isSaving.value} save={saveSettings}>
          <p>{w.passwordLogsOut}</p>
        </PasswordForm>
      );
    case 'display':
      return (
        <section class="card stack">
          <DisplayChoices />
        </section>
      );
    case 'tests':
      return (
        <section class="card">
          <CheckList />
        </section>
      );
    case 'all':
      return <AllSettings />;
    default:
      return part satisfies never;
  }
};

/** The settings of the bridge: the everyday ones each with a form of its own, and all of them with meaning and origin. */
export const SettingsPage = () => {
  const isLoaded = useSignal(false);
  const trouble = useSignal('');
  /** Forms are opened anew when their settings are those of the file again. */
  const resets = useSignal(0);
  const w = words.value;
  useEffect(() => {
    Promise.all([loadRows(), loadLogin()]).then(
      () => {
        isLoaded.value = true;
      },
      (error: unknown) => {
        trouble.value = Object.values(problemsOf(error)).join(' ');
      },
    );
  }, []);
  const part = PARTS.find((one) => one === levels.value[1]) ?? 'devices';
  useEffect(() => {
    isSaved.value = false;
  }, [part]);
  return (
    <>
      <Heading text={pageWords.value.settings} />
      <nav aria-label={pageWords.value.settings}>
        <ul class="parts">
          {PARTS.map((one) => (
            <li key={one}>
              <a href={linkTo('settings', one)} aria-current={one === part ? 'page' : undefined}>
                {titleOf(one)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="stack settings">
        <h2>{titleOf(part)}</h2>
        {isSaving.value && <p class="banner">{w.saving}</p>}
        {isSaved.value && <p class="good">{w.saved}</p>}
        {problem.value !== '' && !isSaving.value && <p class="banner">{w.startFailed(problem.value)}</p>}
        {isLoaded.value ? (
          <>
            <Content key={`${part} ${resets.value}`} part={part} />
            <Overruled
              key={`overruled ${part}`}
              paths={SETTINGS_OF[part] ?? []}
              onReset={() => {
                resets.value += 1;
              }}
            />
          </>
        ) : (
          <p role="status">{trouble.value || pageWords.value.loading}</p>
        )}
        {isLoaded.value && !WRITES_NOTHING.includes(part) && <p class="quiet">{w.writesTo(file.value)}</p>}
      </div>
    </>
  );
};
