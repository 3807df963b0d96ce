import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Chart, drawWeek } from '../../../../src/cli/schedule/chart.ts';
import { type Week, weekOf } from '../../../../src/schedule/week.ts';
import { day } from '../../../support/schedules/weeks.ts';

const week = (texts: Partial<Record<keyof Week, string>>): Week => weekOf((name) => day(texts[name] ?? ''));
const HEATING = { modes: ['normal', 'comfort'], defaultMode: 'standby' };

const bars = (chart: Chart): readonly string[] =>
  drawWeek(chart, false).filter((line) => /^[ >](?:mon|tue|wed|thu|fri|sat|sun) /.test(line));

describe('a week as a chart', () => {
  it('has a column for each half hour, hours above, a legend below, and marks now', () => {
    const chart = drawWeek(
      {
        week: week({ mon: '06:00-08:30 normal, 17:00-22:00 comfort', sun: '00:00-24:00 normal' }),
        ...HEATING,
        now: { day: 'sun', minute: 17 * 60 + 29 },
      },
      false,
    );
    expect(`\n${chart.join('\n')}`).toBe(`
                                       V
     00    03    06    09    12    15    18    21    24
 mon ............nnnnn.................cccccccccc....
 tue ................................................
 wed ................................................
 thu ................................................
 fri ................................................
 sat ................................................
>sun nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn
     n normal   c comfort   . standby (otherwise)   V now`);
  });

  it('marks half hours in which the mode changes, draws the mode of most of them, and tells the exact times', () => {
    const fine = week({ mon: '06:10-08:20 normal, 12:05-12:15 comfort' });
    const lines = drawWeek({ week: fine, ...HEATING }, false);
    expect(lines[1]).toBe(' mon ............/nnn/......./.......................');
    expect(lines.slice(8)).toEqual([
      '     n normal   c comfort   . standby (otherwise)',
      '     / changes within the half hour',
      '     exact times: mon 06:10-08:20 normal, 12:05-12:15 comfort; tue-sun none',
    ]);
    const [monday = ''] = drawWeek({ week: fine, ...HEATING }, true).slice(1);
    // 06:10 to 06:30 is most of its half hour, 08:00 to 08:20 too, 12:05 to 12:15 is not.
    expect(monday).toContain('/nnn/\u001b');
    expect(monday).toContain('·······/·');
  });

  it('draws the highest position where entries overlap, and says so', () => {
    const overlapping = week({ sat: '06:00-22:00 normal, 07:00-08:00 comfort', sun: '07:00-08:00 comfort, 06:00-09:00 normal' });
    const lines = drawWeek({ week: overlapping, ...HEATING }, false);
    expect(lines[6]).toBe(` sat ${'.'.repeat(12)}nncc${'n'.repeat(28)}....`);
    expect(lines[7]).toBe(` sun ${'.'.repeat(12)}nnnnnn${'.'.repeat(30)}`);
    expect(lines.at(-1)).toBe('     Entries overlap on sat, sun: the highest position is drawn.');
    expect(drawWeek({ week: week({ sat: '06:00-00:00 normal, 07:00-08:00 comfort' }), ...HEATING }, false).at(-1)).toContain(
      'overlap on sat:',
    );
    expect(drawWeek({ week: week({ sat: '06:00-08:00 normal, 08:00-09:00 comfort' }), ...HEATING }, false).join()).not.toContain('overlap');
  });

  it('leaves blank what no mode is asked for, and takes 00:00 as an end for 24:00', () => {
    expect(bars({ week: week({ mon: '23:00-00:00 on' }) })[0]).toBe(` mon ${' '.repeat(46)}oo`);
  });

  it('goes over 80 columns for a long mode alone, and lets nothing steer the terminal, whatever the modes and times', () => {
    const mode = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 90 }),
      fc.constantFrom('\u001b[31m', '暖房暖房', '👨‍👩‍👧', 'e\u0301', '\u202e'),
    );
    const minute = fc.integer({ min: 0, max: 1440 });
    const time = minute.map((at) => `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`);
    const entry = fc.record({ start: time, end: time, mode, position: fc.nat(5) });
    const chart = fc.record({
      week: fc.array(entry, { maxLength: 6 }).map((entries) => weekOf(() => entries)),
      modes: fc.array(mode, { maxLength: 8 }),
      defaultMode: fc.option(mode, { nil: undefined }),
      now: fc.record({ day: fc.constantFrom('mon' as const, 'sun' as const), minute: fc.integer({ min: 0, max: 1439 }) }),
    });
    fc.assert(
      fc.property(chart, (drawn) => {
        const lines = drawWeek(drawn, false);
        const modes = [drawn.defaultMode ?? '', ...drawn.modes, ...Object.values(drawn.week).flatMap((day) => day.map((one) => one.mode))];
        const longest = Math.max(...modes.map((one) => one.length));
        for (const line of lines) {
          expect(line.length).toBeLessThanOrEqual(Math.max(80, longest + 25));
          expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
        }
        expect(bars(drawn).map((bar) => bar.length)).toEqual(Array.from({ length: 7 }, () => 53));
        const coloured = stripVTControlCharacters(drawWeek(drawn, true).join('\n'));
        expect(coloured.replaceAll('·', '.').replaceAll('▼', 'V')).toBe(lines.join('\n').replaceAll('·', '.').replaceAll('▼', 'V'));
      }),
    );
  });
});
