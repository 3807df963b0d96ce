import { cardWords } from '../language/card/cardWords.ts';
import { LANGUAGES } from '../language/language.ts';
import { CardConfigEditor } from './configEditor.ts';
import { HeatingWeekCard } from './weekCard.ts';

const TYPE = 'heating2mqtt-card';

// A dashboard may load this script twice, even from two URLs.
if (!customElements.get(TYPE)) {
  customElements.define(TYPE, HeatingWeekCard);
  customElements.define(`${TYPE}-editor`, CardConfigEditor);
  const language = LANGUAGES.find((one) => navigator.language.startsWith(one)) ?? 'en';
  const known: unknown = Reflect.get(globalThis, 'customCards');
  const cards: unknown[] = Array.isArray(known) ? known : [];
  cards.push({
    type: TYPE,
    name: 'heating2mqtt',
    description: cardWords(language).cardDescription,
    preview: true,
    documentationURL: 'https://github.com/heating2mqtt/heating2mqtt/blob/main/docs/card.md',
  });
  Reflect.set(globalThis, 'customCards', cards);
}
