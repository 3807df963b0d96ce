import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { LoginAttempt, LoginBegun } from '../../api/answers.ts';
import { Button } from '../../editor/view/Button.tsx';
import { announce } from '../shell/announcer.tsx';
import { Form, setTo } from '../shell/form.tsx';
import { focusHeading } from '../shell/heading.tsx';
import { postJson } from '../state/api.ts';
import { Field, Problem } from './field.tsx';
import { loadLogin, login, loginFault, problemsOf, textOf, words } from './setupState.ts';

/** The validity of the code in the pasted address, in seconds after the login. */
const CODE_S = 20;
const POLL_MS = 2000;

type Begun = LoginBegun & { readonly endsMs: number };

const hasCode = (text: string): boolean => /[?&](?:code|error)=/.test(text);

type LoginProps = {
  /** An account of the table; if absent, the one in the settings. */
  readonly account?: string;
  readonly onDone?: () => void;
};

/** The platform login in a separate tab. It redirects to this page, or the user pastes its address. */
export const PlatformLogin = ({ account, onDone }: LoginProps) => {
  const begun = useSignal<Begun | undefined>(undefined);
  const isOpened = useSignal(false);
  const backMs = useSignal<number | undefined>(undefined);
  const nowMs = useSignal(Date.now());
  const pasted = useSignal('');
  const problem = useSignal('');
  const isBusy = useSignal(false);
  const w = words.value;

  // A second login would end the first, whose address may already be open.
  const isBeginning = useRef(false);
  /** Creates a new link; `why` says how the previous one ended. */
  const begin = async (why = ''): Promise<void> => {
    if (isBeginning.current) return;
    isBeginning.current = true;
    problem.value = why;
    isOpened.value = false;
    backMs.value = undefined;
    try {
      const answer = await (account === undefined
        ? postJson('api/platform/login', { page: location.href })
        : postJson('api/accounts/login', { name: account }));
      begun.value = { ...answer, endsMs: Date.now() + answer.seconds * 1000 };
    } catch (error) {
      begun.value = undefined;
      problem.value = textOf(problemsOf(error));
    }
    isBeginning.current = false;
  };
  const done = async (): Promise<void> => {
    if (account === undefined) await loadLogin().catch(() => undefined);
    announce(words.value.loggedIn);
    onDone?.();
  };
  // A code of another login leaves this one valid; any other refusal has used it up.
  const ended = async (attempt: LoginAttempt): Promise<void> => {
    if (attempt.status === 'applied') await done();
    else if (attempt.code === 'invalid') problem.value = loginFault(attempt);
    else await begin(loginFault(attempt));
  };
  const finish = async (): Promise<void> => {
    if (isBusy.value) return;
    if (!hasCode(pasted.value)) {
      problem.value = words.value.noAddress;
      return;
    }
    isBusy.value = true;
    problem.value = '';
    try {
      const attempt = await (account === undefined
        ? postJson('api/platform/login/finish', { address: pasted.value })
        : postJson('api/accounts/login/finish', { name: account, address: pasted.value }));
      pasted.value = '';
      await ended(attempt);
    } catch (error) {
      problem.value = problemsOf(error)[''] ?? '';
    }
    isBusy.value = false;
  };

  useEffect(() => {
    // The result of the login from which the browser has returned.
    const last = account === undefined ? login.value.last : undefined;
    void begin(last && last.status !== 'applied' ? loginFault(last) : '');
    const tick = setInterval(() => {
      nowMs.value = Date.now();
      const leftMs = (begun.value?.endsMs ?? Number.POSITIVE_INFINITY) - Date.now();
      if (document.hidden) return;
      // The link is unused, so it is replaced silently; a hidden tab waits until it is visible.
      if (!isOpened.value && leftMs < 20_000) void begin();
      if (isOpened.value && leftMs <= 0) void begin(words.value.loginFaults['no_login']);
    }, 1000);
    const poll = setInterval(() => {
      if (account !== undefined || !isOpened.value || isBusy.value || document.hidden) return;
      const before = login.value;
      void loadLogin().then(
        () => {
          const { last } = login.value;
          if (!last || JSON.stringify(last) === JSON.stringify(before.last)) return;
          void ended(last);
        },
        () => undefined,
      );
    }, POLL_MS);
    const returned = (): void => {
      if (isOpened.value && !document.hidden) backMs.value ??= Date.now();
    };
    document.addEventListener('visibilitychange', returned);
    addEventListener('focus', returned);
    return () => {
      clearInterval(tick);
      clearInterval(poll);
      document.removeEventListener('visibilitychange', returned);
      removeEventListener('focus', returned);
    };
  }, []);

  const { value } = begun;
  const pasteLeft = backMs.value === undefined ? undefined : Math.max(0, CODE_S - Math.floor((nowMs.value - backMs.value) / 1000));
  const link = value && (
    <a class="button primary" href={value.address} target="_blank" rel="noopener noreferrer" onClick={setTo(isOpened, true)}>
      {w.openLogin}
    </a>
  );
  const buttons = (
    <div class="buttons">
      {link}
      {(value ? isOpened.value : problem.value !== '') && <Button text={w.again} onClick={() => void begin()} />}
    </div>
  );
  if (!value || value.oneTap)
    return (
      <div class="stack">
        {value && <p>{isOpened.value ? w.waitingForTab : w.loginOneTap}</p>}
        <Problem text={problem.value} />
        {buttons}
      </div>
    );
  const [first, second, third] = w.loginPaste;
  return (
    <ol class="steps-list stack">
      <li>
        <p>{first}</p>
        {buttons}
      </li>
      <li>{second}</li>
      <li>
        <Form class="stack" onSend={finish} noValidate>
          <p>{third}</p>
          <Field
            label={w.pasteHere}
            value={pasted.value}
            onInput={(text) => {
              pasted.value = text;
              // Pasting sends the address, because its code expires soon.
              if (hasCode(text)) void finish();
            }}
            hint={w.pasteHint(value.redirect)}
            problem={problem.value}
            mono
          />
          {isOpened.value && pasteLeft !== undefined && (
            <p class={pasteLeft === 0 ? 'banner' : 'countdown'} role="timer" aria-live="off">
              {pasteLeft > 0 ? w.pasteSeconds(pasteLeft) : w.pasteLate}
            </p>
          )}
          <Button text={isBusy.value ? w.checking : w.next} class="start" type="submit" disabled={isBusy.value} />
        </Form>
      </li>
    </ol>
  );
};

/** The current login, and the button to log in (again). */
export const LoginStep = ({ onDone }: { readonly onDone?: () => void }) => {
  const isAgain = useSignal(false);
  const w = words.value;
  const { loggedIn, as } = login.value;
  if (loggedIn && !isAgain.value)
    return (
      <div class="stack">
        <p class="good">{as === undefined ? w.loggedIn : w.loggedInAs(as)}</p>
        <div class="buttons">
          {onDone && <Button text={w.next} class="primary" onClick={onDone} />}
          <Button
            text={w.loginAgain}
            onClick={() => {
              isAgain.value = true;
              focusHeading();
            }}
          />
        </div>
      </div>
    );
  const end = (): void => {
    isAgain.value = false;
    focusHeading();
    onDone?.();
  };
  return <PlatformLogin onDone={end} />;
};
