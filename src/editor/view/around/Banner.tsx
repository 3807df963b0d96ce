import { daysName } from '../../state/labels.ts';
import { conflictDays, resolve } from '../../state/saving.ts';
import { useStore } from '../context.ts';

/** Says that the week was changed elsewhere while it was edited here. */
export const Banner = () => {
  const store = useStore();
  const words = store.words.value;
  if (!store.elsewhere.value) return null;
  const both = conflictDays(store);
  return (
    <div class="banner" role="alert">
      <p>
        <strong>{words.elsewhere}</strong> {both.length > 0 && words.elsewhereDays(daysName(words, both))} {words.mergeHint}
      </p>
      <div class="actions">
        <button type="button" class="primary" onClick={() => resolve(store, 'merge')}>
          {words.merge}
        </button>
        <button type="button" onClick={() => resolve(store, 'theirs')}>
          {words.theirs}
        </button>
        <button type="button" onClick={() => resolve(store, 'mine')}>
          {words.mine}
        </button>
      </div>
    </div>
  );
};
