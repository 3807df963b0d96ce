import { useSignal } from '@preact/signals';
import type { Outcome } from '../../api/answers.ts';
import { Button } from '../../editor/view/Button.tsx';
import { announce } from '../shell/announcer.tsx';
import { Form } from '../shell/form.tsx';
import { postJson } from '../state/api.ts';
import { Problem, TextField } from './field.tsx';
import { brokerSentence, type Changes, isOwnCode, isRight, type Problems, rows, type Save, settingText, words } from './setupState.ts';
import { useWork } from './work.tsx';

const CREDENTIALS: readonly string[] = ['4', '5', '134', '135'];

/** Converts a failed test to an error at its field. */
const faultOf = (outcome: Outcome): Problems => {
  const { code = '' } = outcome;
  return { [CREDENTIALS.includes(code) ? 'mqtt.username' : isOwnCode(code) ? '' : 'mqtt.url']: brokerSentence(outcome) };
};

type BrokerProps = { readonly button: string; readonly onTested: Save; readonly onSkip?: Save };

/** Address and user of the broker, with a live test. */
export const BrokerForm = ({ button, onTested, onSkip }: BrokerProps) => {
  const url = useSignal(settingText('mqtt.url'));
  const username = useSignal(settingText('mqtt.username'));
  const password = useSignal('');
  const { problems, isBusy, run } = useWork();
  const w = words.value;
  const isOfHome = rows.value.get('mqtt.url')?.origin.kind === 'app';
  // Home Assistant also provides the user of its own broker.
  const isUserShown = !isOfHome || url.value.trim() !== '' || settingText('mqtt.username') !== '';
  const hasPassword = rows.value.get('mqtt.password')?.isSet === true;

  const changes = (): Changes => {
    // With a user, an empty field keeps the stored password.
    const keepsPassword = password.value === '' && hasPassword && username.value.trim() !== '';
    const user = { 'mqtt.username': username.value.trim() || null, ...(keepsPassword ? {} : { 'mqtt.password': password.value || null }) };
    const wanted: Changes = { 'mqtt.url': url.value.trim() || (isOfHome ? null : ''), ...(isUserShown ? user : {}) };
    return Object.fromEntries(Object.entries(wanted).filter(([path]) => !rows.value.get(path)?.fixed));
  };
  const test = async (): Promise<Problems> => {
    announce(words.value.testing);
    const answer = await postJson('api/broker/test', { changes: changes() });
    if (!answer.ok) return faultOf(answer);
    announce(words.value.brokerWorks);
    return onTested(changes());
  };
  return (
    <Form class="stack" onSend={() => run(test)} noValidate>
      <TextField
        label={w.brokerAddress}
        path="mqtt.url"
        type="url"
        text={url}
        hint={isOfHome ? w.brokerOfHome : w.brokerAddressHint}
        problem={problems.value['mqtt.url']}
        required={!isOfHome}
        mono
      />
      {isUserShown && (
        <div class="pair stack">
          <TextField
            label={w.brokerUser}
            path="mqtt.username"
            text={username}
            hint={w.optional}
            problem={problems.value['mqtt.username']}
          />
          <TextField
            label={w.brokerPassword}
            path="mqtt.password"
            type="password"
            text={password}
            hint={hasPassword ? w.keepSecret : w.optional}
            problem={problems.value['mqtt.password']}
          />
        </div>
      )}
      <Problem text={problems.value['']} />
      <div class="buttons">
        <Button text={isBusy.value ? w.testing : button} class="primary" type="submit" disabled={isBusy.value} />
        {onSkip && !isRight(problems.value) && (
          <Button text={w.skipTest} disabled={isBusy.value} onClick={() => void run(() => onSkip(changes()))} />
        )}
      </div>
    </Form>
  );
};
