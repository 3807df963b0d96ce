import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from '../../editor/view/Button.tsx';
import { Form } from '../shell/form.tsx';
import { type FieldProps, TextField } from './field.tsx';
import { isRight, type Problems, rows, type Save, words } from './setupState.ts';

const PATH = 'web.password';

/** The password field. */
export const NewPassword = (props: Pick<FieldProps, 'label' | 'problem' | 'required'> & { readonly text: Signal<string> }) => (
  <TextField {...props} path={PATH} type="password" autocomplete="new-password" hint={words.value.pagePasswordHint} />
);

type Props = {
  readonly label: string;
  readonly button: string;
  readonly isBusy?: boolean;
  readonly save: Save;
  /** The content above the field. */
  readonly children: ComponentChildren;
};

/** The page password, in the settings. */
export const PasswordForm = ({ label, button, isBusy = false, save, children }: Props) => {
  const password = useSignal('');
  const problems = useSignal<Problems>({});
  const send = async (): Promise<void> => {
    problems.value = await save({ [PATH]: password.value });
    if (isRight(problems.value)) password.value = '';
  };
  return (
    <Form class="card stack" onSend={send} noValidate>
      {children}
      <NewPassword label={label} text={password} problem={problems.value[PATH] ?? problems.value['']} required />
      <Button
        text={button}
        class="primary start"
        type="submit"
        disabled={password.value === '' || isBusy || rows.value.get(PATH)?.fixed === true}
      />
    </Form>
  );
};
