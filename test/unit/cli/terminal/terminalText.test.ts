import { afterEach, describe, expect, it, vi } from 'vitest';
import { wrapText } from '../../../../src/cli/terminal/terminalText.ts';
import { weekOf } from '../../../../src/schedule/week.ts';
import { printable } from '../../../../src/shared/log.ts';

describe('text on a terminal', () => {
  it('shows nothing that steers a terminal', () => {
    expect(printable('a\u001b[2J\u0007\nb\u202ec\u2028d')).toBe('a�[2J��b�c�d');
    expect(printable('Wärme 暖房 👨‍👩‍👧')).toBe('Wärme 暖房 👨‍👩‍👧');
  });

  it('wraps at 80 columns behind an indent, and leaves a longer word whole, so that it can be copied', () => {
    const lines = wrapText(`${'word '.repeat(30)}${'x'.repeat(200)}`, '  - ');
    for (const line of lines.slice(0, -1)) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines[0]?.slice(0, 9)).toBe('  - word ');
    expect(lines[1]?.slice(0, 9)).toBe('    word ');
    expect(lines.at(-1)).toBe(`    ${'x'.repeat(200)}`);
    expect(wrapText('', 'a ')).toEqual(['a ']);
  });
});

describe('a terminal of 40 columns', () => {
  const { columns } = process.stdout;

  afterEach(() => {
    process.stdout.columns = columns;
    vi.resetModules();
  });

  it('gets each line of settings and check within it, words as long as a name or an address aside', async () => {
    process.stdout.columns = 40;
    vi.resetModules();
    const { settings } = await import('../../../../src/cli/settings.ts');
    const { printReport } = await import('../../../../src/cli/check/report.ts');
    let shown = '';
    const out = (text: string): void => {
      shown += `${text}\n`;
    };
    const io = { env: { NO_COLOR: '1' }, out, isTTY: true };
    settings('table', { env: { HEATING2MQTT_PLATFORM_CLIENT_ID: 'x' }, cwd: '/' }, io);
    const report = printReport(io);
    report('ok', 'broker', `${'word '.repeat(30)}end`);
    report('FAIL', 'login', 'it is over');
    expect(shown).toMatch(/^mqtt\.url\n {4}default: mqtt:\/\/localhost:1883\n {4}HEATING2MQTT_MQTT_URL\n {4}Address of the broker/m);
    expect(shown).toMatch(/\n {4}Set by\n {4}HEATING2MQTT_PLATFORM_CLIENT_ID\.\n/);
    expect(shown).toMatch(/\n✓ broker: word .*\n {2}word (?:.*\n)*✗ login: it is over\n$/);
    const wide = shown.split('\n').filter((line) => line.length > 40);
    expect(wide.filter((line) => line.trim().includes(' '))).toEqual([]);
  });

  it('gets lines of 40, and a week of a column for each hour', async () => {
    process.stdout.columns = 40;
    vi.resetModules();
    const narrow = await import('../../../../src/cli/terminal/terminalText.ts');
    for (const line of narrow.wrapText('word '.repeat(30), '  - ')) expect(line.length).toBeLessThanOrEqual(40);
    const { drawWeek } = await import('../../../../src/cli/schedule/chart.ts');
    const week = weekOf(() => [{ start: '06:30', end: '22:00', mode: 'normal', position: 0 }]);
    const now = { day: 'tue', minute: 13 * 60 } as const;
    expect(drawWeek({ week, modes: ['normal'], defaultMode: 'reduced', now }, false).slice(0, 4)).toEqual([
      '                  V',
      '     00 03 06 09 12 15 18 21 24',
      ' mon ....../nnnnnnnnnnnnnnn..',
      '>tue ....../nnnnnnnnnnnnnnn..',
    ]);
  });
});
