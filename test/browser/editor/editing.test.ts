import { expect, test } from 'vitest';
import { duringFile } from '../../support/browser/duringFile.ts';
import { entries, startEditors, USUAL, week } from '../../support/browser/editorPage.ts';

const browser = duringFile(startEditors);

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
});

test('a button that goes away when it is pressed leaves the focus at what it changed', async () => {
  const editor = await browser.open({ week: week({ sat: '07:00-23:00 normal' }, '06:00-08:05 normal') });
  const { page } = editor;
  await editor.entry('06:00–08:05').click();
  const press = async (name: string | RegExp): Promise<string> => {
    await editor.button(name).focus();
    await page.keyboard.press('Enter');
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
    return editor.focused();
  };
  expect(await press('Sat – Copy to Saturday')).toContain('06:00–08:05 Normal');
  expect(await press('Fri – Only Friday')).toContain('06:00–08:05 Normal, Friday');
  await page.getByLabel('From', { exact: true }).selectOption('05:00');
  expect(await press('Use 08:10 instead')).toContain('05:00–08:10 Normal, Friday');
  await page.getByText('As text', { exact: true }).click();
  await page.getByRole('textbox').fill('mon 6:05-8 normal');
  expect(await press('Use 06:00 instead')).toBe('As text');
  expect(await press('Discard')).not.toBe('');
});

test('what is wrong with the text is seen above the bar with Save', async () => {
  const { page } = await browser.open({ week: week({ sat: '07:00-23:00 normal' }, '06:00-08:00 normal') });
  await page.getByText('As text', { exact: true }).click();
  const field = page.getByRole('textbox');
  const { y = 0, height = 0 } = (await field.boundingBox()) ?? {};
  // The field ends just above the bar.
  await page.setViewportSize({ width: 1000, height: Math.ceil(y + height + 100) });
  await field.fill('mon 6:05-8 normal');
  const bottomOf = async (selector: string) => {
    const box = await page.locator(selector).boundingBox();
    return box ? [box.y, box.y + box.height] : [];
  };
  const isSeen = async () => {
    const [[, bottom = Infinity], [top = 0]] = [await bottomOf('#text-issues li'), await bottomOf('.dock')];
    return bottom <= top;
  };
  await expect.poll(isSeen).toBe(true);
});

test('an end on the next day becomes two entries', async () => {
  const editor = await browser.open({ week: week({ fri: '22:00-23:00 normal' }) });
  await editor.entry('22:00–23:00').click();
  await editor.page.getByLabel('To', { exact: true }).selectOption(String(1440 + 90));
  await editor.button('Make two entries').click();
  expect(await editor.save()).toEqual({ week: { fri: entries('22:00-24:00 normal'), sat: entries('00:00-01:30 normal') } });
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
  expect(await editor.save()).toEqual({ week: { fri: entries('21:00-24:00 normal'), sat: entries('00:00-01:00 normal') } });
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
  expect(await editor.save()).toEqual({ week: { sun: entries('02:00-03:10 normal') } });
});

test('Escape closes what is open, also beside the drawing on a phone', async () => {
  const editor = await browser.open({ week: week({}, '06:00-08:00 normal') }, PHONE);
  await editor.entry('06:00–08:00').tap();
  await editor.tabTo('To later');
  await editor.page.keyboard.press('Escape');
  await editor.page.locator('.panel').waitFor({ state: 'detached' });
  expect(await editor.focused()).toContain('06:00–08:00 Normal');
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
  expect(await editor.save()).toEqual({ week: { mon: [{ start: '06:00', end: '08:00', mode: modes[2], position: 0 }] } });
});

test('on a tablet a short entry says its mode, and its times as far as there is room, with no letter cut', async () => {
  const given = { week: week({}, '01:00-02:30 normal, 05:30-08:30 normal, 10:00-12:00 comfort, 17:10-21:30 normal'), constraints: USUAL };
  const editor = await browser.open(given, { viewport: { width: 760, height: 900 } });
  const cut = await editor.page.locator('.face').evaluateAll((faces) =>
    faces
      .filter((face) => {
        const mode = face.querySelector('.mode');
        const isWide = face.scrollWidth > face.clientWidth || (mode?.scrollWidth ?? 0) > (mode?.clientWidth ?? 0);
        return isWide || face.scrollHeight > face.clientHeight || (mode?.scrollHeight ?? 0) > (mode?.clientHeight ?? 0);
      })
      .map((face) => face.textContent),
  );
  expect(cut).toEqual([]);
  expect(await editor.axe()).toEqual([]);
});
