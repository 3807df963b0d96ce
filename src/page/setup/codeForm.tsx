import { useSignal } from '@preact/signals';
import type { TargetedEvent } from 'preact';
import { useEffect } from 'preact/hooks';
import { Heading } from '../shell/heading.tsx';
import { words as pageWords } from '../shell/words.ts';
import { ApiError, getJson, loadSession, postJson } from '../state/api.ts';
import { TextField } from './field.tsx';
import { problemsOf, words } from './setupState.ts';

const DOCKER = 'docker logs heating2mqtt';
const SERVICE = 'journalctl -u heating2mqtt -n 20';

/** The form for the code in the log, before anything else is shown to somebody on another machine. */
export const CodeForm = () => {
  const code = useSignal('');
  const problem = useSignal('');
  const isBusy = useSignal(false);
  const w = words.value;
  useEffect(() => {
    // Has the log show a code that still works.
    getJson('api/code').catch(() => undefined);
  }, []);
  const submit = async (event: TargetedEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    isBusy.value = true;
    problem.value = '';
    try {
      await postJson('api/code', { code: code.value });
      await loadSession();
    } catch (error) {
      const isApi = error instanceof ApiError;
      if (isApi && error.status === 401) problem.value = words.value.codeWrong;
      else if (isApi && error.status === 429) problem.value = pageWords.value.tooManyTries(error.retryAfterS || 60);
      else problem.value = problemsOf(error)[''] ?? '';
    }
    isBusy.value = false;
  };
  return (
    <main class="narrow" id="content">
      <Heading text={w.codeTitle} />
      <form class="card stack" onSubmit={submit}>
        <p>{w.codeWhy}</p>
        <TextField label={w.code} text={code} problem={problem.value} autocomplete="one-time-code" hint={w.codeHint} required mono />
        <button class="primary" type="submit" disabled={isBusy.value}>
          {w.codeButton}
        </button>
      </form>
      <details class="quiet">
        <summary>{w.codeWhere}</summary>
        <dl class="pairs">
          <dt>{w.codeDocker}</dt>
          <dd>
            <code>{DOCKER}</code>
          </dd>
          <dt>{w.codeService}</dt>
          <dd>
            <code>{SERVICE}</code>
          </dd>
        </dl>
      </details>
    </main>
  );
};
