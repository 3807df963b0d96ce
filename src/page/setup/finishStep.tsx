import { useSignal } from '@preact/signals';
import { Button } from '../../editor/view/Button.tsx';
import { announce } from '../shell/announcer.tsx';
import { Form } from '../shell/form.tsx';
import { words as pageWords } from '../shell/words.ts';
import { getJson, loadSession, postJson } from '../state/api.ts';
import { CheckList } from './checkList.tsx';
import { Problem } from './field.tsx';
import { NewPassword } from './passwordForm.tsx';
import { elsewhere, file, isRight, keep, loadSetup, type Problems, problem, rows, setup, words } from './setupState.ts';
import { askUntil, useWork } from './work.tsx';

const PASSWORD = 'web.password';

/** After this time the start has failed for an unknown reason. */
const WAIT_MS = 60_000;

/** False if the bridge did not start; undefined if unknown, while its HTTP listener is replaced. */
const hasStarted = async (): Promise<boolean | undefined> => {
  if ((await getJson('api/session')).mode === 'run') return true;
  return (await getJson('api/setup')).problem === undefined ? undefined : false;
};

/** The last step: page password, all tests, the settings to be written, and the start. */
export const FinishStep = () => {
  const password = useSignal('');
  const { problems, isBusy, run } = useWork();
  const w = words.value;
  const { missing, needsPassword, text } = setup.value;
  const isSet = rows.value.get(PASSWORD)?.isSet === true;
  // Named after the step that asks for it.
  const named = missing.map((path) => (path === 'platform.client_id' ? w.steps.client : path));
  const lacking = [...named, ...(needsPassword && password.value === '' ? [w.pagePassword] : [])];
  const start = async (): Promise<Problems> => {
    problem.value = '';
    const wrong = password.value === '' ? {} : await keep({ [PASSWORD]: password.value });
    if (!isRight(wrong)) return wrong;
    password.value = '';
    await postJson('api/setup/finish');
    announce(words.value.starting);
    if (await askUntil(WAIT_MS, () => hasStarted().catch(() => undefined))) {
      location.hash = '#/';
      await loadSession();
    } else await loadSetup();
    return {};
  };
  const isReady = !isBusy.value && lacking.length === 0;
  return (
    <div class="stack">
      <Form class="card stack" onSend={() => isReady && run(start)} noValidate>
        <h2>{w.pagePassword}</h2>
        <p>{needsPassword || isSet ? w.pagePasswordWhy : w.pagePasswordOptional}</p>
        {isSet && <p class="good">{w.pagePasswordSet}</p>}
        <NewPassword label={w.pagePassword} text={password} problem={problems.value[PASSWORD]} required={needsPassword} />
      </Form>
      <section class="card stack" aria-labelledby="tests">
        <h2 id="tests">{w.tests}</h2>
        <CheckList atOnce />
      </section>
      <details class="card">
        <summary>
          {pageWords.value.settings}: {w.writtenTo(file.value)}
        </summary>
        <textarea class="mono" readOnly rows={16} aria-label={pageWords.value.settings} value={text} />
      </details>
      {lacking.length > 0 && <p class="banner">{w.missing(lacking.join(', '))}</p>}
      {problem.value !== '' && <p class="banner">{w.startFailed(problem.value)}</p>}
      <Problem text={elsewhere(problems.value, (path) => path === PASSWORD)} />
      <Button text={isBusy.value ? w.starting : w.start} class="primary start" disabled={!isReady} onClick={() => void run(start)} />
    </div>
  );
};
