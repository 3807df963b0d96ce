import { useEffect, useRef } from 'preact/hooks';
import type { Week } from '../../../schedule/week.ts';
import { leaveText, mendText, textIssues, textOf, typeText } from '../../state/textForm.ts';
import { Button } from '../Button.tsx';
import { useStore } from '../context.ts';
import { IssueList } from '../panel/IssueList.tsx';

const linesOf = (text: string | undefined): number => text?.split('\n').length ?? 0;

/** The week as text, synchronised with the drawing both ways. */
export const TextForm = () => {
  const store = useStore();
  const words = store.words.value;
  const before = useRef<Week | undefined>(undefined);
  const hasStep = useRef(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const rows = useRef(2);
  const printed = textOf(store);
  const { draft } = store;
  const text = draft.value ?? printed;
  // The field never shrinks: on blur the text may be reprinted, and buttons below must not move.
  rows.current = Math.max(rows.current, linesOf(text), linesOf(printed));
  const issues = draft.value === undefined ? [] : textIssues(store, draft.value);
  const hasIssues = issues.length > 0;
  useEffect(() => {
    // Errors are below the field, where the save bar can cover them.
    if (hasIssues) field.current?.nextElementSibling?.scrollIntoView({ block: 'nearest' });
  }, [hasIssues]);
  const type = (value: string): void => {
    before.current ??= store.week.value;
    hasStep.current = typeText(store, value, before.current, !hasStep.current) || hasStep.current;
  };
  return (
    <details class="text">
      <summary>{words.text}</summary>
      {text === undefined ? (
        <p>{words.textNone}</p>
      ) : (
        <>
          <p id="text-help">{words.textHelp}</p>
          <textarea
            ref={field}
            aria-label={words.text}
            aria-describedby={hasIssues ? 'text-help text-issues' : 'text-help'}
            aria-invalid={hasIssues}
            rows={rows.current + 1}
            spellcheck={false}
            autocapitalize="off"
            autocomplete="off"
            readOnly={store.isReadonly.value}
            value={text}
            onFocus={() => {
              before.current = undefined;
              hasStep.current = false;
            }}
            onInput={({ currentTarget }) => type(currentTarget.value)}
            onBlur={() => leaveText(store)}
          />
          {hasIssues && (
            <>
              <IssueList
                id="text-issues"
                issues={issues}
                where={({ path }) => {
                  const [line = '', column = ''] = path.split(':');
                  return words.lineColumn(line, column);
                }}
                fixes={({ rule, nearest = [] }) =>
                  ['time', 'resolution', 'mode', 'unknown_day'].includes(rule) ? nearest.filter((one) => typeof one === 'string') : []
                }
                onFix={(issue, value) => {
                  type(mendText(text, issue, value));
                  field.current?.focus();
                }}
              />
              <Button
                text={words.textBack}
                onClick={() => {
                  draft.value = undefined;
                  field.current?.focus();
                }}
              />
            </>
          )}
        </>
      )}
    </details>
  );
};
