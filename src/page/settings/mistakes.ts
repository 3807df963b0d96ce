import type { RuleSentence } from '../../language/rules.ts';
import type { SetupWords } from '../../language/setup/setupEn.ts';
import { isRecord } from '../../shared/json.ts';
import type { Row } from '../setup/row.ts';

type Mistake = Readonly<Record<string, unknown>>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const texts = (list: unknown): readonly string[] => (Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []);

/** What a setting can be, as far as that needs no words of the server. */
const allowedOf = (row: Row | undefined, w: SetupWords): string => {
  if (row?.choices) return w.allowed(row.choices.join(', '));
  if (row?.min !== undefined && row.max !== undefined) return w.allowed(w.range(row.min, row.max, row.default === 'auto'));
  return row?.example === undefined ? '' : w.example(row.example);
};

/** What is said of a broken rule of weeks, with its place. */
const weekSentence = (issue: unknown, sentenceFor: RuleSentence): string | undefined => {
  if (!isRecord(issue) || typeof issue['rule'] !== 'string') return undefined;
  const { path, rule, message, got, allowed, nearest } = issue;
  const sentence = sentenceFor({ rule, message: text(message), got, allowed, ...(Array.isArray(nearest) ? { nearest } : {}) });
  return text(path) === '' ? sentence : `${text(path)}: ${sentence}`;
};

/** What is wrong with a setting in the language of the page, after its name; where there is no word for the rule, the server's sentence. */
const sentenceOf = ({ path, rule, message, nearest }: Mistake, row: Row | undefined, w: SetupWords): string => {
  const contradiction = rule === 'contradiction' ? w.contradictions[text(path)] : undefined;
  const sentence = contradiction ?? w.rules[text(rule)];
  if (sentence === undefined) return text(message);
  const near = texts(nearest);
  const isOfValue = contradiction === undefined && rule !== 'short' && rule !== 'again' && rule !== 'tokens' && rule !== 'required';
  return [sentence, near.length > 0 ? w.nearest(near.join(', ')) : '', isOfValue ? allowedOf(row, w) : ''].filter(Boolean).join('; ');
};

/** The mistakes in an answer of the server, as what is said at their fields. */
export const mistakesOf = (
  list: unknown,
  rows: ReadonlyMap<string, Row>,
  w: SetupWords,
  weekRule: RuleSentence,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (Array.isArray(list) ? list.filter(isRecord) : []).map((mistake) => {
      const { path, rule, where } = mistake;
      if (rule === 'fixed' && where) return [text(path), w.fixedBy(text(where))];
      // A part of a list or of a name belongs to the setting that holds it.
      const row = rows.get(text(path).replace(/\[.*$/s, ''));
      return [text(path), weekSentence(mistake['issue'], weekRule) ?? sentenceOf(mistake, row, w)];
    }),
  );
