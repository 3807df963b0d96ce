import { useStore } from '../context.ts';

/** Undo, redo and profiles. */
export const Toolbar = () => {
  const store = useStore();
  const words = store.words.value;
  const { past, future } = store.history.value;
  return (
    <div class="toolbar">
      <button type="button" aria-disabled={past.length === 0} onClick={() => store.undo()}>
        <span aria-hidden="true">↶</span> {words.undo}
      </button>
      <button type="button" aria-disabled={future.length === 0} onClick={() => store.redo()}>
        <span aria-hidden="true">↷</span> {words.redo}
      </button>
      <span class="space" />
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => {
          store.dialog.value = 'profiles';
        }}
      >
        {words.profiles}
      </button>
      {store.isWide.value && store.targets.value.length > 0 && (
        <button
          type="button"
          aria-haspopup="dialog"
          onClick={() => {
            store.dialog.value = 'copy';
          }}
        >
          {words.otherSchedules}
        </button>
      )}
    </div>
  );
};
