import { useSignal } from '@preact/signals';
import { Button } from '../../editor/view/Button.tsx';
import { ApiError, login } from '../state/api.ts';
import { Form, setTo } from './form.tsx';
import { words } from './words.ts';

const FORGOT = 'heating2mqtt web-password';

/** The page login, with help for a forgotten password. */
export const LoginForm = () => {
  const error = useSignal('');
  const isBusy = useSignal(false);
  const isShown = useSignal(false);
  const w = words.value;
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const password = new FormData(form).get('password');
    isBusy.value = true;
    error.value = '';
    try {
      if (!(await login(String(password)))) error.value = words.value.noCookie;
    } catch (cause) {
      if (!(cause instanceof ApiError)) error.value = words.value.noConnection;
      else if (cause.status === 429) error.value = words.value.tooManyTries(cause.retryAfterS || 60);
      else if (cause.code === 'wrong_password' || cause.status === 401) error.value = words.value.wrongPassword;
      // Imported late: the texts of the settings are large.
      else error.value = (await import('../setup/setupState.ts')).translated([cause.code], cause.message);
    }
    isBusy.value = false;
  };
  return (
    <main class="narrow" id="content">
      <h1>{w.loginTitle}</h1>
      <Form class="card stack" onSend={submit}>
        <input class="unseen" name="username" autocomplete="username" value="heating2mqtt" tabIndex={-1} aria-hidden="true" readOnly />
        <label class="field">
          <span>{w.password}</span>
          <input
            name="password"
            {...(isShown.value ? { type: 'text' } : { type: 'password' })}
            autocomplete="current-password"
            required
            aria-invalid={error.value !== ''}
            aria-describedby="login-error"
          />
        </label>
        <label class="check">
          <input type="checkbox" checked={isShown.value} onChange={setTo(isShown, !isShown.value)} />
          <span>{w.showPassword}</span>
        </label>
        <p id="login-error" class="problem" role="alert">
          {error.value}
        </p>
        <Button text={w.loginTitle} class="primary" type="submit" disabled={isBusy.value} />
      </Form>
      <p class="quiet">
        {w.forgot} <code>{FORGOT}</code>
      </p>
    </main>
  );
};
