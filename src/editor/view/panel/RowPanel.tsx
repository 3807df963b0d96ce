import type { Day } from '../../../schedule/week.ts';
import { fixesOf, placeOf } from '../../model/issues.ts';
import { clearRow, copyRow, mend, pasteRow } from '../../state/dayActions.ts';
import { daysName } from '../../state/labels.ts';
import { useStore } from '../context.ts';
import { DaysPart } from './DaysPart.tsx';
import { IssueList } from './IssueList.tsx';

/** What can be done with the days of a row. */
export const RowPanel = ({ day }: { readonly day: Day }) => {
  const store = useStore();
  const words = store.words.value;
  const row = store.row(day);
  const copied = store.clipboard.value;
  const found = store.issues.value.filter((issue) => row.includes(placeOf(issue)?.day ?? 'mon') && placeOf(issue) !== undefined);
  const issues = [...new Map(found.map((issue) => [`${issue.rule} ${placeOf(issue)?.index} ${placeOf(issue)?.part}`, issue])).values()];
  return (
    <>
      <div class="below">
        <p class="applies">{daysName(words, row)}</p>
        <DaysPart day={day} split={words.splitOff} />
      </div>
      {issues.length > 0 && (
        <IssueList
          issues={issues}
          sentence={(issue) => words.rule(issue)}
          fixes={fixesOf}
          useInstead={words.useInstead}
          onFix={(issue, value) => mend(store, issue, value)}
        />
      )}
      <div class="actions">
        <button type="button" onClick={() => copyRow(store, day)}>
          {words.copyPlan}
        </button>
        {copied && (
          <button type="button" onClick={() => pasteRow(store, day)}>
            {`${words.paste} (${copied.name})`}
          </button>
        )}
        {store.targets.value.length > 0 && (
          <button
            type="button"
            onClick={() => {
              store.dialog.value = 'copy';
            }}
          >
            {words.otherSchedules}
          </button>
        )}
        {store.entries(day).length > 0 && (
          <button type="button" class="danger" onClick={() => clearRow(store, day)}>
            {words.clear}
          </button>
        )}
        <button type="button" class="primary quiet" onClick={() => store.close()}>
          {words.done}
        </button>
      </div>
    </>
  );
};
