import { expect, test } from 'vitest';
import { duringFile } from '../../support/browser/duringFile.ts';
import { entries, startEditors, week } from '../../support/browser/editorPage.ts';

const browser = duringFile(startEditors);

const PHONE = { viewport: { width: 320, height: 640 }, hasTouch: true } as const;
const BEFORE = week({ sat: '08:00-22:00 normal', sun: '08:00-22:00 normal' });
const DAY = entries('06:00-08:00 normal, 17:00-22:00 comfort');
/** What every way has to send. */
const SAVED = { week: { mon: DAY, tue: DAY, wed: DAY, thu: DAY, fri: DAY } };

test('by keys alone', async () => {
  const editor = await browser.open({ week: BEFORE });
  const { page } = editor;
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await editor.tabTo('Mon–Fri');
  await press('End', 'Enter');
  await expect.poll(() => editor.focused()).toContain('06:00–07:00 Normal, Monday to Friday');
  await press('Tab', 'Tab');
  expect(await editor.focused()).toBe('End');
  await press('PageUp', 'Escape', 'ArrowRight', 'Enter');
  await expect.poll(() => editor.focused()).toContain('08:00–09:00 Normal');
  await press('Tab', 'Tab', 'End', 'PageDown', 'PageDown', 'Shift+Tab');
  expect(await editor.focused()).toBe('Start');
  for (let hour = 8; hour < 17; hour += 1) await press('ArrowRight', 'PageUp', 'ArrowLeft');
  await editor.tabTo('Normal');
  await press('ArrowRight');
  await expect.poll(() => page.getByRole('gridcell').getByRole('button', { name: '17:00–22:00 Comfort' }).count()).toBe(1);
  await press('Escape');
  await editor.tabTo('Save');
  await press('Enter');
  await editor.tabTo('Save now');
  await press('Enter');
  expect(await editor.saved()).toEqual(SAVED);
});

test('by taps alone, on a phone', async () => {
  const editor = await browser.open({ week: BEFORE }, PHONE);
  const { page } = editor;
  const tapLane = async (minutes: number): Promise<void> => {
    await page.locator('.lane').scrollIntoViewIfNeeded();
    await page.evaluate(`scrollBy(0, ${(await editor.pointAt('mon', minutes)).y - 200})`);
    const { x, y } = await editor.pointAt('mon', minutes);
    await page.touchscreen.tap(x, y);
  };
  await tapLane(6 * 60 + 10);
  for (let step = 0; step < 6; step += 1) await editor.button('To later').tap();
  await editor.button('Done').tap();
  await tapLane(17 * 60 + 5);
  for (let step = 0; step < 24; step += 1) await editor.button('To later').tap();
  await page.locator('.choices').getByText('Comfort').tap();
  await editor.button('Done').tap();
  await editor.button('Save').tap();
  await editor.button('Save now').tap();
  expect(await editor.saved()).toEqual(SAVED);
});

test.each([
  ['on a phone', PHONE],
  ['on a wide tablet', { viewport: { width: 1100, height: 800 }, hasTouch: true }],
])('by dragging with a finger, %s', async (_, screen) => {
  const start = week({ sat: '08:00-22:00 normal', sun: '08:00-22:00 normal' }, '05:00-06:00 normal, 17:00-18:00 comfort');
  const editor = await browser.open({ week: start }, screen);
  const { page } = editor;
  const isUpright = screen.viewport.width < 700;
  const show = async (minutes: number): Promise<void> => {
    if (isUpright) await page.evaluate(`scrollBy(0, ${(await editor.pointAt('mon', minutes)).y - 120})`);
  };
  const drag = async (part: string, from: number, by: number): Promise<void> => {
    await show(from);
    const box = await page
      .locator(part === 'move' && isUpright ? '.grip' : part === 'move' ? '.entry.open .face' : `.handle.${part}`)
      .boundingBox();
    if (!box) throw new Error(part);
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const a = await editor.pointAt('mon', from);
    const b = await editor.pointAt('mon', from + by);
    await editor.swipe(middle, { x: middle.x + (b.x - a.x), y: middle.y + (b.y - a.y) });
  };
  await editor.entry('05:00–06:00 Normal').tap();
  await drag('move', 5 * 60, 60);
  await expect.poll(() => editor.entry('06:00–07:00 Normal').count()).toBe(1);
  await drag('end', 6 * 60, 60);
  await expect.poll(() => editor.entry('06:00–08:00 Normal').count()).toBe(1);
  await editor.button('Done').tap();
  await editor.entry('17:00–18:00 Comfort').tap();
  await drag('end', 17 * 60, 120);
  await drag('end', 17 * 60, 120);
  await expect.poll(() => editor.entry('17:00–22:00 Comfort').count()).toBe(1);
  await editor.button('Done').tap();
  await editor.button('Save').tap();
  await editor.button('Save now').tap();
  expect(await editor.saved()).toEqual(SAVED);
});

test('by mouse: drawn, moved and resized', async () => {
  const editor = await browser.open({ week: BEFORE });
  const { page } = editor;
  const drag = async (from: number, to: number): Promise<void> => {
    const [a, b] = [await editor.pointAt('mon', from), await editor.pointAt('mon', to)];
    await page.mouse.move(a.x, a.y);
    await page.mouse.down();
    await page.mouse.move((a.x + b.x) / 2, a.y, { steps: 3 });
    await page.mouse.move(b.x, b.y, { steps: 3 });
    await page.mouse.up();
  };
  await drag(5 * 60 + 2, 6 * 60 + 55);
  await expect.poll(() => editor.entry('05:00–07:00 Normal').count()).toBe(1);
  await drag(6 * 60, 7 * 60);
  await expect.poll(() => editor.entry('06:00–08:00 Normal').count()).toBe(1);
  // A closed entry too, at its ends as well.
  await page.keyboard.press('Escape');
  await drag(8 * 60 - 4, 9 * 60 - 4);
  await expect.poll(() => editor.entry('06:00–09:00 Normal').count()).toBe(1);
  await page.keyboard.press('Escape');
  await drag(7 * 60, 6 * 60);
  await expect.poll(() => editor.entry('05:00–08:00 Normal').count()).toBe(1);
  await page.keyboard.press('Escape');
  await drag(5 * 60 + 4, 6 * 60 + 4);
  await expect.poll(() => editor.entry('06:00–08:00 Normal').count()).toBe(1);
  await page.keyboard.press('Escape');
  await drag(17 * 60 + 2, 21 * 60 + 55);
  await expect.poll(() => editor.entry('17:00–22:00 Normal').count()).toBe(1);
  await page.getByRole('radio', { name: 'Comfort' }).check({ force: true });
  expect(await editor.save()).toEqual(SAVED);
});

test('by text', async () => {
  const editor = await browser.open({ week: BEFORE });
  await editor.page.getByText('As text', { exact: true }).click();
  await editor.page.getByRole('textbox').fill('Mo-Fr 6-8 normal, 17:00-22:00 Comfort\nwochenende 8-22 normal');
  await expect.poll(() => editor.entry('17:00–22:00 Comfort').count()).toBe(1);
  expect(await editor.save()).toEqual(SAVED);
});
