import { daysName } from '../../state/labels.ts';
import { conflictDays, resolve } from '../../state/saving.ts';
import { Button } from '../Button.tsx';
import { useStore } from '../context.ts';

/** Reports that the week was changed elsewhere during editing. */
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
        <Button text={words.merge} class="primary" onClick={() => resolve(store, 'merge')} />
        <Button text={words.theirs} onClick={() => resolve(store, 'theirs')} />
        <Button text={words.mine} onClick={() => resolve(store, 'mine')} />
      </div>
    </div>
  );
};
