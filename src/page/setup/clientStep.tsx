import { useSignal } from '@preact/signals';
import { Button } from '../../editor/view/Button.tsx';
import { Form, setTo } from '../shell/form.tsx';
import { ApiError, postJson, session } from '../state/api.ts';
import { CopyField } from './copyField.tsx';
import { Problem, TextField } from './field.tsx';
import { PortalDrawing } from './portalDrawing.tsx';
import { isRight, keep, login, type Problems, problemsOf, rows, settingText, words } from './setupState.ts';
import { useWork } from './work.tsx';

const PASTED = 'http://localhost:4200/';
const PORTAL = 'https://app.developer.viessmann-climatesolutions.com/';
const CLIENT = 'platform.client_id';
const REDIRECT = 'platform.redirect_uri';

/** Client registration: the redirect address, where to enter it, and the id. The login page checks it. */
export const ClientStep = ({ onDone }: { readonly onDone: () => void }) => {
  const clientId = useSignal(settingText(CLIENT));
  const redirect = useSignal(settingText(REDIRECT) || PASTED);
  const { problems, isBusy, run } = useWork();
  const w = words.value;
  // Under Home Assistant the address changes with each visit.
  const callback = session.value?.ingress ? undefined : login.value.callback;
  const isFixed = rows.value.get(REDIRECT)?.fixed === true;
  const isOther = redirect.value !== PASTED && redirect.value !== callback;
  const choices = [
    [PASTED, w.redirectPaste],
    ...(callback === undefined ? [] : [[callback, w.redirectHere]]),
    ...(isOther ? [[redirect.value, w.redirectOther]] : []),
  ] as const;
  const isVendor = settingText('platform.base_url') === '';

  const check = async (): Promise<Problems> => {
    const wanted = {
      [CLIENT]: clientId.value.trim() || null,
      [REDIRECT]: redirect.value === rows.value.get(REDIRECT)?.default ? null : redirect.value,
    };
    const changes = Object.fromEntries(Object.entries(wanted).filter(([path]) => !rows.value.get(path)?.fixed));
    try {
      await postJson('api/platform/login', { changes, page: location.href });
      const wrong = await keep(changes);
      if (isRight(wrong)) onDone();
      return wrong;
    } catch (error) {
      const { '': general, ...atFields } = problemsOf(error);
      const field = error instanceof ApiError && error.code === 'invalid_client' ? CLIENT : '';
      return general === undefined ? atFields : { ...atFields, [field]: general };
    }
  };
  const [open, add, enter, take] = w.clientSteps;
  return (
    <Form class="stack" onSend={() => run(check)} noValidate>
      <p>{w.clientText}</p>
      <div class="beside stack">
        <ol class="steps-list stack">
          <li>
            {open}{' '}
            {isVendor && (
              <a href={PORTAL} target="_blank" rel="noopener noreferrer">
                {new URL(PORTAL).host}
              </a>
            )}
          </li>
          <li>{add}</li>
          <li>
            {enter}
            <CopyField label={w.redirect} value={redirect.value} />
            {!isFixed && choices.length > 1 && (
              <fieldset class="choices">
                <legend class="quiet">{w.redirectChoice}</legend>
                {choices.map(([value, text]) => (
                  <label key={value} class="check">
                    <input type="radio" name="redirect" checked={redirect.value === value} onChange={setTo(redirect, value ?? PASTED)} />
                    <span>{text}</span>
                  </label>
                ))}
              </fieldset>
            )}
          </li>
          <li>{take}</li>
        </ol>
        <PortalDrawing />
      </div>
      <TextField label={w.clientId} path={CLIENT} text={clientId} hint={w.clientIdHint} problem={problems.value[CLIENT]} required mono />
      <Problem text={problems.value[''] ?? problems.value[REDIRECT]} />
      <Button text={isBusy.value ? w.checking : w.clientCheck} class="primary start" type="submit" disabled={isBusy.value} />
    </Form>
  );
};
