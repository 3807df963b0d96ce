import { useSignal } from '@preact/signals';
import { Button } from '../../editor/view/Button.tsx';
import { words } from '../shell/words.ts';
import { type Problems, problemsOf } from './setupState.ts';

/** The task of a form: whether it is running, and its errors by field. `run` never rejects. */
export const useWork = () => {
  const problems = useSignal<Problems>({});
  const isBusy = useSignal(false);
  const run = async (work: () => Promise<Problems | undefined>): Promise<void> => {
    isBusy.value = true;
    problems.value = {};
    problems.value = (await work().catch(problemsOf)) ?? {};
    isBusy.value = false;
  };
  return { problems, isBusy, run };
};

const POLL_MS = 500;

/** Retries until there is an answer, for at most `waitMs`; undefined without one. */
export const askUntil = async (waitMs: number, ask: () => Promise<boolean | undefined>): Promise<boolean | undefined> => {
  for (const endMs = Date.now() + waitMs; Date.now() < endMs; ) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const found = await ask();
    if (found !== undefined) return found;
  }
  return undefined;
};

/** A placeholder for data that is not loaded yet or failed to load. */
export const NotYet = ({ trouble, again }: { readonly trouble: string; readonly again: () => void }) => (
  <>
    <p role="status">{trouble || words.value.loading}</p>
    {trouble !== '' && <Button text={words.value.again} class="start" onClick={again} />}
  </>
);
