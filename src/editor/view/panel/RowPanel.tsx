import type { Day } from '../../../schedule/week.ts';
import { fixesOf, issuesOn } from '../../model/issues.ts';
import { clearRow, copyRow, mend, pasteRow } from '../../state/dayActions.ts';
import { daysName } from '../../state/labels.ts';
import { Button } from '../Button.tsx';
import { useStore } from '../context.ts';
import { DaysPart } from './DaysPart.tsx';
import { IssueList } from './IssueList.tsx';

/** The actions on the days of a row. */
export const RowPanel = ({ day }: { readonly day: Day }) => {
  const store = useStore();
  const words = store.words.value;
  const row = store.row(day);
  const copied = store.clipboard.value;
  const issues = issuesOn(store.issues.value, row);
  return (
    <>
      <div class="below">
        <p class="applies">{daysName(words, row)}</p>
        <DaysPart day={day} split={words.splitOff} />
      </div>
      {issues.length > 0 && <IssueList issues={issues} fixes={fixesOf} onFix={(issue, value) => mend(store, issue, value)} />}
      <div class="actions">
        <Button text={words.copy} onClick={() => copyRow(store, day)} />
        {copied && <Button text={`${words.paste} (${copied.name})`} onClick={() => pasteRow(store, day)} />}
        {store.targets.value.length > 0 && <Button text={words.otherSchedules} onClick={() => store.show('copy')} />}
        {store.entries(day).length > 0 && <Button text={words.clear} class="danger" onClick={() => clearRow(store, day)} />}
        <Button text={words.done} class="primary quiet" onClick={() => store.close()} />
      </div>
    </>
  );
};
