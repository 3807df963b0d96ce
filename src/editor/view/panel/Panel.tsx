import { entryName, spokenRow } from '../../state/labels.ts';
import { useStore } from '../context.ts';
import { EntryPanel } from './EntryPanel.tsx';
import { RowPanel } from './RowPanel.tsx';

/** The fields of the open entry or row. */
export const Panel = () => {
  const store = useStore();
  const open = store.open.value;
  if (!open) return null;
  const days = spokenRow(store, open.day);
  const entry = open.kind === 'entry' ? store.entries(open.day)[open.index] : undefined;
  return (
    <fieldset class="panel" aria-label={entry ? `${entryName(store, entry)}, ${days}` : days}>
      {open.kind === 'entry' ? <EntryPanel day={open.day} index={open.index} /> : <RowPanel day={open.day} />}
    </fieldset>
  );
};
