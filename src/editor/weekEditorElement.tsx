import { render } from 'preact';
import { loadEditorWords } from '../language/editor.ts';
import { LANGUAGES, type Language } from '../language/language.ts';
import type { Constraints } from '../schedule/constraints.ts';
import { changedDays, type Week } from '../schedule/week.ts';
import { editWeek } from './model/editWeek.ts';
import { planOf } from './model/plan.ts';
import { takeAnswer, takeWeek } from './state/saving.ts';
import { EditorStore } from './state/store.ts';
import { BASE } from './style/base.ts';
import { COLOURS } from './style/colours.ts';
import { DRAWING } from './style/drawing.ts';
import { PANEL } from './style/panel.ts';
import type { Answer, NamedWeek, Now, Target, Theme } from './types.ts';
import { Editor } from './view/Editor.tsx';

/** Shared by all elements. Not inline text, so the page's CSP allows it. */
const sheet = new CSSStyleSheet();
sheet.replaceSync(COLOURS + BASE + DRAWING + PANEL);

/** Properties that are passed to the store unchanged. */
const PLAIN = ['constraints', 'now', 'profiles', 'targets', 'callsLeft'] as const;
const PROPERTIES = [...PLAIN, 'week', 'language', 'theme', 'answer', 'readonly'] as const;

/**
 * `<heating-week-editor>`: draws and edits the week of a schedule. Input: its properties. Output: the events
 * of `EditorEvents`, which bubble. It does not read the browser's clock.
 */
export class WeekEditorElement extends HTMLElement {
  readonly #store = new EditorStore((name, detail) => {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  });
  readonly #root = this.attachShadow({ mode: 'open' });

  /** The constraints of the schedule's command, as in `S/record`. */
  declare constraints: Constraints;
  /** The current local time of the schedule. */
  declare now: Now | undefined;
  declare profiles: readonly NamedWeek[];
  /** Other schedules to which the week can be copied. */
  declare targets: readonly Target[];
  /** The platform calls left today. A save costs one call. */
  declare callsLeft: number | undefined;

  #given: Week | undefined;
  #answer: Answer | undefined;

  static {
    for (const name of PLAIN)
      Object.defineProperty(WeekEditorElement.prototype, name, {
        get(this: WeekEditorElement) {
          return this.#store[name].value;
        },
        set(this: WeekEditorElement, value: never) {
          this.#store[name].value = value;
        },
      });
  }

  connectedCallback(): void {
    // Properties set before the element was defined.
    for (const name of PROPERTIES) {
      const value = Object.getOwnPropertyDescriptor(this, name)?.value;
      if (value === undefined) continue;
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
    this.#root.adoptedStyleSheets = [sheet];
    this.dataset['theme'] ??= 'auto';
    void this.#show();
  }

  /** Shows the editor once the texts of its language are loaded. */
  async #show(): Promise<void> {
    const { language, words } = this.#store;
    const wanted = language.value;
    const loaded = await loadEditorWords(wanted);
    if (language.value !== wanted) return;
    words.value = loaded;
    if (this.isConnected) render(<Editor store={this.#store} />, this.#root);
  }

  disconnectedCallback(): void {
    render(null, this.#root);
  }

  /** The week from `S/entries`. A different value during editing counts as a change made elsewhere. */
  get week(): Week {
    return this.#store.base.value;
  }
  set week(week: Week) {
    // An identical week is ignored: the edited week may be newer.
    if (this.#given && changedDays(this.#given, week).length === 0) return;
    this.#given = week;
    takeWeek(this.#store, week);
  }

  get language(): Language {
    return this.#store.language.value;
  }
  set language(language: Language) {
    if (!LANGUAGES.includes(language)) return;
    this.#store.language.value = language;
    if (this.isConnected) void this.#show();
  }

  get theme(): Theme {
    return this.#store.theme.value;
  }
  set theme(theme: Theme) {
    this.#store.theme.value = theme;
    this.dataset['theme'] = theme;
  }

  /** The result of the last save. */
  get answer(): Answer | undefined {
    return this.#store.answer.value;
  }
  set answer(answer: Answer | undefined) {
    if (answer === this.#answer) return;
    this.#answer = answer;
    takeAnswer(this.#store, answer);
  }

  get readonly(): boolean {
    return this.#store.isReadonly.value;
  }
  set readonly(isReadonly: boolean) {
    this.#store.isReadonly.value = isReadonly;
    if (isReadonly) this.#store.open.value = undefined;
  }

  /** Changes the drawing in one undoable step and announces it. Sends nothing. */
  change(to: (week: Week) => Week, said: string): void {
    const store = this.#store;
    const week = to(store.week.value);
    if (!store.isReadonly.value && changedDays(store.week.value, week).length > 0) store.edit(planOf(editWeek(week)), said);
  }

  /** True while there are unsent changes. */
  get isChanged(): boolean {
    const { pending, answer, base, week } = this.#store;
    const sent = pending.value && answer.value?.status !== 'sending' ? pending.value.week : base.value;
    return changedDays(sent, week.value).length > 0;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'heating-week-editor': WeekEditorElement;
  }
}
