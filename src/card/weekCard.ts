import '../editor/main.ts';
import { momentText } from '../editor/state/saving.ts';
import type { EditorEvents } from '../editor/types.ts';
import type { WeekEditorElement } from '../editor/weekEditorElement.tsx';
import { type CardWords, cardWords } from '../language/card/cardWords.ts';
import { LANGUAGES, type Language } from '../language/language.ts';
import { localNow } from '../schedule/shown/localNow.ts';
import { DAYS, type Day, type Week } from '../schedule/week.ts';
import { isRecord } from '../shared/json.ts';
import { CardView, type Note } from './cardView.ts';
import { type CardConfig, type Hass, type HassState, mayChange, nameOf } from './hass.ts';
import { type Overview, overviewOf, weekEntities } from './overview.ts';
import { Writes } from './writes.ts';

const MINUTE_MS = 60_000;

/** Editors with unsaved changes whose card was left, by entity. */
const left = new Map<string, WeekEditorElement>();

/** The user's language, if its texts exist. */
export const languageOf = ({ locale, language }: Hass): Language => {
  const wanted = (locale?.language ?? language ?? 'en').slice(0, 2);
  return LANGUAGES.find((one) => one === wanted) ?? 'en';
};

const dayNames = (days: readonly Day[], language: Language): string => {
  const name = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' });
  return days.map((day) => name.format(Date.UTC(2026, 10, 23 + DAYS.indexOf(day)))).join(', ');
};

/** `<heating2mqtt-card>`: the week editor as a dashboard card. It reads and writes one week entity. */
export class HeatingWeekCard extends HTMLElement {
  readonly #view = new CardView(this.attachShadow({ mode: 'open' }));
  readonly #writes = new Writes((entity) => this.#wrote(entity));
  #config: CardConfig | undefined;
  #hass: Hass | undefined;
  /** The last rendered state. */
  #shown: { readonly state: HassState | undefined; readonly language: Language; readonly isDark: boolean } | undefined;
  #overview: Overview | undefined;
  #editor: WeekEditorElement | undefined;
  #targetsOf: Hass['states'] | undefined;
  /** The days of the last save, before the save. */
  #before: Partial<Week> = {};
  #savedRev: string | undefined;
  #isPreview = false;
  /** The entity for which Home Assistant was last asked whether the user may change it, and the answer. */
  #asked: string | undefined;
  #isForbidden = false;
  #clock: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    const handlers: { readonly [K in keyof EditorEvents]: (detail: EditorEvents[K]) => void } = {
      save: ({ week, ...end }) => {
        this.#before = this.#present(week);
        this.#send(this.#config?.entity, week, end);
      },
      copyto: ({ id, week }) => this.#send(id, week),
      // The bridge's own undo is an entity that most users have not enabled.
      undo: () => {
        const week = this.#before;
        this.#before = this.#present(week);
        this.#send(this.#config?.entity, week, {}, this.#savedRev);
      },
      saveprofile: () => undefined,
    };
    for (const [name, handle] of Object.entries(handlers))
      this.#view.holder.addEventListener(name, (event) => {
        // Home Assistant has events with the same names.
        event.stopPropagation();
        handle((event as CustomEvent).detail);
      });
    this.#view.holder.addEventListener('keydown', (event) => {
      // A key that the editor handles must not trigger a Home Assistant shortcut.
      if (event.defaultPrevented) event.stopPropagation();
    });
    for (const name of ['pointerdown', 'focusin']) this.#view.holder.addEventListener(name, () => this.#showTargets());
  }

  /** Called by Home Assistant with the dashboard's configuration of this card. */
  setConfig(config: unknown): void {
    if (!isRecord(config)) throw new Error('A card is configured by an object with an entity.');
    const { type, entity, title } = config;
    if (entity !== undefined && typeof entity !== 'string') throw new Error('entity is the id of an entity, such as text.…_schedule_text.');
    if (title !== undefined && typeof title !== 'string') throw new Error('title is a text.');
    if (entity !== this.#config?.entity) this.#leaveEditor();
    this.#config = { type: String(type), ...(entity === undefined ? {} : { entity }), ...(title === undefined ? {} : { title }) };
    this.#shown = undefined;
    this.#show();
  }

  /** Called by Home Assistant on every state change. */
  set hass(hass: Hass) {
    this.#hass = hass;
    this.#show();
    for (const entity of this.#writes.entities) if (entity !== this.#config?.entity) this.#takeAnswers(entity);
  }

  /** True during dashboard editing and in the card picker: the card is then read-only. */
  set preview(isPreview: boolean) {
    this.#isPreview = isPreview;
    this.#shown = undefined;
    this.#show();
  }

  connectedCallback(): void {
    if (this.#editor && left.get(this.#config?.entity ?? '') === this.#editor) left.delete(this.#config?.entity ?? '');
    this.#clock = setInterval(() => this.#showNow(), MINUTE_MS / 2);
    addEventListener('beforeunload', this.#warn);
    this.#shown = undefined;
    this.#show();
  }

  disconnectedCallback(): void {
    clearInterval(this.#clock);
    removeEventListener('beforeunload', this.#warn);
    const entity = this.#config?.entity;
    if (entity !== undefined && this.#editor?.isChanged) left.set(entity, this.#editor);
  }

  /** In units of 50 pixels, for masonry views. */
  getCardSize(): number {
    return 11;
  }

  /** For sections views. */
  getGridOptions(): object {
    return { columns: 'full', min_columns: 6, rows: 'auto' };
  }

  static getConfigElement(): HTMLElement {
    return document.createElement('heating2mqtt-card-editor');
  }

  static getStubConfig(hass: Hass): object {
    return { entity: weekEntities(hass)[0]?.entity_id ?? '' };
  }

  readonly #warn = (event: BeforeUnloadEvent): void => {
    if (this.#editor?.isChanged) event.preventDefault();
  };

  #show(): void {
    const [hass, config] = [this.#hass, this.#config];
    if (!hass || !config) return;
    const state = hass.states[config.entity ?? ''];
    const language = languageOf(hass);
    const isDark = hass.themes?.darkMode === true;
    const { state: before, language: said, isDark: wasDark } = this.#shown ?? {};
    if (this.#shown && before === state && said === language && wasDark === isDark) return;
    this.#shown = { state, language, isDark };
    const words = cardWords(language);
    this.#view.title = config.title ?? (state ? nameOf(state) : '');
    const overview = state && overviewOf(state);
    if (overview && config.entity !== undefined) {
      this.#overview = overview;
      this.#showEditor(this.#editor ?? this.#takeEditor(config.entity), overview, language, isDark);
      this.#writes.take(config.entity, overview.answers, words);
      if (overview.isWritable) void this.#ask(hass, config.entity);
    } else if (this.#editor) this.#editor.readonly = true;
    this.#showNotes(words, overview);
  }

  #showEditor(editor: WeekEditorElement, overview: Overview, language: Language, isDark: boolean): void {
    editor.language = language;
    editor.theme = isDark ? 'dark' : 'light';
    // Set before the week: a narrow editor starts at today.
    this.#showNow();
    editor.constraints = overview.constraints;
    editor.week = overview.week;
    editor.profiles = overview.profiles;
    // The card cannot save a week as a profile.
    editor.dataset['profiles'] = overview.profiles.length === 0 ? 'none' : 'given';
    editor.readonly = !overview.isWritable || this.#isPreview || this.#isForbidden;
  }

  /** Asks Home Assistant once per entity. */
  async #ask(hass: Hass, entity: string): Promise<void> {
    if (this.#asked === entity) return;
    this.#asked = entity;
    const isForbidden = !(await mayChange(hass, entity));
    if (!isForbidden || this.#asked !== entity) return;
    this.#isForbidden = true;
    this.#shown = undefined;
    this.#show();
  }

  /** An editor of this entity with unsaved changes, or a new one. */
  #takeEditor(entity: string): WeekEditorElement {
    const editor = left.get(entity) ?? document.createElement('heating-week-editor');
    left.delete(entity);
    this.#editor = editor;
    this.#view.holder.replaceChildren(editor);
    return editor;
  }

  #leaveEditor(): void {
    const entity = this.#config?.entity;
    if (entity !== undefined && this.#editor?.isChanged) left.set(entity, this.#editor);
    this.#editor?.remove();
    this.#editor = undefined;
    this.#overview = undefined;
    this.#targetsOf = undefined;
    this.#asked = undefined;
    this.#isForbidden = false;
  }

  /** Sets the current local time of the schedule. */
  #showNow(): void {
    if (!this.#editor || this.#overview?.zone === undefined) return;
    const { now } = this.#editor;
    const next = localNow(Date.now(), this.#overview.zone);
    if (now?.date !== next.date || now.minutes !== next.minutes) this.#editor.now = next;
  }

  /** Runs on first use of the card, because it searches all entities. */
  #showTargets(): void {
    const [hass, editor] = [this.#hass, this.#editor];
    if (!hass || !editor || hass.states === this.#targetsOf) return;
    this.#targetsOf = hass.states;
    editor.targets = weekEntities(hass).flatMap((state) => {
      const other = overviewOf(state);
      return other?.isWritable && state.entity_id !== this.#config?.entity
        ? [{ id: state.entity_id, label: nameOf(state), constraints: other.constraints }]
        : [];
    });
  }

  #showNotes(words: CardWords, overview: Overview | undefined): void {
    const language = this.#shown?.language ?? 'en';
    const problem = overview ? undefined : this.#problem(words);
    this.#view.holder.hidden = problem !== undefined && this.#editor?.isChanged !== true;
    const notes: readonly (Note | undefined)[] = [
      problem === undefined ? undefined : { kind: 'problem', text: problem },
      overview && !overview.isText ? { kind: 'plain', text: words.readOnly } : undefined,
      overview?.isText && !overview.isWritable ? { kind: 'plain', text: words.notNow } : undefined,
      overview && this.#isForbidden ? { kind: 'plain', text: words.notAllowed } : undefined,
      overview && !overview.isActive ? { kind: 'plain', text: words.inactive } : undefined,
      overview?.until === undefined ? undefined : { kind: 'plain', text: words.until(momentText(overview.until, language, 'short')) },
      overview && overview.contested.length > 0
        ? { kind: 'problem', text: words.contested(dayNames(overview.contested, language)) }
        : undefined,
      ...this.#writes.entities.map((entity) => (entity === this.#config?.entity ? undefined : this.#copyNote(entity, words))),
    ];
    this.#view.notes = notes.filter((note) => note !== undefined);
  }

  #problem(words: CardWords): string {
    const entity = this.#config?.entity ?? '';
    const state = this.#hass?.states[entity];
    if (entity === '') return words.choose;
    if (!state) return words.missing(entity);
    return state.state === 'unavailable' ? words.unavailable : words.wrong(entity);
  }

  /** The result of a week copied to another schedule. */
  #copyNote(entity: string, words: CardWords): Note | undefined {
    const { status, message, errors = [] } = this.#writes.of(entity)?.answer ?? { status: '' };
    const state = this.#hass?.states[entity];
    const name = state ? nameOf(state) : entity;
    if (status === 'applied' || status === 'unchanged') return { kind: 'done', text: words.copied(name) };
    if (status === 'unconfirmed' || status === 'superseded') return { kind: 'plain', text: words.copyUnsure(name) };
    if (status !== 'rejected' && status !== 'failed') return { kind: 'plain', text: words.copying(name) };
    return { kind: 'problem', text: words.copyFailed(name, message ?? errors.map((one) => `${one.message}.`).join(' ')) };
  }

  /** The current values in the heating of the days in `week`. */
  #present(week: Partial<Week>): Partial<Week> {
    const present = this.#overview?.week;
    return present ? Object.fromEntries(DAYS.flatMap((day) => (week[day] ? [[day, present[day]]] : []))) : {};
  }

  #send(entity: string | undefined, week: Partial<Week>, end = {}, rev?: string): void {
    const [hass, state] = [this.#hass, entity === undefined ? undefined : this.#hass?.states[entity]];
    const overview = state && overviewOf(state);
    if (hass && entity !== undefined && overview)
      void this.#writes.send(hass, cardWords(languageOf(hass)), entity, rev ?? overview.rev, week, end);
  }

  #takeAnswers(entity: string): void {
    const [hass, state] = [this.#hass, this.#hass?.states[entity]];
    const overview = state && overviewOf(state);
    if (hass && overview) this.#writes.take(entity, overview.answers, cardWords(languageOf(hass)));
  }

  /** Called when the status of a write changes. */
  #wrote(entity: string): void {
    const answer = this.#writes.of(entity)?.answer;
    if (entity === this.#config?.entity && answer?.status === 'applied') this.#savedRev = this.#overview?.rev;
    if (entity === this.#config?.entity && this.#editor) this.#editor.answer = answer;
    else if (this.#hass) this.#showNotes(cardWords(languageOf(this.#hass)), this.#overview);
  }
}
