import fc from 'fast-check';
import type { Entry } from '../../../src/schedule/week.ts';

/** An entry as people say it: `06:00-08:00 normal`. */
export const entry = (text: string, position: number): Entry => {
  const [times = '', mode = ''] = text.split(' ');
  const [start = '', end = ''] = times.split('-');
  return { start, end, mode, position };
};

const hour = (hours: number): string => `${String(hours).padStart(2, '0')}:00`;

/** Any day of up to six entries on whole hours, overlapping at will, positions as the platform counts them. */
export const someDay: fc.Arbitrary<Entry[]> = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 1, max: 8 }), fc.constantFrom('normal', 'comfort')), { maxLength: 6 })
  .map((entries) =>
    entries.map(([start, hours, mode], position) => ({ start: hour(start), end: hour(Math.min(start + hours, 24)), mode, position })),
  );
