import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConstraints } from '../../../src/schedule/constraints.ts';
import { readWeek } from '../../../src/schedule/readWeek.ts';
import { DAYS } from '../../../src/schedule/week.ts';
import { EditorBrowser, entries, week } from '../../support/browser/editorPage.ts';
import { leastOf } from '../../support/devices/recordedDevices.ts';
import { recordedFeatures } from '../../unit/features/recordedRecords.ts';

let browser: EditorBrowser;
beforeAll(async () => {
  browser = await EditorBrowser.start();
});
afterAll(() => browser.close());

const PHONE = { viewport: { width: 320, height: 640 }, hasTouch: true } as const;

test('a finger that scrolls changes nothing', async () => {
  const editor = await browser.open({ week: week({}, '02:00-12:00 normal, 12:00-22:00 comfort') }, PHONE);
  const { page } = editor;
  const scrolled = async (): Promise<number> => Number(await page.evaluate('scrollY'));
  // Over an entry, over free time, and over the open entry.
  await editor.swipe(await editor.pointAt('mon', 300), { x: 150, y: 60 });
  const first = await scrolled();
  expect(first).toBeGreaterThan(50);
  await page.evaluate('scrollTo(0, 0)');
  await editor.swipe(await editor.pointAt('mon', 30), { x: 150, y: 60 });
  await expect.poll(scrolled).toBeGreaterThan(50);
  await page.evaluate('scrollTo(0, 0)');
  await editor.entry('02:00–12:00').tap();
  await page.evaluate('scrollTo(0, 0)');
  const at = await editor.pointAt('mon', 160);
  await editor.swipe(at, { x: at.x, y: at.y - 150 });
  await expect.poll(scrolled).toBeGreaterThan(50);
  expect(await editor.entry('02:00–12:00').count()).toBe(1);
  await editor.button('Done').tap();
  expect(await page.locator('.save-bar').count()).toBe(0);
  await editor.close();
});

test('Escape puts back what is dragged; one drag is one step of undo', async () => {
  const editor = await browser.open({ week: week({}, '06:00-08:00 normal, 10:00-12:00 comfort') });
  const { page } = editor;
  await editor.entry('06:00–08:00').click();
  const dragEnd = async (to: number): Promise<void> => {
    const box = await page.locator('.handle.end').boundingBox();
    if (!box) throw new Error('no handle');
    await page.mouse.move(box.x + 20, box.y + 20);
    await page.mouse.down();
    await page.mouse.move((await editor.pointAt('mon', to)).x, box.y + 20, { steps: 5 });
  };
  await dragEnd(9 * 60);
  await expect.poll(() => page.locator('.bubble').innerText()).toMatch(/^06:00–0[89]/u);
  await page.keyboard.press('Escape');
  await page.mouse.up();
  expect(await editor.entry('06:00–08:00').count()).toBe(1);
  // It stops at its neighbour.
  await dragEnd(14 * 60);
  await page.mouse.up();
  await expect.poll(() => editor.entry('06:00–10:00').count()).toBe(1);
  await page.keyboard.press('Control+z');
  await expect.poll(() => editor.entry('06:00–08:00').count()).toBe(1);
  await page.keyboard.press('Control+Shift+z');
  await expect.poll(() => editor.entry('06:00–10:00').count()).toBe(1);
  await editor.close();
});

test('Escape also ends the drawing of a new entry; the click at its end adds none', async () => {
  const editor = await browser.open({ week: week({}) });
  const { page } = editor;
  const [from, to] = [await editor.pointAt('mon', 600), await editor.pointAt('mon', 700)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await expect.poll(() => page.locator('.ghost').count()).toBe(1);
  await page.keyboard.press('Escape');
  await expect.poll(() => page.locator('.ghost').count()).toBe(0);
  await page.mouse.up();
  expect(await page.locator('.entry').count()).toBe(0);
  await page.mouse.click(from.x, from.y);
  await expect.poll(() => editor.entry('10:00–11:00').count()).toBe(1);
  await editor.close();
});

test('keys go through the whole week', async () => {
  const editor = await browser.open({ week: week({ sat: '07:00-23:00 normal', sun: '' }, '06:00-08:00 normal, 17:00-22:00 comfort') });
  const { page } = editor;
  const steps: readonly (readonly [key: string, name: string])[] = [
    ['ArrowRight', '06:00–08:00 Normal'],
    ['ArrowRight', '17:00–22:00 Comfort'],
    ['ArrowRight', '+ Add'],
    ['ArrowRight', '+ Add'],
    ['Home', '06:00–08:00 Normal'],
    ['ArrowDown', '07:00–23:00 Normal'],
    ['ArrowDown', '+ Add'],
    ['ArrowUp', '+ Add'],
    ['Home', '07:00–23:00 Normal'],
    ['Control+End', '+ Add'],
    ['Control+Home', '06:00–08:00 Normal'],
    ['End', '+ Add'],
    ['ArrowLeft', '17:00–22:00 Comfort'],
    ['Delete', '+ Add'],
    ['ArrowLeft', '06:00–08:00 Normal'],
    ['Control+c', '06:00–08:00 Normal'],
    ['Control+End', '+ Add'],
    ['Control+v', 'Sunday'],
    ['Control+z', 'Sunday'],
    ['Control+z', 'Sunday'],
  ];
  await editor.tabTo('Mon–Fri');
  for (const [key, name] of steps) {
    await page.keyboard.press(key);
    await expect.poll(() => editor.focused(), { message: key }).toContain(name);
  }
  expect(await page.locator('[role=grid] [tabindex="0"]').count()).toBe(1);
  expect(await editor.entry('17:00–22:00').count()).toBe(1);
  await editor.close();
});

test('an end on the next day becomes two entries', async () => {
  const editor = await browser.open({ week: week({ fri: '22:00-23:00 normal' }) });
  await editor.entry('22:00–23:00').click();
  await editor.page.getByLabel('To', { exact: true }).selectOption(String(1440 + 90));
  await editor.button('Make two entries').click();
  await editor.button('Save').click();
  await editor.button('Save now').click();
  expect(await editor.saved()).toEqual({ week: { fri: entries('22:00-24:00 normal'), sat: entries('00:00-01:30 normal') } });
  await editor.close();
});

test('an entry over midnight is drawn as one and moves as one', async () => {
  const editor = await browser.open({ week: week({ fri: '22:00-24:00 normal', sat: '00:00-02:00 normal' }) });
  expect(await editor.page.locator('.goes-on, .comes-from').count()).toBe(2);
  await editor.entry('22:00–24:00').click();
  const [from, to] = [await editor.pointAt('fri', 23 * 60), await editor.pointAt('fri', 22 * 60)];
  await editor.page.mouse.move(from.x, from.y);
  await editor.page.mouse.down();
  await editor.page.mouse.move(to.x, to.y, { steps: 5 });
  await editor.page.mouse.up();
  await editor.button('Save').click();
  await editor.button('Save now').click();
  expect(await editor.saved()).toEqual({ week: { fri: entries('21:00-24:00 normal'), sat: entries('00:00-01:00 normal') } });
  await editor.close();
});

test('the Sunday of a clock change, in a browser in another time zone, is a day like any other', async () => {
  // In this browser 02:00 to 03:00 does not exist on that day.
  const given = { week: week({ sun: '02:00-03:00 normal' }), now: { day: 'sun', minutes: 150, date: '2027-03-14' } } as const;
  const editor = await browser.open(given, { timezoneId: 'America/New_York', at: '2027-03-14T06:59:00Z' });
  const [entry, now] = [await editor.page.locator('.entry').boundingBox(), await editor.page.locator('.now').boundingBox()];
  const [from, to] = [await editor.pointAt('sun', 120), await editor.pointAt('sun', 180)];
  expect(entry?.x).toBeCloseTo(from.x, 0);
  expect((entry?.x ?? 0) + (entry?.width ?? 0)).toBeCloseTo(to.x, 0);
  expect((now?.x ?? 0) + 1).toBeCloseTo((from.x + to.x) / 2, 0);
  await editor.entry('02:00–03:00').click();
  await editor.button('To later').click();
  await editor.button('Save').click();
  await editor.button('Save now').click();
  expect(await editor.saved()).toEqual({ week: { sun: entries('02:00-03:10 normal') } });
  await editor.close();
});

describe('schedules that nobody has seen', () => {
  test('two entries at most: the third is refused with the reason', async () => {
    const constraints = { modes: ['a <b>mode</b>', 'zweite'], maxEntries: 2, resolution: 30, overlapAllowed: false, defaultMode: 'ruhig' };
    const editor = await browser.open({ week: week({}, '06:00-08:00 zweite, 10:00-11:00 zweite'), constraints });
    const add = editor.page.getByRole('button', { name: /2 of 2/u });
    expect(await add.getAttribute('aria-disabled')).toBe('true');
    expect(await add.innerText()).toContain('at most 2 entries a day');
    await add.click({ force: true });
    expect(await editor.page.getByRole('gridcell').count()).toBe(3);
    await editor.entry('06:00–08:00 zweite').click();
    await editor.page.getByRole('radio', { name: 'a <b>mode</b>' }).check({ force: true });
    await editor.button('To later').click();
    await editor.button('Save').click();
    await editor.button('Save now').click();
    const day = entries('06:00-08:30 a <b>mode</b>, 10:00-11:00 zweite');
    expect(await editor.saved()).toEqual({ week: Object.fromEntries(DAYS.map((one) => [one, day])) });
    await editor.close();
  });

  test('every minute can be chosen where the resolution is one', async () => {
    const editor = await browser.open({ week: week({ mon: '06:07-08:00 x' }), constraints: { modes: ['x'], resolution: 1 } });
    await editor.entry('06:07–08:00').click();
    await editor.page.getByLabel('From', { exact: true }).selectOption('06:13');
    await editor.button('To later').click();
    await editor.button('Save').click();
    await editor.button('Save now').click();
    expect(await editor.saved()).toEqual({ week: { mon: entries('06:13-08:01 x') } });
    await editor.close();
  });

  test('without any constraints', async () => {
    const editor = await browser.open({ week: week({ mon: '06:07-08:00 x' }), constraints: {} });
    await editor.page.getByRole('row').last().getByRole('button', { name: '+ Add' }).click();
    await expect.poll(() => editor.entry('06:00–07:00 x').count()).toBe(1);
    await editor.close();
  });

  test('an entry off the grid stays until its day changes, and then says what would be right', async () => {
    const editor = await browser.open({ week: week({ mon: '06:00-23:59 normal', tue: '06:00-23:59 normal' }) });
    await editor.entry('06:00–23:59').click();
    await editor.button('Mon – Only Monday').click();
    await editor.page.getByLabel('From', { exact: true }).selectOption('05:00');
    await editor.button('Save').click();
    await editor.button('Use 24:00 instead').click();
    await editor.button('Save').click();
    await editor.button('Save now').click();
    expect(await editor.saved()).toEqual({ week: { mon: entries('05:00-24:00 normal') } });
    await editor.close();
  });

  test('entries that overlap are told by lanes; one can be brought to the front', async () => {
    const constraints = { modes: ['normal', 'comfort'], resolution: 10, overlapAllowed: true };
    const editor = await browser.open({ week: week({ mon: '06:00-12:00 normal, 08:00-20:00 comfort' }), constraints });
    const top = async (name: string): Promise<number> => (await editor.entry(name).boundingBox())?.y ?? Number.NaN;
    expect(await top('08:00–20:00')).toBeLessThan(await top('06:00–12:00'));
    await editor.entry('06:00–12:00').click();
    await editor.button('Bring to front').click();
    await expect.poll(async () => (await top('06:00–12:00')) < (await top('08:00–20:00'))).toBe(true);
    await editor.button('Save').click();
    await editor.button('Save now').click();
    expect(await editor.saved()).toEqual({ week: { mon: entries('08:00-20:00 comfort, 06:00-12:00 normal') } });
    await editor.close();
  });
});

test('all recorded weeks are shown and opened; saved unchanged there is no event', async () => {
  const schedules = recordedFeatures().flatMap((feature) => {
    const value = [...feature.properties.values()].find((property) => property.type === 'Schedule')?.value;
    const parameter = feature.commands.get('setSchedule')?.params.get('newSchedule');
    const read = readWeek(value);
    return parameter && read.ok && value !== undefined ? [{ week: read.value, constraints: readConstraints(parameter.constraints) }] : [];
  });
  expect(schedules.length).toBeGreaterThanOrEqual(leastOf(37, 4));
  const editor = await browser.open({ week: week({}) });
  for (const given of schedules) {
    await editor.set({ week: week({}) });
    await editor.set(given);
    const distinct = new Set(DAYS.map((day) => JSON.stringify(given.week[day].map(({ start, end, mode }) => [start, end, mode]).sort())));
    await expect.poll(() => editor.page.getByRole('rowheader').count()).toBe(distinct.size);
    for (const face of await editor.page.locator('.face').all()) {
      await face.click();
      await editor.page.locator('.panel').waitFor();
      await editor.page.keyboard.press('Escape');
    }
    await editor.button('Save').click({ force: true });
    expect(await editor.page.getByRole('dialog').count()).toBe(0);
  }
  expect(await editor.heard()).toEqual([]);
  await editor.close();
});

test('Escape closes what is open, also beside the drawing on a phone', async () => {
  const editor = await browser.open({ week: week({}, '06:00-08:00 normal') }, PHONE);
  await editor.entry('06:00–08:00').tap();
  await editor.tabTo('To later');
  await editor.page.keyboard.press('Escape');
  await editor.page.locator('.panel').waitFor({ state: 'detached' });
  expect(await editor.focused()).toContain('06:00–08:00 Normal');
  await editor.close();
});

test('to look at only: nothing can be added, opened or saved', async () => {
  const editor = await browser.open({ week: week({}, '06:00-08:00 normal'), readonly: true });
  const { page } = editor;
  const { x, y } = await editor.pointAt('mon', 900);
  await page.mouse.click(x, y);
  await editor.entry('06:00–08:00').click();
  await page.keyboard.press('Delete');
  expect(await page.getByRole('gridcell').count()).toBe(1);
  expect(await page.getByRole('button', { name: /Save|Add|Undo/u }).count()).toBe(0);
  expect(await page.locator('.panel').count()).toBe(0);
  await editor.close();
});

test('its colours can be set from outside, and words from outside cannot break it', async () => {
  const long = 'ä'.repeat(5000);
  const modes = ['\u202enormal', long, '<img src=x onerror=alert(1)>'];
  const given = week({ mon: `06:00-08:00 ${modes[0]}` });
  const editor = await browser.open({ week: given, constraints: { modes } }, { viewport: { width: 320, height: 640 } });
  await editor.page.evaluate(`document.body.style.setProperty('--heating-editor-accent', 'rgb(1, 2, 3)')`);
  const colour = `getComputedStyle(document.querySelector('heating-week-editor').shadowRoot.querySelector('summary')).color`;
  expect(await editor.page.evaluate(colour)).toBe('rgb(1, 2, 3)');
  await editor.page.locator('.face').click();
  expect(await editor.page.getByRole('radio').count()).toBe(3);
  expect(await editor.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  expect(await editor.page.locator('img').count()).toBe(0);
  await editor.page.getByRole('radio').last().check({ force: true });
  await editor.button('Done').click();
  await editor.button('Save').click();
  await editor.button('Save now').click();
  expect(await editor.saved()).toEqual({ week: { mon: [{ start: '06:00', end: '08:00', mode: modes[2], position: 0 }] } });
  await editor.close();
});
