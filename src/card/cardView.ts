import { STYLE } from './style.ts';

/** A line above the editor. */
export type Note = { readonly kind: 'plain' | 'done' | 'problem'; readonly text: string };

/** The card frame: Home Assistant's card element, a title, and notes. */
export class CardView {
  /** The container of the editor. */
  readonly holder = document.createElement('div');
  readonly #card = document.createElement('ha-card') as HTMLElement & { header?: string | undefined };
  readonly #content = document.createElement('div');
  readonly #notes = document.createElement('div');
  #shown = '';

  constructor(root: ShadowRoot) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    this.#content.className = 'content';
    this.#notes.className = 'notes';
    this.#notes.setAttribute('role', 'status');
    this.holder.className = 'editor';
    this.#content.append(this.#notes, this.holder);
    this.#card.append(this.#content);
    root.append(this.#card);
  }

  set title(title: string) {
    // Home Assistant renders no header line if the header is undefined.
    this.#card.header = title === '' ? undefined : title;
    this.#content.classList.toggle('untitled', title === '');
  }

  set notes(notes: readonly Note[]) {
    const shown = JSON.stringify(notes);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#notes.replaceChildren(
      ...notes.map(({ kind, text }) => {
        const line = document.createElement('p');
        line.className = kind;
        line.textContent = text;
        return line;
      }),
    );
  }
}
