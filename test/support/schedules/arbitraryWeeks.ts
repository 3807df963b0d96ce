import fc from 'fast-check';
import { type Day, type Entry, type Week, weekOf } from '../../../src/schedule/week.ts';

const two = (n: number): string => String(n).padStart(2, '0');
const clock = (minutes: number): string => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;

/** Modes as they were recorded, and as nobody has seen them. */
export const someMode: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('normal', 'comfort', 'on', '5/25-cycles', 'temp-2', 'top', 'levelThree'),
  fc.constantFrom(
    'none',
    'until',
    'for',
    'mon',
    'a, b',
    'x;y',
    '50%',
    'a%20b',
    'two words',
    'dots...',
    '…',
    '06:00-07:00',
    'ü ñ',
    '-',
    '"',
    '{',
  ),
  fc.string({ unit: 'grapheme', minLength: 1 }).filter((mode) => mode.isWellFormed()),
);

/** Times as the platform may have them: mostly right, now and then on no grid, over midnight, or not written with four digits. */
const someSpan: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.nat(1439), fc.nat(1440)).map(([a, b]) => [clock(Math.min(a, b)), clock(Math.max(a, b))] as const) },
  { weight: 1, arbitrary: fc.tuple(fc.nat(1440), fc.nat(1440)).map(([a, b]) => [clock(a), clock(b)] as const) },
  { weight: 1, arbitrary: fc.constantFrom(['6:00', '7:30'] as const, ['06:00:00', '22:00:00'] as const, ['00:00', '00:00'] as const) },
);

/** Any day that a platform could show, with holes in its positions and out of order. */
export const platformDay: fc.Arbitrary<readonly Entry[]> = fc.array(
  fc
    .record({ span: someSpan, mode: someMode, position: fc.nat(30) })
    .map(({ span: [start, end], mode, position }) => ({ start, end, mode, position })),
  { maxLength: 6 },
);

/** Any week that a platform could show; days are often alike. */
export const platformWeek: fc.Arbitrary<Week> = fc
  .tuple(fc.array(platformDay, { minLength: 1, maxLength: 3 }), fc.array(fc.nat(2), { minLength: 7, maxLength: 7 }))
  .map(([days, picks]) => {
    const order: readonly Day[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
    return weekOf((day) => days[(picks[order.indexOf(day)] ?? 0) % days.length] ?? []);
  });
