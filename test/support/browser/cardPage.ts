import type { Locator, Page } from 'playwright-core';
import { bundleCard } from '../../../scripts/pageBuild.ts';
import type { HassState } from '../../../src/card/hass.ts';
import { printWeek } from '../../../src/schedule/text/weekText.ts';
import type { Week } from '../../../src/schedule/week.ts';
import { axeOn } from './axe.ts';
import { USUAL } from './editorPage.ts';
import { startPages } from './pages.ts';

/** Home Assistant's own colours, light and dark, as its frontend sets them on the root. */
const CSS = `
html { --primary-color: #009ac7; --primary-text-color: #141414; --secondary-text-color: #5e5e5e; --card-background-color: #fff;
  --primary-background-color: #fafafa; --secondary-background-color: #e5e5e5; --divider-color: rgb(0 0 0 / 12%); --error-color: #db4437; }
html.dark { --primary-text-color: #e1e1e1; --secondary-text-color: #9b9b9b; --card-background-color: #1c1c1c; --primary-background-color: #111;
  --secondary-background-color: #282828; --divider-color: rgb(225 225 225 / 12%); }
body { margin: 0; padding: 8px; background: var(--primary-background-color); color: var(--primary-text-color); font: 14px sans-serif; }
ha-card { background: var(--card-background-color); }`;

/** What stands for Home Assistant in the page: its own card, its services, and the cards of a view. */
const HUB = `
customElements.define('ha-card', class extends HTMLElement {
  set header(text) { this.dataset.header = text ?? ''; }
});
globalThis.calls = [];
globalThis.errors = [];
globalThis.keys = [];
globalThis.warned = () => !dispatchEvent(new Event('beforeunload', { cancelable: true }));
addEventListener('error', ({ message }) => errors.push(message));
addEventListener('unhandledrejection', ({ reason }) => errors.push(String(reason)));
addEventListener('keydown', ({ key }) => keys.push(key));
const hub = { states: {}, language: 'en', themes: { darkMode: false } };
globalThis.hub = hub;
globalThis.give = () => {
  const hass = { ...hub, callService: async (...call) => { calls.push(call); if (globalThis.refusal) throw globalThis.refusal; } };
  for (const card of document.querySelectorAll('heating2mqtt-card')) card.hass = hass;
};
globalThis.set = (states) => { hub.states = { ...hub.states, ...Object.fromEntries(states.map((one) => [one.entity_id, one])) }; give(); };
globalThis.add = (config) => {
  const card = document.createElement('heating2mqtt-card');
  card.setConfig({ type: 'custom:heating2mqtt-card', ...config });
  document.querySelector('main').append(card);
  give();
};
`;

const HTML = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Dashboard</title><link rel="icon" href="data:,"><style>${CSS}</style><script>${HUB}</script>
<script type="module" src="/local/heating2mqtt-card.js?v=1"></script><script type="module" src="/hacsfiles/heating2mqtt-card.js"></script>
</head><body><main><h1>Dashboard</h1></main></body></html>`;

export const WEEK_ENTITY = 'text.week';

/** The week's entity as Home Assistant has it. */
export const weekState = (week: Week, attributes: Readonly<Record<string, unknown>> = {}, id = WEEK_ENTITY): HassState => ({
  entity_id: id,
  state: printWeek(week) ?? '',
  attributes: {
    entries: week,
    constraints: USUAL,
    rev: 'rev1',
    writable: true,
    active: true,
    zone: 'Europe/Berlin',
    friendly_name: `Week of ${id}`,
    ...attributes,
  },
});

/** A page that is given what Home Assistant gives to cards, and what its tests do with it. */
export class CardPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  card(index = 0): Locator {
    return this.page.locator('heating2mqtt-card').nth(index);
  }

  async set(...states: readonly HassState[]): Promise<void> {
    await this.page.evaluate(`set(${JSON.stringify(states)})`);
  }

  async add(config: object): Promise<void> {
    await this.page.evaluate(`add(${JSON.stringify(config)})`);
  }

  /** Calls of services, when there are so many: texts that were sent to entities. */
  async sent(count: number): Promise<readonly (readonly [entity: string, text: string])[]> {
    await this.page.waitForFunction(`calls.length >= ${count}`);
    const calls: unknown = await this.page.evaluate(`calls.map(([domain, service, { value }, { entity_id }, notify]) =>
      [domain === 'text' && service === 'set_value' && notify === false ? entity_id : domain, value])`);
    return calls as readonly (readonly [string, string])[];
  }

  /** Types a week into the text below the drawing. */
  async type(text: string, index = 0): Promise<void> {
    const card = this.card(index);
    const area = card.getByRole('textbox', { name: 'As text' });
    if (!(await area.isVisible())) await card.getByText('As text', { exact: true }).click();
    await area.fill(text);
  }

  async save(index = 0): Promise<void> {
    await this.card(index).getByRole('button', { name: 'Save', exact: true }).click();
    await this.card(index).getByRole('button', { name: 'Save now', exact: true }).click();
  }

  axe(): Promise<readonly string[]> {
    return axeOn(this.page);
  }
}

/** Chromium, and windows with cards; `states` are there before them. */
export const startCards = async () => {
  const script = await bundleCard();
  const pages = await startPages((request, response) => {
    const isScript = request.url?.includes('.js') === true;
    response.writeHead(200, { 'Content-Type': isScript ? 'text/javascript' : 'text/html' });
    response.end(isScript ? script : HTML);
  });
  type Window = Parameters<typeof pages.open>[0];
  const open = async (states: readonly HassState[], cards: readonly object[], window: Window = {}): Promise<CardPage> => {
    const page = await pages.open({ viewport: { width: 1200, height: 900 }, locale: 'en', ...window });
    await page.waitForFunction(`customElements.get('heating2mqtt-card')`);
    const opened = new CardPage(page);
    await opened.set(...states);
    for (const card of cards) await opened.add(card);
    return opened;
  };
  return { open, close: pages.close };
};
