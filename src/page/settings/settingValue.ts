import type { SettingRow as Row } from '../../api/answers.ts';
import { isRecord } from '../../shared/json.ts';

/** The value of a setting as text for its field. */
export const textOfValue = ({ value, format }: Pick<Row, 'value' | 'format'>): string => {
  if (value === null || value === undefined) return '';
  if (format === 'list' && Array.isArray(value) && !value.some((one) => isRecord(one) || String(one).includes(',')))
    return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

const entryText = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(entryText).join(', ')}]`;
  if (!isRecord(value)) return String(value);
  return Object.entries(value)
    .map(([key, one]) => `${key}: ${entryText(one)}`)
    .join(', ');
};

/** The value of a setting as lines: one per device or profile. */
export const linesOfValue = (row: Pick<Row, 'value' | 'format'>): readonly string[] => {
  const { value, format } = row;
  if (format === 'devices' && Array.isArray(value)) return value.map(entryText);
  if (format === 'profiles' && isRecord(value)) return Object.entries(value).map(([name, week]) => `${name}: ${entryText(week)}`);
  return [textOfValue(row)];
};

/** Parses the text of a field; null means the default. */
export const valueOfText = (text: string, { format }: Pick<Row, 'format'>): unknown => {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (format === 'flag') return trimmed === 'true';
  // The server splits it, by the commas of the setting; a comma with nothing beside it is not meant.
  if (format === 'list' && !trimmed.startsWith('['))
    return trimmed
      .split(',')
      .flatMap((part) => part.trim() || [])
      .join(', ');
  // The decimal keyboard of a German phone has a comma, but no point.
  if (format === 'number') return trimmed.replace(/^([+-]?\d+),(\d+)$/u, '$1.$2');
  return trimmed;
};

/** True if the name or meaning of a setting has all words of the search. */
export const fitsSearch = ({ path, doc }: Pick<Row, 'path' | 'doc'>, search: string): boolean => {
  const all = `${path} ${doc}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
};
