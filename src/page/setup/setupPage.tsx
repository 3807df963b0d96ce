import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { RestoreForm } from '../settings/backupForms.tsx';
import { Heading } from '../shell/heading.tsx';
import { LoginForm } from '../shell/loginForm.tsx';
import { levels, linkTo } from '../shell/route.ts';
import { session } from '../state/api.ts';
import { BrokerForm } from './brokerForm.tsx';
import { ClientStep } from './clientStep.tsx';
import { CodeForm } from './codeForm.tsx';
import { DevicesForm } from './devicesForm.tsx';
import { inCard } from './field.tsx';
import { FinishStep } from './finishStep.tsx';
import { LoginStep } from './loginForm.tsx';
import { isLoaded, isRight, keep, loadSetup, login, rows, type Save, setup, textOf, words } from './setupState.ts';
import { NotYet, useWork } from './work.tsx';

const STEPS = ['broker', 'client', 'login', 'devices', 'finish'] as const;
type Step = (typeof STEPS)[number];

const isSetByPerson = (path: string): boolean => (rows.value.get(path)?.origin.kind ?? 'default') !== 'default';

const isDone = (step: Step): boolean => {
  if (step === 'login') return login.value.loggedIn;
  const path = { broker: 'mqtt.url', client: 'platform.client_id', devices: 'devices', finish: undefined }[step];
  return path !== undefined && isSetByPerson(path);
};

/** True for a step that needs the platform while the client id is missing. */
const lacksClient = (step: Step): boolean => (step === 'login' || step === 'devices') && setup.value.missing.includes('platform.client_id');

/** The step in the URL, else the first unfinished one. */
const currentStep = (): Step => {
  const named = STEPS.find((step) => step === levels.value[1]);
  return named ?? STEPS.find((step) => !isDone(step)) ?? 'finish';
};

const go = (step: Step): void => {
  location.hash = linkTo('setup', step);
};

const Steps = ({ current }: { readonly current: Step }) => {
  const w = words.value;
  return (
    <nav aria-label={w.stepsLabel}>
      <ol class="setup-steps">
        {STEPS.map((step, i) => (
          <li key={step} class={isDone(step) ? 'done' : ''}>
            <a href={linkTo('setup', step)} aria-current={step === current ? 'step' : undefined}>
              <span class="step-number" aria-hidden="true">
                {isDone(step) ? '✓' : i + 1}
              </span>
              <span class="step-name">{w.steps[step]}</span>
              {isDone(step) && <span class="unseen">({w.done})</span>}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
};

const keepAnd =
  (next: Step): Save =>
  async (changes) => {
    const problems = await keep(changes);
    if (isRight(problems)) go(next);
    return problems;
  };

const CONTENT: Readonly<Record<Step, ComponentType>> = {
  broker: () =>
    inCard(<BrokerForm button={words.value.brokerTest} onTested={keepAnd('client')} onSkip={keepAnd('client')} />, words.value.brokerText),
  client: () => inCard(<ClientStep onDone={() => go('login')} />),
  login: () => inCard(<LoginStep onDone={() => go('devices')} />),
  devices: () =>
    inCard(<DevicesForm button={words.value.next} onChosen={keepAnd('finish')} onSkip={() => go('finish')} />, words.value.devicesText),
  finish: FinishStep,
};

const Wizard = () => {
  const { problems, run } = useWork();
  const w = words.value;
  const load = (): Promise<void> =>
    run(async () => {
      await loadSetup();
      // So that the back button leads to this step.
      if (!STEPS.some((step) => step === levels.value[1])) location.replace(linkTo('setup', currentStep()));
    });
  useEffect(() => void load(), []);
  if (!isLoaded.value)
    return (
      <main class="setup" id="content">
        <h1>{w.codeTitle}</h1>
        <NotYet trouble={textOf(problems.value)} again={load} />
      </main>
    );
  const step = currentStep();
  const Content = CONTENT[step];
  const at = STEPS.indexOf(step);
  const before = STEPS[at - 1];
  return (
    <main class="setup" id="content">
      <Steps current={step} />
      <div>
        <p class="quiet">{w.stepOf(at + 1, STEPS.length)}</p>
        <Heading key={step} text={w[`${step}Title`]} />
      </div>
      {lacksClient(step) ? (
        <p class="banner">
          {w.missing(w.steps.client)} <a href={linkTo('setup', 'client')}>{w.clientTitle}</a>
        </p>
      ) : (
        <Content key={step} />
      )}
      {at === 0 && <RestoreForm />}
      {before && (
        <p>
          <a href={linkTo('setup', before)}>{w.back}</a>
        </p>
      )}
    </main>
  );
};

/** The first setup, and the one-time code form. The bridge keeps the input, so any browser can continue. */
export const SetupPage = () => {
  const { mode, login: state } = session.value ?? {};
  if (mode === 'code') return <CodeForm />;
  return state === 'needed' ? <LoginForm /> : <Wizard />;
};
