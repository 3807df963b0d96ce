import type { Day } from '../../schedule/week.ts';
import type { Issue } from '../../shared/issue.ts';
import { editWeek } from '../model/editWeek.ts';
import { fixesOf, placeOf, withFix } from '../model/issues.ts';
import { copyTo, planOf, separateDay, withEntries, withEntryOnlyOn } from '../model/plan.ts';
import type { NamedWeek } from '../types.ts';
import { openEntry } from './entryActions.ts';
import { spokenRow } from './labels.ts';
import type { EditorStore } from './store.ts';

/** Opens a row to show the actions on its days. */
export const openRow = (store: EditorStore, day: Day): void => {
  store.open.value = store.isReadonly.value ? undefined : { kind: 'row', day };
  store.focusOn({ day, cell: 'row' });
};

/** Takes a day out of its row and opens it at the same entry. Only this day keeps the entry change. */
export const splitDay = (store: EditorStore, day: Day): void => {
  const open = store.open.value;
  const entry = open?.kind === 'entry' && store.row(open.day).includes(day) ? open : undefined;
  const { value: plan } = store.plan;
  // After an undo or an update from outside, the earlier state of the other days is unknown.
  const isEarlier = entry !== undefined && store.history.value.past.includes(entry.before);
  const next = isEarlier ? withEntryOnlyOn(plan, day, entry.index, entry.before.week) : separateDay(plan, day);
  store.edit(next, store.words.value.didSplit(store.words.value.days[day]));
  if (entry) openEntry(store, day, entry.index);
  else openRow(store, day);
};

/** Copies the entries of this row to another day and adds that day to the row. */
export const copyToDay = (store: EditorStore, day: Day, target: Day): void => {
  const { words } = store;
  const said = words.value.didCopyTo(spokenRow(store, day), words.value.days[target]);
  store.edit(copyTo(store.plan.value, day, [target]), said);
  const { cell } = store.focus.value;
  const isEntry = typeof cell !== 'number' || store.entries(day)[cell] !== undefined;
  store.focusOn({ day, cell: isEntry ? cell : 'row' });
};

export const copyRow = (store: EditorStore, day: Day): void => {
  const name = spokenRow(store, day);
  store.clipboard.value = { entries: store.entries(day), name };
  store.say(store.words.value.didCopy(name));
};

export const pasteRow = (store: EditorStore, day: Day): void => {
  const copied = store.clipboard.value;
  if (!copied || store.isReadonly.value) return;
  store.open.value = store.open.value?.kind === 'entry' ? undefined : store.open.value;
  store.edit(withEntries(store.plan.value, day, copied.entries), store.words.value.didPaste(spokenRow(store, day)));
  store.focusOn({ day, cell: 'row' });
};

export const clearRow = (store: EditorStore, day: Day): void => {
  store.edit(withEntries(store.plan.value, day, []), store.words.value.didClear(spokenRow(store, day)));
  store.focusOn({ day, cell: 'row' });
};

/** Applies a profile to the drawing. Days that are not in the profile stay. */
export const applyProfile = (store: EditorStore, { name, week }: NamedWeek): void => {
  store.open.value = undefined;
  store.dialog.value = undefined;
  store.edit(planOf(editWeek({ ...store.week.value, ...week })), store.words.value.didApply(name));
};

/** Replaces a wrong value by the nearest allowed one. */
export const mend = (store: EditorStore, issue: Issue, value = fixesOf(issue)[0]): void => {
  const place = placeOf(issue);
  if (!place || value === undefined) return;
  store.edit(withEntries(store.plan.value, place.day, withFix(store.entries(place.day), place, value)), spokenRow(store, place.day));
  // The pressed button no longer exists.
  store.focusOn(store.focus.value);
};
