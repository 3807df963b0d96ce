import type { CDPSession, Locator, Page } from 'playwright-core';
import type { Constraints } from '../../../src/schedule/constraints.ts';
import { type Day, type Entry, type Week, weekOf } from '../../../src/schedule/week.ts';
import { axeOn } from './axe.ts';
import { barePage } from './barePage.ts';
import { startPages } from './pages.ts';

const LISTEN = `
globalThis.heard = [];
for (const name of ['save', 'saveprofile', 'copyto', 'undo']) addEventListener(name, ({ detail }) => heard.push({ name, detail }));
addEventListener('securitypolicyviolation', ({ violatedDirective }) => heard.push({ name: 'violation', detail: violatedDirective }));
addEventListener('error', ({ message }) => heard.push({ name: 'error', detail: message }));
`;

/** What the element is given; the rest of its properties has their defaults. */
export type Given = {
  readonly week: Week;
  readonly constraints?: Constraints;
  readonly language?: 'en' | 'de';
  readonly theme?: 'light' | 'dark';
  readonly now?: { readonly day: Day; readonly minutes: number; readonly date?: string };
  readonly profiles?: readonly { readonly name: string; readonly week: Partial<Week> }[];
  readonly targets?: readonly { readonly id: string; readonly label: string; readonly constraints: Constraints }[];
  readonly callsLeft?: number;
  readonly readonly?: boolean;
};

export type Heard = { readonly name: string; readonly detail: unknown };

/** The constraints of most heating circuits. */
export const USUAL: Constraints = {
  modes: ['normal', 'comfort'],
  maxEntries: 4,
  resolution: 10,
  overlapAllowed: false,
  defaultMode: 'reduced',
};

/** `06:00-08:00 normal, 17:00-22:00 comfort` as entries; '' is a day without any. */
export const entries = (text: string): readonly Entry[] =>
  (text === '' ? [] : text.split(', ')).map((one, position) => {
    const [, start = '', end = '', mode = ''] = /^(.*)-(.*?) (.*)$/u.exec(one) ?? [];
    return { start, end, mode, position };
  });

/** A week by the texts of its days; days that are not named have the text of `rest`. */
export const week = (days: Partial<Record<Day, string>>, rest = ''): Week => weekOf((day) => entries(days[day] ?? rest));

/** A page with nothing but the editor, and what its tests do with it. */
export class EditorPage {
  readonly page: Page;
  #devtools: CDPSession | undefined;

  constructor(page: Page) {
    this.page = page;
  }

  /** Sets properties of the element. */
  async set(given: Partial<Given> & { readonly answer?: unknown }): Promise<void> {
    await this.page.evaluate(`void Object.assign(document.querySelector('heating-week-editor'), ${JSON.stringify(given)})`);
  }

  /** What the element has said so far, and what the page was refused. */
  async heard(): Promise<readonly Heard[]> {
    return (await this.page.evaluate('heard')) as readonly Heard[];
  }

  /** The first `save`, when it has come. */
  async saved(): Promise<unknown> {
    await this.page.waitForFunction(`heard.some(({ name }) => name === 'save')`);
    return (await this.heard()).find(({ name }) => name === 'save')?.detail;
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** The button of an entry by what it says first: `06:00–08:00 Normal, Monday`. */
  entry(name: string): Locator {
    return this.page.getByRole('gridcell').getByRole('button', { name });
  }

  /** The point in the lane of a row at a time of the day. */
  async pointAt(day: Day, minutes: number): Promise<{ readonly x: number; readonly y: number }> {
    const box = await this.page.locator(`[data-lane="${day}"]`).boundingBox();
    if (!box) throw new Error(`no row begins with ${day}`);
    const share = minutes / 1440;
    const isUpright = box.height > box.width;
    return isUpright
      ? { x: box.x + box.width / 2, y: box.y + box.height * share }
      : { x: box.x + box.width * share, y: box.y + box.height / 2 };
  }

  /** Presses Tab until something with this name has the focus. */
  async tabTo(name: string, key = 'Tab'): Promise<void> {
    for (let press = 0; press < 60; press += 1) {
      await this.page.keyboard.press(key);
      if ((await this.focused()).startsWith(name)) return;
    }
    throw new Error(`Tab does not come to ${name}`);
  }

  /** The name of what has the focus. */
  async focused(): Promise<string> {
    const name = await this.page.evaluate(`(() => {
      const at = document.querySelector('heating-week-editor').shadowRoot.activeElement;
      return at?.getAttribute('aria-label') ?? at?.labels?.[0]?.textContent ?? at?.textContent ?? '';
    })()`);
    return String(name);
  }

  /** A finger goes over the screen in steps, as a hand does. */
  async swipe(
    from: { readonly x: number; readonly y: number },
    to: { readonly x: number; readonly y: number },
    lift = true,
  ): Promise<void> {
    this.#devtools ??= await this.page.context().newCDPSession(this.page);
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd' | 'touchCancel', points: readonly { x: number; y: number }[]) =>
      this.#devtools?.send('Input.dispatchTouchEvent', { type, touchPoints: [...points] });
    const steps = 8;
    await send('touchStart', [from]);
    for (let step = 1; step <= steps; step += 1) {
      const share = step / steps;
      await send('touchMove', [{ x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }]);
    }
    if (!lift) return;
    // A finger that lifts in full motion flings, and the next tap only stops that.
    for (let step = 0; step < 4; step += 1) {
      await this.page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`);
      await send('touchMove', [to]);
    }
    await send('touchEnd', []);
  }

  /** What axe finds; an empty list is good. */
  axe(): Promise<readonly string[]> {
    return axeOn(this.page);
  }

  /** Saves for good, and gives what was sent. */
  async save(): Promise<unknown> {
    await this.button('Save').click();
    await this.button('Save now').click();
    return this.saved();
  }
}

/** Chromium, and windows with an editor. */
export const startEditors = async () => {
  const pages = await startPages(await barePage(), LISTEN);
  const open = async (given: Given, options: Parameters<typeof pages.open>[0] = {}): Promise<EditorPage> => {
    const { theme = 'light' } = given;
    const page = await pages.open({ viewport: { width: 1280, height: 900 }, colorScheme: theme, ...options });
    const editor = new EditorPage(page);
    await page.evaluate(`void (document.body.className = ${JSON.stringify(theme)})`);
    await editor.set({ constraints: USUAL, language: 'en', theme, ...given });
    await page.getByRole('grid').waitFor();
    return editor;
  };
  return { open, close: pages.close };
};
