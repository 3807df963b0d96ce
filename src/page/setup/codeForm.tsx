import { useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { useEffect } from 'preact/hooks';
import { Button } from '../../editor/view/Button.tsx';
import { Form } from '../shell/form.tsx';
import { Heading } from '../shell/heading.tsx';
import { words as pageWords } from '../shell/words.ts';
import { ApiError, getJson, loadSession, postJson } from '../state/api.ts';
import { TextField } from './field.tsx';
import { type Problems, words } from './setupState.ts';
import { useWork } from './work.tsx';

/** The form for the code from the log. Required on other machines before anything is shown. */
export const CodeForm = () => {
  const code = useSignal('');
  const { problems, isBusy, run } = useWork();
  const w = words.value;
  const places = [
    ['Docker', 'docker logs heating2mqtt'],
    ['Docker Compose', 'docker compose logs heating2mqtt'],
    ['Podman', 'podman logs heating2mqtt'],
    [w.codeService, 'journalctl -u heating2mqtt -n 20'],
  ] as const;
  useEffect(() => {
    // Makes the bridge log a valid code.
    getJson('api/code').catch(() => undefined);
  }, []);
  const enter = async (): Promise<Problems> => {
    try {
      await postJson('api/code', { code: code.value });
      await loadSession();
      return {};
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        // Another tab may have used it.
        const isIn = (await loadSession()).login !== 'needed';
        return isIn ? {} : { '': words.value.codeWrong };
      }
      if (error instanceof ApiError && error.status === 429) return { '': pageWords.value.tooManyTries(error.retryAfterS || 60) };
      throw error;
    }
  };
  return (
    <main class="narrow" id="content">
      <Heading text={w.codeTitle} />
      <Form class="card stack" onSend={() => run(enter)}>
        <p>{w.codeWhy}</p>
        <TextField label={w.code} text={code} problem={problems.value['']} autocomplete="one-time-code" hint={w.codeHint} required mono />
        <Button text={w.next} class="primary" type="submit" disabled={isBusy.value} />
      </Form>
      <details class="quiet">
        <summary>{w.codeWhere}</summary>
        <dl class="pairs">
          {places.map(([name, command]) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>
                <code>{command}</code>
              </dd>
            </Fragment>
          ))}
        </dl>
        <p>{w.codeNas}</p>
      </details>
    </main>
  );
};
