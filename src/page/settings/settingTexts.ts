import { effect, signal } from '@preact/signals';
import type { SettingRow as Row } from '../../api/answers.ts';
import { loadSettingTexts, type SettingTexts } from '../../language/setup/settings.ts';
import { language } from '../state/preferences.ts';

/** Undefined until they are loaded. */
const texts = signal<SettingTexts | undefined>();

effect(() => {
  const wanted = language.value;
  void loadSettingTexts(wanted).then((loaded) => {
    if (language.peek() === wanted) texts.value = loaded;
  });
});

/** The meaning of a setting in the language of the page. */
export const meaningOf = ({ path, doc }: Pick<Row, 'path' | 'doc'>): string => (texts.value ? (texts.value.meanings[path] ?? doc) : '');

/** What its field shows while it is empty: a right value, or how its default is found. */
export const hintOf = ({ hint = '' }: Pick<Row, 'hint'>): string => (texts.value ? (texts.value.defaults[hint] ?? hint) : '');
