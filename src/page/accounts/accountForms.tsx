import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { LoginLink } from '../../api/accounts.ts';
import type { LoginBegun } from '../../api/answers.ts';
import { Button } from '../../editor/view/Button.tsx';
import { CopyField } from '../setup/copyField.tsx';
import { Field, Problem } from '../setup/field.tsx';
import { loginFault, problemsOf } from '../setup/setupState.ts';
import { Form } from '../shell/form.tsx';
import { localMoment } from '../shell/format.ts';
import { loadSession, postJson } from '../state/api.ts';
import { placeOf, processPlace } from '../state/place.ts';
import { loadAccounts } from './accounts.ts';
import { accountWords } from './words.ts';

const textOf = (error: unknown): string => Object.values(problemsOf(error)).join(' ');

/** A new account: its name and client id. */
export const AddForm = ({ onAdded, onCancel }: { readonly onAdded: (name: string) => void; readonly onCancel: () => void }) => {
  const name = useSignal('');
  const clientId = useSignal('');
  const problem = useSignal('');
  const isBusy = useSignal(false);
  const w = accountWords.value;
  const add = async (): Promise<void> => {
    isBusy.value = true;
    problem.value = '';
    try {
      await postJson('api/accounts/add', { name: name.value.trim(), client_id: clientId.value.trim() });
      await Promise.all([loadAccounts(), loadSession()]);
      onAdded(name.value.trim());
    } catch (error) {
      problem.value = textOf(error);
    }
    isBusy.value = false;
  };
  return (
    <Form class="card stack" onSend={add}>
      <h2>{w.add}</h2>
      <p>{w.addText}</p>
      <Field label={w.name} value={name.value} onInput={(text) => (name.value = text)} hint={w.nameHint} required mono />
      <Field label={w.clientId} value={clientId.value} onInput={(text) => (clientId.value = text)} hint={w.clientHint} required mono />
      <Problem text={problem.value} />
      <div class="buttons">
        <Button text={isBusy.value ? w.adding : w.add} type="submit" class="primary" disabled={isBusy.value} />
        <Button text={w.cancel} onClick={onCancel} />
      </div>
    </Form>
  );
};

type OfAccount = { readonly name: string; readonly onClose: () => void };

/** The login of an account: in a tab of its own, whose last address is pasted here. */
export const AccountLogin = ({ name, onClose }: OfAccount) => {
  const begun = useSignal<LoginBegun | undefined>(undefined);
  const pasted = useSignal('');
  const problem = useSignal('');
  const isDone = useSignal(false);
  const w = accountWords.value;
  const begin = async (): Promise<void> => {
    try {
      begun.value = await postJson('api/accounts/login', { name });
    } catch (error) {
      problem.value = textOf(error);
    }
  };
  useEffect(() => void begin(), [name]);
  const finish = async (): Promise<void> => {
    problem.value = '';
    try {
      const { status, code = '', message } = await postJson('api/accounts/login/finish', { name, address: pasted.value });
      isDone.value = status === 'applied';
      if (status === 'applied') return await loadAccounts();
      problem.value = loginFault(code, message);
      pasted.value = '';
      if (code !== 'invalid') await begin();
    } catch (error) {
      problem.value = textOf(error);
    }
  };
  return (
    <section class="card stack">
      <h2>{w.loginOf(name || w.main)}</h2>
      {isDone.value ? (
        <>
          <p class="good">{w.loggedIn(name || w.main)}</p>
          <div class="buttons">
            <a class="button primary" href={placeOf(name)}>
              {w.show}
            </a>
            <Button text={w.close} onClick={onClose} />
          </div>
        </>
      ) : (
        <Form class="stack" onSend={finish} noValidate>
          <ol class="steps-list stack">
            {w.steps.map((step, index) => (
              <li key={step}>
                <p>{step}</p>
                {index === 0 && begun.value && (
                  <a class="button primary" href={begun.value.address} target="_blank" rel="noopener noreferrer">
                    {w.open}
                  </a>
                )}
              </li>
            ))}
          </ol>
          <Field label={w.address} value={pasted.value} onInput={(text) => (pasted.value = text)} problem={problem.value} mono />
          <div class="buttons">
            <Button text={w.finish} type="submit" />
            <Button text={w.cancel} onClick={onClose} />
          </div>
        </Form>
      )}
    </section>
  );
};

/** A link by which somebody else logs the account in. */
export const AccountLink = ({ name, onClose }: OfAccount) => {
  const link = useSignal<LoginLink | undefined>(undefined);
  const problem = useSignal('');
  const w = accountWords.value;
  useEffect(() => {
    postJson('api/accounts/link', { name }).then(
      (made) => {
        link.value = made;
      },
      (error: unknown) => {
        problem.value = textOf(error);
      },
    );
  }, [name]);
  return (
    <section class="card stack">
      <h2>{w.linkFor(name || w.main)}</h2>
      <Problem text={problem.value} />
      {link.value && (
        <>
          <CopyField label={w.link} value={`${location.origin}${processPlace}${link.value.path}`} />
          <p>{w.linkText(localMoment(new Date(link.value.endsMs).toISOString()))}</p>
        </>
      )}
      <div class="buttons">
        <Button text={w.close} onClick={onClose} />
      </div>
    </section>
  );
};
