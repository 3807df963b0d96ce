import type { Browser, Page } from 'playwright-core';
import { DAYS, weekOf } from '../src/schedule/week.ts';
import { startEditors } from '../test/support/browser/editorPage.ts';
import { alternate, type Figures } from './figures.ts';
import { median, quantile } from './world.ts';

/** What a move of the pointer costs while an entry of a full week is dragged. */

const MOVES = 60;
const COUNTED = ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'];
const ENTRIES = 8;

const two = (value: number): string => String(value).padStart(2, '0');

/** Seven different days with eight entries each. */
const FULL = weekOf((day) =>
  Array.from({ length: ENTRIES }, (_, at) => ({
    start: `${two(at * 3)}:${DAYS.indexOf(day)}0`.replace(':60', ':50'),
    end: `${two(at * 3 + 1)}:${DAYS.indexOf(day) === 6 ? 20 : 30}`,
    mode: at % 2 === 0 ? 'normal' : 'comfort',
    position: at,
  })),
);

type Cost = { readonly median: number; readonly p95: number };

/** Moves the pointer with the button pressed; script, style and layout of each move, in milliseconds. */
const costOfMoves = async (page: Page, x: number, y: number): Promise<Cost> => {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  const spent = async (): Promise<number> => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return metrics.filter(({ name }) => COUNTED.includes(name)).reduce((sum, { value }) => sum + value * 1000, 0);
  };
  await page.mouse.move(x, y);
  await page.mouse.down();
  const costs: number[] = [];
  for (let move = 1; move <= MOVES; move += 1) {
    const before = await spent();
    await page.mouse.move(x + (move % 20) * 3, y);
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
    costs.push((await spent()) - before);
  }
  await page.mouse.up();
  return { median: quantile(costs, 0.5), p95: quantile(costs, 0.95) };
};

const dragInEditor = async (browser: Awaited<ReturnType<typeof startEditors>>): Promise<Cost> => {
  const { page } = await browser.open({ week: FULL, constraints: { modes: ['normal', 'comfort'], resolution: 10 } });
  try {
    await page.locator('[data-cell="wed:3"]').click();
    const box = await page.locator('.handle.end').boundingBox();
    if (!box) throw new Error('no handle is shown');
    return await costOfMoves(page, box.x + box.width / 2, box.y + box.height / 2);
  } finally {
    await page.context().close();
  }
};

/** As many boxes as there are entries, of which one follows the pointer. */
const BOXES = `<style>div { position: absolute; height: 30px; }</style>
${DAYS.map((day, row) => Array.from({ length: ENTRIES }, (_, at) => `<div style="left:${at * 140}px;top:${row * 40}px;width:60px">${day}</div>`).join('')).join('\n')}
<script>
  const box = document.querySelectorAll('div')[${2 * ENTRIES + 3}];
  addEventListener('pointermove', ({ clientX, buttons }) => { if (buttons) box.style.width = clientX - 420 + 'px'; });
</script>`;

const dragBox = async (browser: Browser): Promise<Cost> => {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.setContent(BOXES);
    return await costOfMoves(page, 480, 95);
  } finally {
    await context.close();
  }
};

/** A drag in the editor beside one of a box on a page of as many boxes. */
export const costOfDrag = async (rounds: number, figures: Figures, browser: Browser): Promise<void> => {
  const editors = await startEditors();
  try {
    const [editor, box] = await alternate(
      rounds,
      () => dragInEditor(editors),
      () => dragBox(browser),
    );
    for (const [key, most] of [
      ['median', 4],
      ['p95', 8],
    ] as const) {
      const of = (costs: readonly Cost[]): number => median(costs.map((cost) => cost[key]));
      const name = `script, style, layout of a move, 7 × 8 entries dragged, ${key}`;
      figures.add({ name, value: of(editor), floor: of(box), limit: { most }, unit: 'ms' });
    }
  } finally {
    await editors.close();
  }
};
