import { computed } from '@preact/signals';
import { allCards, type Card } from '../model/cards.ts';
import type { Reading } from '../model/readings.ts';
import { capital, short } from '../shell/format.ts';
import { words } from '../shell/words.ts';
import { language } from '../state/preferences.ts';
import { base, devices, topics } from '../state/store.ts';
import { todayWords } from '../today/words.ts';
import { titlesOf } from './deviceTitles.ts';

/** `someName` as words, for names without a translation. */
const split = (level: string): string => level.replace(/([a-z0-9])([A-Z])/gu, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);

const titles = computed(() => titlesOf(topics.value, base.value, devices.value, language.value));

/** The cards of all devices. */
export const cards = computed(() => allCards(topics.value, base.value, devices.value));

/** The display name of a device. */
export const deviceTitle = (name: string): string => short(titles.value.get(name) ?? name);

/** The heading of a card: the owner's name for it, else its kind. */
export const cardName = ({ kind, name, number = 1, scope, device }: Card): string => {
  if (scope === '') return deviceTitle(device);
  if (name !== undefined && name !== '') return short(name);
  const w = words.value;
  if (kind === 'circuit') return w.circuit(number);
  if (kind === 'room') return w.room(number);
  return kind === 'other' ? capital(split(scope.replaceAll('.', ' '))) : w[kind];
};

/** The label of a measured value: `Outside`, `Supply`. */
export const readingName = ({ feature }: Reading): string => {
  const { readingWords } = todayWords.value;
  const [before = '', after = ''] = feature.split('.sensors.');
  const levels = [...before.split('.').slice(1), ...after.split('.')];
  const said = levels.map((level) => (Object.hasOwn(readingWords, level) ? readingWords[level] : split(level)) ?? '');
  const all = said.filter((text) => text !== '');
  // The unit already shows a temperature, and a heating has one pressure.
  if (levels.includes('pressure')) return readingWords['pressure'] ?? '';
  const places = all.length > 1 ? all.filter((text) => text !== readingWords['temperature']) : all;
  const [first = '', ...rest] = places;
  const isLower = language.value === 'en';
  return [capital(first), ...rest.map((text) => (isLower ? text.charAt(0).toLowerCase() + text.slice(1) : text))].join(' ');
};
