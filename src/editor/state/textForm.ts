import { printWeek, readTextWeek } from '../../schedule/text/weekText.ts';
import { completeWeek, validateWeek } from '../../schedule/validateWeek.ts';
import { changedDays, type Week } from '../../schedule/week.ts';
import type { Issue } from '../../shared/issue.ts';
import { editWeek } from '../model/editWeek.ts';
import { planOf } from '../model/plan.ts';
import type { EditorStore } from './store.ts';

/** The week as text; undefined if it has no text form. */
export const textOf = (store: EditorStore): string | undefined => printWeek(store.week.value)?.replaceAll('; ', '\n');

/** The errors in the typed text. */
export const textIssues = (store: EditorStore, text: string): readonly Issue[] => {
  const checked = validateWeek(readTextWeek(text), store.constraints.value, store.base.value);
  return checked.ok ? [] : checked.issues;
};

/** Takes typed text; valid text updates the drawing. `before`: the week when typing began (one undo). */
export const typeText = (store: EditorStore, text: string, before: Week, isFirst: boolean): boolean => {
  const checked = validateWeek(readTextWeek(text), store.constraints.value, store.base.value);
  const week = checked.ok ? completeWeek(checked.value, before) : store.week.value;
  const isChange = changedDays(store.week.value, week).length > 0;
  if (isChange) {
    const plan = planOf(editWeek(week));
    store.open.value = undefined;
    if (isFirst) store.edit(plan);
    else store.amend(plan);
  }
  store.draft.value = text;
  return isChange;
};

/** Ends typing: valid text is reprinted from the week. */
export const leaveText = (store: EditorStore): void => {
  const text = store.draft.value;
  if (text !== undefined && textIssues(store, text).length === 0) store.draft.value = undefined;
};

/** Replaces the word at the position of an issue (`line:column`). */
export const mendText = (text: string, { path }: Issue, value: string): string => {
  const [line = 1, column = 1] = path.split(' ').at(-1)?.split(':').map(Number) ?? [];
  const lines = text.split('\n');
  const at = lines[line - 1] ?? '';
  const rest = at.slice(column - 1);
  const old = /^[^\s,;\p{Pd}]+/u.exec(rest)?.[0] ?? '';
  lines[line - 1] = `${at.slice(0, column - 1)}${value}${rest.slice(old.length)}`;
  return lines.join('\n');
};
