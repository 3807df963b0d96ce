import type { SettingRow as Row, ShownMistake } from '../../api/answers.ts';
import type { RuleSentence } from '../../language/rules.ts';
import type { SetupWords } from '../../language/setup/setup.ts';
import type { Issue } from '../../shared/issue.ts';

/** The allowed values of a setting, if they need no texts of the server. */
const allowedOf = (row: Row | undefined, w: SetupWords): string => {
  if (row?.choices) return w.allowed(row.choices.join(', '));
  if (row?.min !== undefined && row.max !== undefined) return w.allowed(w.range(row.min, row.max, row.default === 'auto'));
  return row?.example === undefined ? '' : w.example(row.example);
};

/** The text for a broken week rule, with its position: `line:column` of a text. */
const weekSentence = ({ path, ...issue }: Issue, sentenceFor: RuleSentence, w: SetupWords): string => {
  const [, line, column] = /^(\d+):(\d+)$/.exec(path) ?? [];
  const place = line === undefined || column === undefined ? path : w.lineColumn(line, column);
  return place === '' ? sentenceFor(issue) : `${place}: ${sentenceFor(issue)}`;
};

/** A part of a list or record belongs to the setting that contains it. */
const settingOf = (path: string): string => path.replace(/\[.*$/s, '');

/** The error of a setting in the page's language, after its name; the server's text if the rule has none. */
const sentenceOf = ({ path, rule, message, nearest = [] }: ShownMistake, row: Row | undefined, w: SetupWords): string => {
  const contradiction = rule === 'contradiction' ? w.contradictions[settingOf(path)] : undefined;
  const sentence = contradiction ?? w.rules[rule];
  if (sentence === undefined) return message;
  const isOfValue = contradiction === undefined && rule !== 'short' && rule !== 'again' && rule !== 'tokens' && rule !== 'required';
  return [sentence, nearest.length > 0 ? w.nearest(nearest.join(', ')) : '', isOfValue ? allowedOf(row, w) : ''].filter(Boolean).join('; ');
};

/** Converts the errors in a server answer to texts for their fields. */
export const mistakesOf = (
  list: readonly ShownMistake[],
  rows: ReadonlyMap<string, Row>,
  w: SetupWords,
  weekRule: RuleSentence,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    list.map((mistake) => {
      const { path, rule, where, issue } = mistake;
      if (rule === 'fixed' && where) return [path, w.fixedBy(where)];
      const row = rows.get(settingOf(path));
      return [path, issue ? weekSentence(issue, weekRule, w) : sentenceOf(mistake, row, w)];
    }),
  );
