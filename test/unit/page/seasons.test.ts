import { expect, test } from 'vitest';
import { seasonText } from '../../../src/language/versions/seasonText.ts';

const formats = { degrees: (celsius: number) => `${celsius} °C`, moment: (at: string) => at.slice(0, 10) };

test('a schedule says its season, and before the first one the coming one alone', () => {
  const coming = { season: null, next: 'winter', next_at: '2026-01-12T15:45:25+01:00' };
  expect(seasonText(coming, 'en', formats)).toBe('This schedule follows the seasons; its winter week comes 2026-01-12.');
  expect(seasonText({ season: 'summer', mean: 18, limit: 16 }, 'de', formats)).toBe(
    'Dieser Zeitplan folgt den Jahreszeiten; jetzt ist Sommer; außen im Mittel 18 °C, Grenze 16 °C.',
  );
});
