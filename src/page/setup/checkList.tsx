import { mdiAlertCircle, mdiCheckCircle } from '@mdi/js';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { CheckLine } from '../../api/answers.ts';
import { Button } from '../../editor/view/Button.tsx';
import { Icon } from '../shell/icon.tsx';
import { postJson } from '../state/api.ts';
import { Problem } from './field.tsx';
import { brokerSentence, textOf, translated, words } from './setupState.ts';
import { useWork } from './work.tsx';

const messageOf = (line: CheckLine): string =>
  line.ok || line.isAccount || line.name !== 'broker' ? translated([line.code], line.message, line.facts) : brokerSentence(line);

/** The tests of `heating2mqtt check` as a list. */
export const CheckList = ({ atOnce = false }: { readonly atOnce?: boolean }) => {
  const lines = useSignal<readonly CheckLine[] | undefined>(undefined);
  const { problems, isBusy, run } = useWork();
  const w = words.value;
  const check = (): Promise<void> =>
    run(async () => {
      lines.value = (await postJson('api/check')).lines;
    });
  useEffect(() => {
    if (atOnce) void check();
  }, []);
  return (
    <div class="stack">
      <ul class={lines.value ? 'plain-list checks' : 'unseen'} aria-live="polite" aria-busy={isBusy.value}>
        {lines.value?.map((line, i) => (
          <li key={`${line.name} ${i}`} class={line.note ? undefined : line.ok ? 'good' : 'bad'}>
            <Icon path={line.ok && !line.note ? mdiCheckCircle : mdiAlertCircle} />
            <span>
              <strong>{(line.isAccount ? undefined : w.checkNames[line.name]) ?? line.name}:</strong>
              {line.note ? '' : ` ${line.ok ? w.checkOk : w.checkBad}`}
              <span class={line.ok ? 'block quiet' : 'block'}>{messageOf(line)}</span>
            </span>
          </li>
        ))}
      </ul>
      <Problem text={textOf(problems.value)} />
      <Button text={isBusy.value ? w.testing : lines.value ? w.checkAgain : w.test} class="start" disabled={isBusy.value} onClick={check} />
    </div>
  );
};
