import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { LoginLink } from '../../api/accounts.ts';
import { Button } from '../../editor/view/Button.tsx';
import { CopyField } from '../setup/copyField.tsx';
import { Problem, TextField } from '../setup/field.tsx';
import { PlatformLogin } from '../setup/loginForm.tsx';
import { words as setupWords, textOf } from '../setup/setupState.ts';
import { useWork } from '../setup/work.tsx';
import { Form } from '../shell/form.tsx';
import { localMoment } from '../shell/format.ts';
import { words } from '../shell/words.ts';
import { loadSession, postJson } from '../state/api.ts';
import { placeOf, processPlace } from '../state/place.ts';
import { loadAccounts } from './accounts.ts';
import { accountWords } from './words.ts';

/** The heading of a form opened by a button. It takes the focus, because the button may be gone. */
const Title = ({ text }: { readonly text: string }) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <h2 ref={heading} tabIndex={-1}>
      {text}
    </h2>
  );
};

/** A new account: its name and client id. */
export const AddForm = ({ onAdded, onCancel }: { readonly onAdded: (name: string) => void; readonly onCancel: () => void }) => {
  const name = useSignal('');
  const clientId = useSignal('');
  const { problems, isBusy, run } = useWork();
  const w = accountWords.value;
  const add = async (): Promise<undefined> => {
    await postJson('api/accounts/add', { name: name.value.trim(), client_id: clientId.value.trim() });
    await Promise.all([loadAccounts(), loadSession()]);
    onAdded(name.value.trim());
  };
  return (
    <Form class="card stack" onSend={() => run(add)}>
      <Title text={w.add} />
      <p>{w.addText}</p>
      <TextField label={w.name} text={name} hint={w.nameHint} required mono />
      <TextField label={setupWords.value.clientId} text={clientId} hint={w.clientHint} required mono />
      <Problem text={textOf(problems.value)} />
      <div class="buttons">
        <Button text={isBusy.value ? w.adding : w.add} type="submit" class="primary" disabled={isBusy.value} />
        <Button text={words.value.cancel} onClick={onCancel} />
      </div>
    </Form>
  );
};

type OfAccount = { readonly name: string; readonly onClose: () => void };

/** The login of an account. */
export const AccountLogin = ({ name, onClose }: OfAccount) => {
  const isDone = useSignal(false);
  const w = accountWords.value;
  const shown = name || w.main;
  const done = (): void => {
    isDone.value = true;
    void loadAccounts().catch(() => undefined);
  };
  return (
    <section class="card stack">
      <Title text={w.loginOf(shown)} />
      {isDone.value ? <p class="good">{w.loggedIn(shown)}</p> : <PlatformLogin account={name} onDone={done} />}
      <div class="buttons">
        {isDone.value && (
          <a class="button primary" href={placeOf(name)}>
            {w.show}
          </a>
        )}
        <Button text={isDone.value ? words.value.close : words.value.cancel} onClick={onClose} />
      </div>
    </section>
  );
};

/** A link that lets another person log the account in. */
export const AccountLink = ({ name, onClose }: OfAccount) => {
  const link = useSignal<LoginLink | undefined>(undefined);
  const { problems, run } = useWork();
  const w = accountWords.value;
  const make = async (): Promise<undefined> => {
    link.value = await postJson('api/accounts/link', { name });
  };
  useEffect(() => void run(make), [name]);
  return (
    <section class="card stack">
      <Title text={w.linkFor(name || w.main)} />
      <Problem text={textOf(problems.value)} />
      {link.value && (
        <>
          <CopyField label={w.link} value={`${location.origin}${processPlace}${link.value.path}`} />
          <p>{w.linkText(localMoment(link.value.endsMs))}</p>
        </>
      )}
      <Button text={words.value.close} class="start" onClick={onClose} />
    </section>
  );
};
