import type { TargetedMouseEvent } from 'preact';
import { answerText, conflictDays, discard, isOnItsWay, requestSave } from '../../state/saving.ts';
import { Button } from '../Button.tsx';
import { useStore } from '../context.ts';

const toneOf = (status: string | undefined): string => {
  if (status === 'applied' || status === 'unchanged') return 'good';
  return status === 'rejected' || status === 'failed' ? 'bad' : '';
};

/** The changes, the result of the last save, and the save button. */
export const SaveBar = () => {
  const store = useStore();
  const words = store.words.value;
  const answer = store.answer.value;
  const count = store.changed.value.length;
  const issues = store.issues.value.length;
  const busy = isOnItsWay(answer);
  const state =
    issues > 0 && answer?.status === 'rejected'
      ? ''
      : issues > 0
        ? words.issues(issues)
        : count > 0
          ? words.changedDays(count)
          : answer
            ? ''
            : words.nothingChanged;
  const ask = ({ currentTarget }: TargetedMouseEvent<HTMLButtonElement>): void => {
    requestSave(store);
    if (conflictDays(store).length > 0) currentTarget.closest('.editor')?.querySelector<HTMLElement>('.banner button')?.focus();
  };
  return (
    <div class="save-bar">
      <p class={`state ${issues > 0 ? 'bad' : toneOf(answer?.status)}`}>
        {answer && (issues === 0 || answer.status === 'rejected') && (
          <span class={`answer ${busy ? 'busy' : ''}`}>
            {answerText(store, answer)}
            {answer.status === 'applied' && count === 0 && (
              <Button text={words.undoSaved} class="link" onClick={() => store.emit('undo', {})} />
            )}
          </span>
        )}
        {!busy && <span>{state}</span>}
      </p>
      {!busy && (count > 0 || store.draft.value !== undefined) && <Button text={words.discard} onClick={() => discard(store)} />}
      <Button text={words.save} class="primary" aria-disabled={busy || count === 0} onClick={ask} />
    </div>
  );
};
