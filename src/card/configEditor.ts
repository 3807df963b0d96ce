import { type CardWords, cardWords } from '../language/card/cardWords.ts';
import { isRecord } from '../shared/json.ts';
import type { CardConfig, Hass } from './hass.ts';
import { weekEntities } from './overview.ts';
import { languageOf } from './weekCard.ts';

/** The parts of Home Assistant's form that are used here. */
type Form = HTMLElement & {
  hass: Hass;
  data: object;
  schema: readonly object[];
  computeLabel: (field: { readonly name: string }) => string;
  computeHelper: (field: { readonly name: string }) => string;
};

type Helpers = { createCardElement(config: object): Promise<HTMLElement> | HTMLElement };

/** Home Assistant loads its form together with the first card that has one. */
const loadForm = async (): Promise<void> => {
  if (customElements.get('ha-form')) return;
  const load: unknown = Reflect.get(globalThis, 'loadCardHelpers');
  if (typeof load !== 'function') return;
  const helpers: Helpers = await load();
  const card = await helpers.createCardElement({ type: 'entity', entity: 'sun.sun' });
  const make: unknown = Reflect.get(card.constructor, 'getConfigElement');
  if (typeof make === 'function') await make.call(card.constructor);
};

/** `<heating2mqtt-card-editor>`: the settings of a card, in Home Assistant's form. */
export class CardConfigEditor extends HTMLElement {
  readonly #form = document.createElement('ha-form') as Form;
  readonly #note = document.createElement('p');
  #hass: Hass | undefined;
  #config: CardConfig | undefined;

  constructor() {
    super();
    this.#form.addEventListener('value-changed', (event) => {
      event.stopPropagation();
      const { value } = (event as CustomEvent).detail;
      if (!isRecord(value) || !this.#config) return;
      const { title: _, ...others } = { ...this.#config, ...value };
      const title = typeof value['title'] === 'string' && value['title'] !== '' ? { title: value['title'] } : {};
      this.dispatchEvent(new CustomEvent('config-changed', { detail: { config: { ...others, ...title } }, bubbles: true, composed: true }));
    });
  }

  connectedCallback(): void {
    this.replaceChildren(this.#form, this.#note);
    void loadForm().catch(() => undefined);
    this.#show();
  }

  setConfig(config: CardConfig): void {
    this.#config = config;
    this.#show();
  }

  set hass(hass: Hass) {
    this.#hass = hass;
    this.#show();
  }

  #show(): void {
    const [hass, config] = [this.#hass, this.#config];
    if (!hass || !config) return;
    const words: CardWords = cardWords(languageOf(hass));
    const weeks = weekEntities(hass).map(({ entity_id: id }) => id);
    const schema = [
      { name: 'entity', required: true, selector: { entity: { include_entities: weeks } } },
      { name: 'title', selector: { text: {} } },
    ];
    this.#form.hass = hass;
    this.#form.data = { ...config };
    // A new object with the same content would close open parts of the form.
    if (JSON.stringify(this.#form.schema) !== JSON.stringify(schema)) this.#form.schema = schema;
    this.#form.computeLabel = ({ name }) => (name === 'title' ? words.title : words.entity);
    this.#form.computeHelper = ({ name }) => (name === 'title' ? words.titleHelp : words.entityHelp);
    this.#note.textContent = weeks.length === 0 ? words.noEntities : '';
    this.#note.hidden = weeks.length > 0;
  }
}
