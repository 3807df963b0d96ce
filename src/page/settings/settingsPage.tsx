import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { BrokerForm } from '../setup/brokerForm.tsx';
import { CheckList } from '../setup/checkList.tsx';
import { DevicesForm } from '../setup/devicesForm.tsx';
import { inCard } from '../setup/field.tsx';
import { LoginStep } from '../setup/loginForm.tsx';
import { PasswordForm } from '../setup/passwordForm.tsx';
import { file, loadLogin, loadRows, problem, settingText, textOf, words } from '../setup/setupState.ts';
import { NotYet, useWork } from '../setup/work.tsx';
import { DisplayChoices } from '../shell/displayMenu.tsx';
import { setTo } from '../shell/form.tsx';
import { Heading } from '../shell/heading.tsx';
import { levels, linkTo, mayLeave } from '../shell/route.ts';
import { words as pageWords } from '../shell/words.ts';
import { isLetIn } from '../state/api.ts';
import { AllSettings } from './allSettings.tsx';
import { BackupForms } from './backupForms.tsx';
import { Overruled } from './overruled.tsx';
import { ProfilesForm } from './profilesForm.tsx';
import { isSaved, isSaving, saveSettings } from './saveSettings.ts';
import { VersionForm } from './versionForm.tsx';

type Part = {
  readonly title: () => string;
  /** The settings that this form changes; all of them are also in the list of all settings. */
  readonly settings?: readonly string[];
  /** True if the part concerns the main account, which a process may lack. */
  readonly ofMain?: true;
  /** True if the part changes no setting of the bridge. */
  readonly writesNothing?: true;
  readonly Body: ComponentType;
};

const PARTS: Readonly<Record<string, Part>> = {
  devices: {
    title: () => words.value.devices,
    settings: ['devices'],
    ofMain: true,
    Body: () => inCard(<DevicesForm button={words.value.save} onChosen={saveSettings} />, words.value.devicesText),
  },
  broker: {
    title: () => words.value.broker,
    settings: ['mqtt.url', 'mqtt.username', 'mqtt.password'],
    Body: () => inCard(<BrokerForm button={words.value.save} onTested={saveSettings} onSkip={saveSettings} />),
  },
  login: { title: () => words.value.login, ofMain: true, writesNothing: true, Body: () => inCard(<LoginStep />) },
  profiles: { title: () => words.value.profiles, settings: ['schedules.profiles'], Body: ProfilesForm },
  password: { title: () => words.value.pagePassword, settings: ['web.password'], Body: PasswordForm },
  display: { title: () => pageWords.value.display, writesNothing: true, Body: () => inCard(<DisplayChoices />) },
  tests: { title: () => words.value.tests, writesNothing: true, Body: () => inCard(<CheckList />, words.value.testsText) },
  backup: { title: () => words.value.backup, writesNothing: true, Body: BackupForms },
  version: { title: () => words.value.version, settings: ['web.update_check'], Body: VersionForm },
  all: { title: () => words.value.all, Body: AllSettings },
};

/** Replaces the account parts in a process without a main account. */
const NoMain = () => (
  <p class="banner">
    {words.value.noMain} <a href={linkTo('accounts')}>{words.value.accounts}</a>
  </p>
);

/** The settings of the bridge: forms for common ones, and all of them with meaning and origin. */
export const SettingsPage = () => {
  const isLoaded = useSignal(false);
  /** Recreates the forms after their settings were reset to the file's values. */
  const resets = useSignal(0);
  const w = words.value;
  const mayLoad = isLetIn.value;
  const { problems, run } = useWork();
  const load = (): Promise<void> =>
    run(async () => {
      await Promise.all([loadRows(), loadLogin()]);
      isLoaded.value = true;
    });
  useEffect(() => {
    if (mayLoad) void load();
  }, [mayLoad]);
  const name = Object.keys(PARTS).find((one) => one === levels.value[1]) ?? 'devices';
  const { title, settings = [], writesNothing = false, Body: OwnBody = AllSettings, ofMain = false } = PARTS[name] ?? {};
  const isNone = ofMain && settingText('platform.client_id') === '';
  const Body = isNone ? NoMain : OwnBody;
  useEffect(() => {
    isSaved.value = false;
  }, [name]);
  // A form loses its input when its part is left. The list of all settings keeps it.
  const asksBeforeLeaving = (): void => {
    if (settings.length > 0) mayLeave.current = () => false;
  };
  return (
    <>
      <Heading text={pageWords.value.settings} />
      <nav aria-label={pageWords.value.settings}>
        <ul class="parts">
          {Object.entries(PARTS).map(([one, part]) => (
            <li key={one}>
              <a href={linkTo('settings', one)} aria-current={one === name ? 'page' : undefined}>
                {part.title()}
              </a>
            </li>
          ))}
          <li>
            <a href={linkTo('accounts')}>{w.accounts}</a>
          </li>
        </ul>
      </nav>
      <div class="stack settings" onInput={asksBeforeLeaving}>
        <h2>{title?.()}</h2>
        {isSaving.value && <p class="banner">{w.saving}</p>}
        {isSaved.value && <p class="good">{w.saved}</p>}
        {problem.value !== '' && !isSaving.value && <p class="banner">{w.startFailed(problem.value)}</p>}
        {isLoaded.value ? (
          <>
            <Body key={`${name} ${resets.value}`} />
            <Overruled key={`overruled ${name}`} paths={settings} onReset={setTo(resets, resets.value + 1)} />
          </>
        ) : (
          <NotYet trouble={textOf(problems.value)} again={load} />
        )}
        {isLoaded.value && !writesNothing && !isNone && <p class="quiet">{w.writesTo(file.value)}</p>}
      </div>
    </>
  );
};
