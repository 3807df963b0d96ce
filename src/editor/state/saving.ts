import type { Language } from '../../language/language.ts';
import { changedDays, type Day, sameDay, type Week } from '../../schedule/week.ts';
import { editWeek } from '../model/editWeek.ts';
import { changesOf, placeOf } from '../model/issues.ts';
import { conflicts, isMine, mergedByDay } from '../model/merge.ts';
import { planOf } from '../model/plan.ts';
import type { Answer, End } from '../types.ts';
import { openRow } from './dayActions.ts';
import { openEntry } from './entryActions.ts';
import { daysName } from './labels.ts';
import type { EditorStore } from './store.ts';
import { textIssues } from './textForm.ts';

const isEqual = (a: Week, b: Week): boolean => changedDays(a, b).length === 0;

/** Accepts a week from outside. Without local changes it is shown, else it is compared with them. */
export const takeWeek = (store: EditorStore, theirs: Week): void => {
  if (!store.isKnown.value) {
    store.isKnown.value = true;
    store.reset(theirs);
    // A narrow editor shows one row: today.
    store.focusOn({ day: store.now.value?.day ?? 'mon', cell: 'row' }, false);
    return;
  }
  const [base, mine, pending] = [store.base.value, store.week.value, store.pending.value];
  if (isEqual(base, theirs)) return;
  // During a save the platform may report its old week once more.
  const isOld = pending !== undefined && isEqual(pending.before, theirs);
  if (isOld || isMine(base, mine, theirs)) {
    store.base.value = theirs;
    store.elsewhere.value = undefined;
    // Also if other days changed elsewhere: their week has all local changes.
  } else if (isEqual(base, mine) || isEqual(mergedByDay(base, mine, theirs), theirs)) store.reset(theirs);
  else {
    store.elsewhere.value = theirs;
    // The save would overwrite a day just changed elsewhere: the user must resolve the conflict first.
    if (store.dialog.value === 'save' && conflictDays(store).length > 0) store.dialog.value = undefined;
  }
};

const DONE: ReadonlySet<string> = new Set(['applied', 'unchanged']);
const ON_ITS_WAY: ReadonlySet<string> = new Set(['sending', 'sent', 'accepted']);

/** True while a save is being sent or awaits the heating's confirmation. */
export const isOnItsWay = (answer: Answer | undefined): boolean => answer !== undefined && ON_ITS_WAY.has(answer.status);

/** Accepts the answer to the last save. */
export const takeAnswer = (store: EditorStore, answer: Answer | undefined): void => {
  const pending = store.pending.value;
  store.answer.value = answer;
  if (!answer) return;
  store.say(answerText(store, answer));
  if (isOnItsWay(answer) || !pending) return;
  store.pending.value = undefined;
  if (DONE.has(answer.status)) {
    if (isEqual(store.base.value, pending.before)) store.base.value = pending.week;
    if (isEqual(store.week.value, store.base.value) && !store.open.value) {
      const { history } = store;
      history.value = { ...history.value, present: planOf(history.value.present.week) };
    }
    // A later change has overwritten the saved days: there are no local changes left to merge.
    if (store.elsewhere.value && isEqual(store.week.value, pending.week)) store.reset(store.elsewhere.value);
    // The days that it would have written are those before it.
  } else store.base.value = mergedByDay(pending.week, store.base.value, pending.before);
  if (answer.errors) showFirstIssue(store);
};

/** A local time (`2026-11-28T22:00`, offset optional) as text: `Saturday, November 28 at 22:00`, or short. */
export const momentText = (instant: string, language: Language, length: 'long' | 'short' = 'long'): string => {
  const local = new Date(`${instant.slice(0, 16)}Z`);
  const date = { weekday: length, day: 'numeric', month: length } as const;
  const style = { ...date, hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' } as const;
  return Number.isNaN(local.getTime()) ? instant : new Intl.DateTimeFormat(language, style).format(local);
};

/** The result of the last save, as a sentence. */
export const answerText = (store: EditorStore, { status, message, until, errors = [] }: Answer): string => {
  const words = store.words.value;
  // Errors without a day, such as an end in the past.
  const general = errors.filter((issue) => !placeOf(issue)).map((issue) => words.rule(issue));
  const sentences: Readonly<Record<string, string>> = {
    sending: words.sending,
    sent: words.sent,
    accepted: words.sent,
    applied: until === undefined ? words.has : words.hasUntil(momentText(until, store.language.value)),
    unchanged: words.unchanged,
    unconfirmed: words.unconfirmed,
    superseded: words.superseded,
    rejected: store.issues.value.length > 0 ? words.rejected : [words.notSent, ...general, message ?? ''].join(' ').trim(),
    failed: `${words.failed} ${message ?? ''}`.trim(),
  };
  return sentences[status] ?? message ?? status;
};

/** Opens the first entry or row with an error. */
const showFirstIssue = (store: EditorStore): void => {
  const issue = store.issues.value[0];
  const place = issue && placeOf(issue);
  if (!place) return;
  if (place.index !== undefined && store.entries(place.day)[place.index]) openEntry(store, place.day, place.index);
  else openRow(store, place.day);
};

/** Starts a save: shows the changes, or announces the errors and conflicts to resolve first. */
export const requestSave = (store: EditorStore): void => {
  const words = store.words.value;
  if (isOnItsWay(store.answer.value)) return;
  const both = conflictDays(store);
  if (both.length > 0) {
    store.say(`${words.elsewhere} ${words.elsewhereDays(daysName(words, both))}`);
    return;
  }
  const wrong = store.draft.value === undefined ? store.issues.value : textIssues(store, store.draft.value);
  if (wrong.length > 0) {
    store.say(words.issues(wrong.length));
    if (store.draft.value === undefined) showFirstIssue(store);
  } else if (store.changed.value.length === 0) store.say(words.nothingChanged);
  else store.dialog.value = 'save';
};

/** Saves the changes, permanently or until an end. */
export const save = (store: EditorStore, end: End): void => {
  const [before, week] = [store.base.value, store.week.value];
  store.dialog.value = undefined;
  if (isEqual(before, week)) return;
  store.open.value = undefined;
  store.pending.value = { week, before };
  store.answer.value = { status: 'sending' };
  store.say(store.words.value.sending);
  store.emit('save', { week: changesOf(before, week), ...end });
};

/** Discards all changes. */
export const discard = (store: EditorStore): void => {
  store.open.value = undefined;
  if (store.changed.value.length > 0) store.edit(planOf(editWeek(store.base.value)), store.words.value.didDiscard);
  store.draft.value = undefined;
  store.focusOn(store.focus.value);
};

/** Days with different changes here and elsewhere. */
export const conflictDays = (store: EditorStore): readonly Day[] => {
  const theirs = store.elsewhere.value;
  return theirs ? conflicts(store.base.value, store.week.value, theirs) : [];
};

/** Resolves the conflict: merge by day, or take one side completely. */
export const resolve = (store: EditorStore, how: 'merge' | 'theirs' | 'mine'): void => {
  const theirs = store.elsewhere.value;
  if (!theirs) return;
  const [base, mine] = [store.base.value, store.week.value];
  const next = how === 'mine' ? mine : how === 'theirs' ? theirs : mergedByDay(base, mine, theirs);
  store.elsewhere.value = undefined;
  store.base.value = theirs;
  store.open.value = undefined;
  const isSame = (day: Day): boolean => sameDay(next[day], mine[day]);
  if (!(Object.keys(next) as Day[]).every(isSame)) store.edit(planOf(editWeek(next)));
  store.focusOn(store.focus.value);
};
