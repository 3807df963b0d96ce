import { mdiRedo, mdiUndo } from '@mdi/js';
import { Button } from '../Button.tsx';
import { useStore } from '../context.ts';

const Icon = ({ path }: { readonly path: string }) => (
  <svg viewBox="0 0 24 24" width="20" height="20" fill="currentColor" aria-hidden="true">
    <path d={path} />
  </svg>
);

/** Undo, redo and profiles. */
export const Toolbar = () => {
  const store = useStore();
  const words = store.words.value;
  const { past, future } = store.history.value;
  return (
    <div class="toolbar">
      <Button text={words.undo} icon={<Icon path={mdiUndo} />} aria-disabled={past.length === 0} onClick={() => store.undo()} />
      <Button text={words.redo} icon={<Icon path={mdiRedo} />} aria-disabled={future.length === 0} onClick={() => store.redo()} />
      <span class="space" />
      <Button text={words.profiles} aria-haspopup="dialog" onClick={() => store.show('profiles')} />
      {store.isWide.value && store.targets.value.length > 0 && (
        <Button text={words.otherSchedules} aria-haspopup="dialog" onClick={() => store.show('copy')} />
      )}
    </div>
  );
};
