import type { SettingRow as Row } from '../../api/answers.ts';

/** The value of a setting as it stands in its field. */
export const textOfValue = ({ value, format }: Pick<Row, 'value' | 'format'>): string => {
  if (value === null || value === undefined) return '';
  if (format === 'list' && Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/** What is written for the text of a field; null for the default. */
export const valueOfText = (text: string, { format }: Pick<Row, 'format'>): unknown => {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (format === 'flag') return trimmed === 'true';
  if (format === 'list')
    return trimmed
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  return trimmed;
};

/** True where all words of the search are in the name or the meaning of a setting. */
export const fitsSearch = ({ path, doc }: Pick<Row, 'path' | 'doc'>, search: string): boolean => {
  const all = `${path} ${doc}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
};
