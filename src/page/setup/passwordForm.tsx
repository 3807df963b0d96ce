import { type Signal, useSignal } from '@preact/signals';
import { Button } from '../../editor/view/Button.tsx';
import { isSaving, saveSettings } from '../settings/saveSettings.ts';
import { Form } from '../shell/form.tsx';
import { type FieldProps, TextField } from './field.tsx';
import { isRight, type Problems, rows, words } from './setupState.ts';

const PATH = 'web.password';

/** The password field. */
export const NewPassword = (props: Pick<FieldProps, 'label' | 'problem' | 'required'> & { readonly text: Signal<string> }) => (
  <TextField {...props} path={PATH} type="password" autocomplete="new-password" hint={words.value.pagePasswordHint} />
);

/** The page password, in the settings. */
export const PasswordForm = () => {
  const w = words.value;
  const password = useSignal('');
  const problems = useSignal<Problems>({});
  const send = async (): Promise<void> => {
    problems.value = await saveSettings({ [PATH]: password.value });
    if (isRight(problems.value)) password.value = '';
  };
  return (
    <Form class="card stack" onSend={send} noValidate>
      <p>{w.passwordLogsOut}</p>
      <NewPassword label={w.newPassword} text={password} problem={problems.value[PATH] ?? problems.value['']} required />
      <Button
        text={w.save}
        class="primary start"
        type="submit"
        disabled={password.value === '' || isSaving.value || rows.value.get(PATH)?.fixed === true}
      />
    </Form>
  );
};
