import { DAYS, weekOf } from '../src/schedule/week.ts';
import { EditorBrowser } from '../test/support/browser/editorPage.ts';
import { quantile } from './world.ts';

const MOVES = 60;
const COUNTED = ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'];

const two = (value: number): string => String(value).padStart(2, '0');

/** Seven different days with eight entries each. */
const FULL = weekOf((day) =>
  Array.from({ length: 8 }, (_, at) => ({
    start: `${two(at * 3)}:${DAYS.indexOf(day)}0`.replace(':60', ':50'),
    end: `${two(at * 3 + 1)}:${DAYS.indexOf(day) === 6 ? 20 : 30}`,
    mode: at % 2 === 0 ? 'normal' : 'comfort',
    position: at,
  })),
);

/** What a move of the pointer costs while an entry of a full week is dragged: script, style and layout, in milliseconds. */
export const editorDrag = async (): Promise<{ readonly median: number; readonly p95: number }> => {
  const browser = await EditorBrowser.start();
  try {
    const editor = await browser.open({ week: FULL, constraints: { modes: ['normal', 'comfort'], resolution: 10 } });
    const { page } = editor;
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Performance.enable');
    const spent = async (): Promise<number> => {
      const { metrics } = await devtools.send('Performance.getMetrics');
      return metrics.filter(({ name }) => COUNTED.includes(name)).reduce((sum, { value }) => sum + value * 1000, 0);
    };
    await page.locator('[data-cell="wed:3"]').click();
    const box = await page.locator('.handle.end').boundingBox();
    if (!box) throw new Error('no handle is shown');
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    const costs: number[] = [];
    for (let move = 1; move <= MOVES; move += 1) {
      const before = await spent();
      await page.mouse.move(x + (move % 20) * 3, y);
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
      costs.push((await spent()) - before);
    }
    return { median: quantile(costs, 0.5), p95: quantile(costs, 0.95) };
  } finally {
    await browser.close();
  }
};
