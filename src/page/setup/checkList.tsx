import { mdiAlertCircle, mdiCheckCircle } from '@mdi/js';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isRecord } from '../../shared/json.ts';
import { Icon } from '../shell/icon.tsx';
import { postJson } from '../state/api.ts';
import { Problem } from './field.tsx';
import { problemsOf, translated, words } from './setupState.ts';

type Line = {
  readonly name: string;
  readonly ok: boolean;
  /** It does not work now, and ends by itself. */
  readonly note: boolean;
  readonly message: string;
  readonly code: string;
  readonly facts: unknown;
};

const messageOf = ({ ok, name, message, code, facts }: Line): string => {
  const w = words.value;
  if (ok || name !== 'broker') return translated([code], message, facts);
  return w.brokerFaults[code] ?? (code === 'undefined' ? message : w.brokerFault(message, code));
};

/** The tests of `heating2mqtt check` as a list. */
export const CheckList = ({ atOnce = false }: { readonly atOnce?: boolean }) => {
  const lines = useSignal<readonly Line[] | undefined>(undefined);
  const problem = useSignal('');
  const isBusy = useSignal(false);
  const w = words.value;
  const run = async (): Promise<void> => {
    isBusy.value = true;
    problem.value = '';
    try {
      const list = (await postJson('api/check'))['lines'];
      lines.value = (Array.isArray(list) ? list.filter(isRecord) : []).map(({ name, ok, note, message, code, facts }) => ({
        name: String(name),
        ok: ok === true,
        note: note === true,
        message: String(message),
        code: String(code),
        facts,
      }));
    } catch (error) {
      problem.value = Object.values(problemsOf(error)).join(' ');
    }
    isBusy.value = false;
  };
  useEffect(() => {
    if (atOnce) void run();
  }, []);
  return (
    <div class="stack">
      <ul class={lines.value ? 'plain-list checks' : 'unseen'} aria-live="polite" aria-busy={isBusy.value}>
        {lines.value?.map((line, i) => (
          <li key={`${line.name} ${i}`} class={line.note ? undefined : line.ok ? 'good' : 'bad'}>
            <Icon path={line.ok && !line.note ? mdiCheckCircle : mdiAlertCircle} />
            <span>
              <strong>{w.checkNames[line.name] ?? line.name}:</strong>
              {line.note ? '' : ` ${line.ok ? w.checkOk : w.checkBad}`}
              <span class={line.ok ? 'block quiet' : 'block'}>{messageOf(line)}</span>
            </span>
          </li>
        ))}
      </ul>
      <Problem text={problem.value} />
      <div class="buttons">
        <button type="button" disabled={isBusy.value} onClick={() => void run()}>
          {isBusy.value ? w.testing : lines.value ? w.checkAgain : w.test}
        </button>
      </div>
    </div>
  );
};
