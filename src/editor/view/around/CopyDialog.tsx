import { useState } from 'preact/hooks';
import { unfit } from '../../model/issues.ts';
import { Button } from '../Button.tsx';
import { useStore } from '../context.ts';
import { Modal } from './Modal.tsx';
import { whyNot } from './whyNot.ts';

/** Copies the week to other schedules that accept it. */
export const CopyDialog = () => {
  const store = useStore();
  const words = store.words.value;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const close = (): void => store.show();
  const week = store.week.value;
  const targets = store.targets.value;
  const copy = (): void => {
    const those = targets.filter(({ id }) => chosen.has(id));
    for (const { id } of those) store.emit('copyto', { id, week });
    store.say(words.copied(those.map(({ label }) => label).join(', ')));
    close();
  };
  return (
    <Modal title={words.copyTitle}>
      <ul class="list">
        {targets.map(({ id, label, constraints }) => {
          const [issue] = unfit(week, constraints);
          return (
            <li key={id}>
              <label>
                <input
                  type="checkbox"
                  disabled={issue !== undefined}
                  checked={chosen.has(id)}
                  onChange={({ currentTarget }) =>
                    setChosen(new Set(currentTarget.checked ? [...chosen, id] : [...chosen].filter((one) => one !== id)))
                  }
                />
                {label}
              </label>
              {issue && <span class="why bad">{whyNot(store, issue)}</span>}
            </li>
          );
        })}
      </ul>
      <div class="actions">
        <Button text={words.cancel} onClick={close} />
        <Button text={words.copy} class="primary" aria-disabled={chosen.size === 0} onClick={() => chosen.size > 0 && copy()} />
      </div>
    </Modal>
  );
};
