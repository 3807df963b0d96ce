import { describe, expect, test } from 'vitest';
import { openLivePage } from '../../support/browser/livePage.ts';

const WATER = 'heating2mqtt/home/heating/dhw/temperature/main/value';
const PHONE = { viewport: { width: 320, height: 700 } };

/** How many points of the drawing have a colour. */
const inked = `[...document.querySelectorAll('.plot canvas')].map((canvas) =>
  canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.filter((value, index) => index % 4 === 3 && value > 0).length)`;

describe('charts', () => {
  test('a card leads to its chart, with the modes of its schedule behind it; nothing is refused', async () => {
    const { page, axe, wrong } = await openLivePage();
    await page.getByRole('link', { name: 'Chart, Hot water' }).click();
    await page.getByRole('heading', { name: 'Chart: Hot water' }).waitFor();
    await expect.poll(async () => Number(((await page.evaluate(inked)) as number[])[0]), { timeout: 15_000 }).toBeGreaterThan(500);
    await page.getByText('The background shows what the schedule asked for.').waitFor();
    await page.getByRole('button', { name: '7 days' }).click();
    await page.locator('[aria-pressed="true"]').getByText('7 days').waitFor();
    await page.getByText('As a table').click();
    await page.getByRole('row').nth(1).waitFor();
    expect(await axe()).toEqual([]);
    expect(await wrong()).toEqual([]);
  });

  test('keep the colour of their line with forced colours, as their legend does', async () => {
    const { page } = await openLivePage({ hash: `#/chart/${encodeURIComponent(WATER)}`, colorScheme: 'light', forcedColors: 'active' });
    await page.locator('.plot canvas').waitFor();
    const colours = () =>
      page.evaluate(`(() => {
        const canvas = document.querySelector('.plot canvas');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return [...new Set(Array.from({ length: data.length / 4 }, (_, at) => data.slice(4 * at, 4 * at + 4).join(' ')))];
      })()`);
    await expect.poll(colours).toContain('178 60 10 255');
  });

  test('that cannot be read are asked for once, and again in the next minute', async () => {
    const asked: string[] = [];
    const { page } = await openLivePage({
      hash: `#/chart/${encodeURIComponent(WATER)}`,
      before: async (opened) => {
        await opened.clock.install();
        await opened.route('**/api/history?*', (route) => {
          asked.push(route.request().url());
          return route.abort();
        });
      },
    });
    await page.getByRole('alert').getByText('The values cannot be read now.').waitFor();
    await page.clock.runFor(2000);
    expect(asked).toEqual([...new Set(asked)]);
    await page.unroute('**/api/history?*');
    await page.clock.runFor(65_000);
    await page.locator('.plot canvas').waitFor();
  });

  test('begin with small lines of the last day, each the way to its chart', async () => {
    const { page, axe, wrong } = await openLivePage({ hash: '#/chart' });
    const small = page.locator('.glimpses a');
    await small.filter({ hasText: 'Outside temperature' }).locator('path[d^=M]').waitFor({ state: 'attached' });
    expect(await small.count()).toBeGreaterThan(4);
    expect(await page.locator('.glimpses path[fill][d^=M]').count()).toBeGreaterThan(0);
    expect(await axe()).toEqual([]);
    await small.filter({ hasText: 'Outside temperature' }).click();
    await page.getByRole('heading', { name: 'Chart: Outside temperature' }).waitFor();
    expect(await wrong()).toEqual([]);
  });

  test('whose small lines were loaded are shown at the next visit without being loaded again, for five minutes', async () => {
    const asked: string[] = [];
    let answered = 0;
    const isHistory = (one: { url(): string }): boolean => one.url().includes('api/history?');
    const { page } = await openLivePage({
      hash: '#/chart',
      before: async (opened) => {
        await opened.clock.install({ time: new Date('2026-11-21T12:01:00Z') });
        opened.on('request', (request) => void (isHistory(request) && asked.push(request.url())));
        opened.on('response', (response) => {
          answered += Number(isHistory(response));
        });
      },
    });
    const drawn = page.locator('.glimpses a').filter({ hasText: 'Outside temperature' }).locator('path[d^=M]');
    const visit = async (): Promise<void> => {
      await page.evaluate("location.hash = '#/chart'");
      await drawn.waitFor({ state: 'attached' });
      // The others may come after it.
      await expect.poll(() => answered).toBe(asked.length);
      await page.evaluate("location.hash = '#/log'");
      await drawn.waitFor({ state: 'detached' });
    };
    await visit();
    const first = asked.length;
    expect(first).toBeGreaterThan(2);
    await visit();
    expect(asked).toHaveLength(first);
    await page.clock.runFor(301_000);
    await visit();
    expect(asked).toHaveLength(2 * first);
  });

  test('the list names what belongs to a circuit or a room by its card, all else by itself', async () => {
    const { page } = await openLivePage({ hash: '#/chart' });
    await page.getByRole('link', { name: 'Hot water · Target temperature', exact: true }).waitFor();
    const names = await page.locator('.chart-list a').allTextContents();
    expect(names).toContain('Outside temperature');
    expect(names.filter((name) => /^(?:\d|Circuits \d|Dhw|Rooms \d)/.test(name))).toEqual([]);
  });

  test('what changed is drawn', async () => {
    const { page, system, web } = await openLivePage();
    await system.recorder.publish(`${WATER}/set`, '53');
    await system.recorder.untilTopic(WATER, '53');
    await page.goto(`http://127.0.0.1:${web.port}/#/chart/${encodeURIComponent(WATER)}`);
    await page.locator('.summary').getByText('Highest').waitFor();
    expect(await page.locator('.summary').textContent()).toContain('53');
  });

  test('each mode has its colour behind the values', async () => {
    const now = Date.now();
    const from = now - 86_400_000;
    const { page } = await openLivePage({
      hash: `#/chart/${encodeURIComponent('heating2mqtt/home/heating/circuits/0/climate/current')}`,
      before: (opened) =>
        opened.route('**/api/history*', (route) => {
          const topic = new URL(route.request().url()).searchParams.get('topic') ?? '';
          const modes = [
            [from, 'reduced'],
            [from + 43_200_000, 'comfort'],
          ];
          return route.fulfill({ json: { topic, kept: 14, now, since: from, points: topic.endsWith('/now') ? modes : [[from, 20]] } });
        }),
    });
    await page.locator('.plot canvas').waitFor();
    const colourAt = async (part: number): Promise<string> =>
      String(
        await page.evaluate(`(() => {
          const canvas = document.querySelector('.plot canvas');
          const over = document.querySelector('.u-over').getBoundingClientRect();
          const place = canvas.getBoundingClientRect();
          const scale = canvas.width / place.width;
          const x = (over.left - place.left + over.width * ${part}) * scale;
          return canvas.getContext('2d').getImageData(x, (over.top - place.top + 8) * scale, 1, 1).data.slice(0, 3).join(' ');
        })()`),
      );
    // Blue is the greatest part of the one, red of the other.
    const isBlue = async (part: number): Promise<boolean | undefined> => {
      const [red = 0, , blue = 0] = (await colourAt(part)).split(' ').map(Number);
      return red === blue ? undefined : blue > red;
    };
    await expect.poll(async () => [await isBlue(0.23), await isBlue(0.77)]).toEqual([true, false]);
  });

  test('sums are bars, in the dark and on a phone', async () => {
    const { page, axe, wrong, overflow } = await openLivePage({ hash: '#/chart', colorScheme: 'dark', ...PHONE });
    await page.getByRole('heading', { name: 'Energy and consumption' }).waitFor();
    expect(await overflow()).toBe(0);
    await page.getByRole('link', { name: 'Power consumption total', exact: true }).click();
    await expect.poll(() => page.evaluate(inked), { timeout: 15_000 }).toEqual([expect.any(Number)]);
    await page.getByRole('button', { name: 'Months' }).click();
    await page.getByText('As a table').click();
    await page.getByRole('rowheader').first().waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(13);
    expect(await overflow()).toBe(0);
    expect(await axe()).toEqual([]);
    expect(await wrong()).toEqual([]);
  });
});
