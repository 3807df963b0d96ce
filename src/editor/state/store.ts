import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { EditorWords } from '../../language/editorEn.ts';
import type { Language } from '../../language/language.ts';
import { modeWord } from '../../language/modes.ts';
import type { Constraints } from '../../schedule/constraints.ts';
import { changedDays, type Day, type Week, weekOf } from '../../schedule/week.ts';
import type { Issue } from '../../shared/issue.ts';
import { type EditDay, type EditEntry, editWeek, printedWeek } from '../model/editWeek.ts';
import { amend, type History, historyOf, redo, step, undo } from '../model/history.ts';
import { placeOf, weekIssues } from '../model/issues.ts';
import type { Joined } from '../model/midnight.ts';
import { entriesAt, type Plan, planOf, type Row, rowOf } from '../model/plan.ts';
import type { Answer, Emit, NamedWeek, Now, Target, Theme } from '../types.ts';

/** The open item: an entry with its fields, or a row with its actions. */
export type Open =
  /** `before`: the drawing when the entry was opened or, for a new entry, added. */
  | { readonly kind: 'entry'; readonly day: Day; readonly index: number; readonly before: Plan }
  | { readonly kind: 'row'; readonly day: Day };

/** A cell of a row: header, entry by index, or add button. */
export type Cell = 'row' | 'add' | number;

export type Focus = { readonly day: Day; readonly cell: Cell };

/** An entry during a drag; a new entry has no index. */
export type Drag = {
  readonly day: Day;
  readonly index?: number;
  readonly part: 'start' | 'end' | 'move' | 'new';
  readonly entry: EditEntry;
  /** For an entry across midnight: the whole entry, before and now. */
  readonly joined?: { readonly before: Joined; readonly after: Joined };
};

export type Dialog = 'save' | 'profiles' | 'copy';

/** A save in progress, and the week before it. */
export type Pending = { readonly week: Week; readonly before: Week };

// Longer than any known mode.
const LONGEST_NAME = 40;

const EMPTY_WEEK: Week = weekOf(() => []);

/** The state of an editor as signals, and the changes shared by all its parts. */
export class EditorStore {
  readonly emit: Emit;
  // Set from outside.
  readonly isKnown = signal(false);
  readonly constraints: Signal<Constraints> = signal({});
  readonly language: Signal<Language> = signal('en');
  readonly theme: Signal<Theme> = signal('auto');
  readonly now = signal<Now | undefined>(undefined);
  readonly profiles = signal<readonly NamedWeek[]>([]);
  readonly targets = signal<readonly Target[]>([]);
  readonly answer = signal<Answer | undefined>(undefined);
  /** The platform calls left. */
  readonly callsLeft = signal<number | undefined>(undefined);
  readonly isReadonly = signal(false);
  /** True if rows are horizontal; false if one row is drawn vertically. */
  readonly isWide = signal(true);

  /** The week outside the editor. */
  readonly base = signal<Week>(EMPTY_WEEK);
  readonly history = signal<History<Plan>>(historyOf(planOf(editWeek(EMPTY_WEEK))));
  readonly open = signal<Open | undefined>(undefined);
  readonly focus = signal<Focus>({ day: 'mon', cell: 'add' });
  /** Counts requests to move the browser's focus to the cell of `focus`. */
  readonly focusRequests = signal(0);
  readonly drag = signal<Drag | undefined>(undefined);
  /** The end on the next day chosen for the open entry. */
  readonly midnight = signal<number | undefined>(undefined);
  readonly clipboard = signal<{ readonly entries: EditDay; readonly name: string } | undefined>(undefined);
  readonly lastMode = signal<string | undefined>(undefined);
  readonly dialog = signal<Dialog | undefined>(undefined);
  /** The text during typing; undefined while it matches the week. */
  readonly draft = signal<string | undefined>(undefined);
  /** The week as changed elsewhere during editing. */
  readonly elsewhere = signal<Week | undefined>(undefined);
  readonly pending = signal<Pending | undefined>(undefined);
  /** The text of the status region. */
  readonly said = signal('');

  /** The texts in the current language. Empty until the element has loaded them; nothing is shown before. */
  readonly words = signal({} as EditorWords);
  readonly plan: ReadonlySignal<Plan> = computed(() => this.history.value.present);
  readonly week: ReadonlySignal<Week> = computed(() => printedWeek(this.plan.value.week, this.base.value));
  readonly changed: ReadonlySignal<readonly Day[]> = computed(() => changedDays(this.base.value, this.week.value));
  readonly modes: ReadonlySignal<readonly string[]> = computed(() => {
    const { modes } = this.constraints.value;
    if (modes && modes.length > 0) return modes;
    const used = Object.values(this.base.value).flatMap((entries) => entries.map(({ mode }) => mode));
    return used.length > 0 ? [...new Set(used)] : ['normal'];
  });
  /** The errors in the changed days: from local checks and from the answer to the last save. */
  readonly issues: ReadonlySignal<readonly Issue[]> = computed(() => {
    const own = weekIssues(this.base.value, this.week.value, this.constraints.value);
    const known = new Set(own.map(({ path, rule }) => `${path} ${rule}`));
    const theirs = (this.answer.value?.errors ?? []).flatMap((issue) => {
      const place = placeOf(issue);
      if (!place) return [];
      const path = `/${[place.day, place.index, place.part].filter((one) => one !== undefined).join('/')}`;
      return known.has(`${path} ${issue.rule}`) ? [] : [{ ...issue, path }];
    });
    return [...own, ...theirs];
  });

  constructor(emit: Emit) {
    this.emit = emit;
  }

  row(day: Day): Row {
    return rowOf(this.plan.value, day);
  }

  entries(day: Day): EditDay {
    return entriesAt(this.plan.value, day);
  }

  /** The name of a mode in the editor's language; an unknown mode keeps its raw name. */
  modeName(mode: string): string {
    const name = modeWord(mode, this.language.value);
    return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
  }

  say(text: string): void {
    // Screen readers ignore an identical text, so it must differ.
    this.said.value = this.said.value === text ? `${text}\u00a0` : text;
  }

  /** Sets a new state as an undoable step. */
  edit(plan: Plan, said?: string): void {
    this.history.value = step(this.history.value, plan);
    this.#afterChange();
    if (said !== undefined) this.say(said);
  }

  /** Sets a new state within the last undo step. */
  amend(plan: Plan): void {
    this.history.value = amend(this.history.value, plan);
    this.#afterChange();
  }

  undo(): void {
    this.#go(undo(this.history.value), this.words.value.didUndo);
  }

  redo(): void {
    this.#go(redo(this.history.value), this.words.value.didRedo);
  }

  #go(to: History<Plan>, said: string): void {
    if (to === this.history.value) return;
    this.history.value = to;
    this.#afterChange();
    this.say(said);
  }

  /** Shows this week and clears the undo history. */
  reset(week: Week): void {
    this.drag.value = undefined;
    this.base.value = week;
    this.history.value = historyOf(planOf(editWeek(week)));
    this.draft.value = undefined;
    this.elsewhere.value = undefined;
    this.midnight.value = undefined;
    this.#keepOpen();
  }

  /** Sets the focus to a cell in the row of a day; `grab` also moves the browser's focus. */
  focusOn({ day, cell }: Focus, grab = true): void {
    this.focus.value = { day: this.row(day)[0] ?? day, cell };
    if (grab) this.focusRequests.value += 1;
  }

  /** True if this entry is open; applies to each day of its row. */
  isOpen(day: Day, index: number): boolean {
    const open = this.open.value;
    return open?.kind === 'entry' && open.index === index && this.row(open.day) === this.row(day);
  }

  /** Opens a dialog; without an argument closes it. */
  show(dialog?: Dialog): void {
    this.dialog.value = dialog;
  }

  close(): void {
    const open = this.open.value;
    this.open.value = undefined;
    this.midnight.value = undefined;
    if (open) this.focusOn({ day: open.day, cell: open.kind === 'entry' ? open.index : 'row' });
  }

  #afterChange(): void {
    this.draft.value = undefined;
    this.midnight.value = undefined;
    if (this.pending.value === undefined) this.answer.value = undefined;
    this.#keepOpen();
  }

  /** Closes an entry that no longer exists, and keeps the focus on an existing cell. */
  #keepOpen(): void {
    const open = this.open.value;
    if (open?.kind === 'entry' && this.entries(open.day)[open.index] === undefined) this.open.value = undefined;
    const { day, cell } = this.focus.value;
    const first = this.row(day)[0] ?? day;
    this.focus.value = { day: first, cell: typeof cell === 'number' && this.entries(day)[cell] === undefined ? 'add' : cell };
  }
}
