import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDrawable } from '../../../src/editor/model/editWeek.ts';
import { applyProfile, clearRow, copyRow, copyToDay, pasteRow, splitDay } from '../../../src/editor/state/dayActions.ts';
import { addAnywhere, addAt, bringToFront, openEntry, remove, setMode, setTime } from '../../../src/editor/state/entryActions.ts';
import { cellKey, cellsOf, handleKey } from '../../../src/editor/state/keys.ts';
import { answerText, requestSave, resolve, save, takeAnswer, takeWeek } from '../../../src/editor/state/saving.ts';
import { EditorStore } from '../../../src/editor/state/store.ts';
import { leaveText, textIssues, textOf, typeText } from '../../../src/editor/state/textForm.ts';
import { EDITOR_DE } from '../../../src/language/editorDe.ts';
import { EDITOR_EN } from '../../../src/language/editorEn.ts';
import type { Constraints } from '../../../src/schedule/constraints.ts';
import { changedDays, DAYS, type Day, sameDay, type Week, weekOf } from '../../../src/schedule/week.ts';
import { runs } from '../../support/chance.ts';
import { platformWeek } from '../../support/schedules/arbitraryWeeks.ts';
import { day } from '../../support/schedules/weeks.ts';

type Heard = { readonly name: string; readonly detail: unknown };

const storeOf = (week: Week, constraints: Constraints): { readonly store: EditorStore; readonly heard: Heard[] } => {
  const heard: Heard[] = [];
  const store = new EditorStore((name, detail) => heard.push({ name, detail }));
  store.words.value = EDITOR_EN;
  store.constraints.value = constraints;
  takeWeek(store, week);
  return { store, heard };
};

/** One thing that a person does; numbers choose what it is done to. */
type Act = { readonly what: keyof typeof ACTS; readonly day: Day; readonly pick: number; readonly minutes: number };

const indexOf = (store: EditorStore, { day, pick }: Act): number => pick % Math.max(1, store.entries(day).length);

const ACTS = {
  addAt: (store: EditorStore, { day, minutes }: Act) => addAt(store, day, minutes),
  addAnywhere: (store: EditorStore, { day }: Act) => addAnywhere(store, day),
  start: (store: EditorStore, act: Act) => setTime(store, act.day, indexOf(store, act), 'start', act.minutes),
  end: (store: EditorStore, act: Act) => setTime(store, act.day, indexOf(store, act), 'end', act.minutes),
  mode: (store: EditorStore, act: Act) =>
    setMode(store, act.day, indexOf(store, act), store.modes.value[act.minutes % store.modes.value.length] ?? ''),
  remove: (store: EditorStore, act: Act) => remove(store, act.day, indexOf(store, act)),
  front: (store: EditorStore, act: Act) => bringToFront(store, act.day, indexOf(store, act)),
  split: (store: EditorStore, { day }: Act) => splitDay(store, day),
  copyTo: (store: EditorStore, { day, pick }: Act) => copyToDay(store, day, DAYS[pick % DAYS.length] ?? 'mon'),
  copy: (store: EditorStore, { day }: Act) => copyRow(store, day),
  paste: (store: EditorStore, { day }: Act) => pasteRow(store, day),
  clear: (store: EditorStore, { day }: Act) => clearRow(store, day),
  undo: (store: EditorStore) => store.undo(),
  redo: (store: EditorStore) => store.redo(),
  key: (store: EditorStore, { day, pick, minutes }: Act) => {
    const cells = cellsOf(store, day);
    const key = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'Delete'][minutes % 7] ?? '';
    cellKey(store, { key, ctrl: false }, { day, cell: cells[pick % cells.length] ?? 'row' });
  },
  slider: (store: EditorStore, act: Act) => {
    const key = ['ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown', 'Home', 'End'][act.minutes % 6] ?? '';
    handleKey(store, { key, ctrl: false }, act.day, indexOf(store, act), act.pick % 2 === 0 ? 'start' : 'end');
  },
} as const;

const someAct: fc.Arbitrary<Act> = fc.record({
  what: fc.constantFrom(...(Object.keys(ACTS) as (keyof typeof ACTS)[])),
  day: fc.constantFrom(...DAYS),
  pick: fc.nat(30),
  minutes: fc.nat(1440),
});

const someConstraints: fc.Arbitrary<Constraints> = fc.record({
  modes: fc.constantFrom(['normal'], ['normal', 'comfort'], ['a', 'b', 'c']),
  maxEntries: fc.constantFrom(1, 2, 4, 8),
  resolution: fc.constantFrom(1, 5, 10, 30, 60),
  overlapAllowed: fc.boolean(),
});

const isSound = (store: EditorStore): void => {
  const { rows, week } = store.plan.value;
  expect(rows.flat().toSorted()).toEqual([...DAYS].toSorted());
  for (const row of rows) for (const one of row) expect(sameDay(store.week.value[one], store.week.value[row[0] ?? one])).toBe(true);
  for (const one of DAYS) expect(week[one].every(isDrawable)).toBe(true);
  const { day: at, cell } = store.focus.value;
  if (typeof cell === 'number') expect(store.entries(at)[cell]).toBeDefined();
};

test('whatever is done to an empty week, it can be saved; undone, it is as before', () => {
  fc.assert(
    fc.property(someConstraints, fc.array(someAct, { maxLength: 40 }), (constraints, acts) => {
      const before = weekOf(() => []);
      const { store } = storeOf(before, constraints);
      for (const act of acts) {
        ACTS[act.what](store, act);
        isSound(store);
        expect(store.issues.value).toEqual([]);
      }
      const after = store.week.value;
      const steps = store.history.value.past.length;
      for (let step = 0; step < steps; step += 1) store.undo();
      expect(store.week.value).toEqual(before);
      for (let step = 0; step < steps; step += 1) store.redo();
      expect(store.week.value).toEqual(after);
    }),
    { numRuns: runs(1000) },
  );
});

test('a day that is taken out with an open entry keeps the change alone; what was drawn before stays on the other days', () => {
  const usual = weekOf(() => day('06:00-22:00 normal'));
  const { store } = storeOf(usual, {});
  applyProfile(store, { name: 'late', week: weekOf(() => day('08:00-23:00 normal')) });
  openEntry(store, 'mon', 0);
  splitDay(store, 'sun');
  expect(store.changed.value).toEqual(DAYS);
  store.undo();
  openEntry(store, 'mon', 0);
  setTime(store, 'mon', 0, 'start', 9 * 60);
  splitDay(store, 'sun');
  expect([store.week.value.sun, store.week.value.mon]).toMatchObject([[{ start: '09:00' }], [{ start: '08:00' }]]);
  store.undo();
  store.undo();
  splitDay(store, 'sat');
  expect(store.week.value.mon).toMatchObject([{ start: '08:00' }]);
});

test('any week that a platform can show can be edited, with nothing thrown', () => {
  fc.assert(
    fc.property(platformWeek, someConstraints, fc.array(someAct, { maxLength: 15 }), (week, constraints, acts) => {
      const { store } = storeOf(week, constraints);
      for (const act of acts) ACTS[act.what](store, act);
      requestSave(store);
      expect(store.dialog.value === 'save').toBe(store.changed.value.length > 0 && store.issues.value.length === 0);
    }),
    { numRuns: runs(500) },
  );
});

test('the text of any week, typed as it is, changes nothing', () => {
  fc.assert(
    fc.property(platformWeek, (week) => {
      const { store } = storeOf(week, { modes: ['normal'], resolution: 10 });
      const text = textOf(store);
      if (text === undefined) return;
      expect(textIssues(store, text)).toEqual([]);
      expect(typeText(store, text, store.week.value, true)).toBe(false);
      leaveText(store);
      expect([store.draft.value, store.changed.value]).toEqual([undefined, []]);
    }),
    { numRuns: runs(500) },
  );
});

const NORMAL = weekOf(() => day('06:00-22:00 normal'));

test('a save that the platform shows late, refuses or adapts never loses what was drawn, and one that is done shows what others did beside or after it', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('applied', 'failed', 'rejected', 'unconfirmed'),
      fc.constantFrom(undefined, 'wed' as const, 'mon' as const),
      fc.shuffledSubarray(['shown', 'old', 'answer'] as const, { minLength: 3 }),
      (status, others, order) => {
        const before = { ...NORMAL, mon: day('06:00-21:00 normal') };
        const { store, heard } = storeOf(before, { modes: ['normal'], resolution: 10 });
        setTime(store, 'mon', 0, 'start', 300);
        const drawn = store.week.value;
        const shown = others === undefined ? drawn : { ...drawn, [others]: day('09:00-10:00 normal') };
        save(store, {});
        expect(heard).toHaveLength(1);
        takeAnswer(store, { status: 'accepted' });
        for (const what of order) {
          if (what === 'answer') takeAnswer(store, { status });
          else takeWeek(store, what === 'shown' ? shown : before);
        }
        const isDone = status === 'applied';
        takeWeek(store, isDone ? shown : before);
        if (isDone) expect([store.elsewhere.value, changedDays(store.week.value, shown)]).toEqual([undefined, []]);
        else if (order.indexOf('answer') > order.indexOf('shown')) {
          if (store.elsewhere.value) resolve(store, 'merge');
          expect(store.week.value.mon).toEqual(drawn.mon);
          expect(store.changed.value).toContain('mon');
        }
      },
    ),
    { numRuns: runs(200) },
  );
});

test.each([
  ['en', EDITOR_EN, 'The heating has it until Saturday, November 28 at 22:00.'],
  ['de', EDITOR_DE, 'Die Heizung hat es übernommen, bis Samstag, 28. November um 22:00.'],
] as const)('the end of a save is said as people write it, in %s', (language, words, sentence) => {
  const { store } = storeOf(
    weekOf(() => []),
    {},
  );
  store.language.value = language;
  store.words.value = words;
  expect(answerText(store, { status: 'applied', until: '2026-11-28T22:00' })).toBe(sentence);
});

test('the same again is no step, and nothing is sent twice', () => {
  const { store, heard } = storeOf(NORMAL, { modes: ['normal'], resolution: 10 });
  setTime(store, 'mon', 0, 'start', 360);
  setMode(store, 'mon', 0, 'normal');
  expect(store.history.value.past).toHaveLength(0);
  save(store, {});
  expect(heard).toEqual([]);
  setTime(store, 'mon', 0, 'start', 300);
  save(store, { for: '2h' });
  requestSave(store);
  expect(store.dialog.value).toBeUndefined();
  expect(heard).toEqual([
    { name: 'save', detail: { week: Object.fromEntries(DAYS.map((one) => [one, day('05:00-22:00 normal')])), for: '2h' } },
  ]);
});
