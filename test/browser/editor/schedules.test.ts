import { describe, expect, test } from 'vitest';
import { readConstraints } from '../../../src/schedule/constraints.ts';
import { readWeek } from '../../../src/schedule/readWeek.ts';
import { DAYS } from '../../../src/schedule/week.ts';
import { duringFile } from '../../support/browser/duringFile.ts';
import { entries, startEditors, week } from '../../support/browser/editorPage.ts';
import { allFeatures, expectFound } from '../../support/devices/deviceFiles.ts';

const browser = duringFile(startEditors);

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
    const day = entries('06:00-08:30 a <b>mode</b>, 10:00-11:00 zweite');
    expect(await editor.save()).toEqual({ week: Object.fromEntries(DAYS.map((one) => [one, day])) });
  });

  test('what overlaps is refused at its place where that is not allowed, drawn or written', async () => {
    const constraints = { modes: ['levelOne', 'levelNine'], maxEntries: 4, resolution: 30, overlapAllowed: false };
    const editor = await browser.open({ week: week({ mon: '06:00-08:00 levelOne, 10:00-11:00 levelOne' }), constraints });
    await editor.page.getByText('As text', { exact: true }).click();
    await editor.page.locator('textarea').fill('mon 06:00-10:30 levelNine, 10:00-11:00 levelOne');
    await editor.page.locator('.issues').first().waitFor();
    await editor.button('Save').click({ force: true });
    expect(await editor.page.getByRole('dialog').count()).toBe(0);
    expect(await editor.heard()).toEqual([]);
    await editor.page.locator('textarea').fill('mon 06:00-10:00 levelNine, 10:00-11:00 levelOne');
    expect(await editor.save()).toEqual({ week: { mon: entries('06:00-10:00 levelNine, 10:00-11:00 levelOne') } });
  });

  test('every minute can be chosen where the resolution is one', async () => {
    const editor = await browser.open({ week: week({ mon: '06:07-08:00 x' }), constraints: { modes: ['x'], resolution: 1 } });
    await editor.entry('06:07–08:00').click();
    await editor.page.getByLabel('From', { exact: true }).selectOption('06:13');
    await editor.button('To later').click();
    expect(await editor.save()).toEqual({ week: { mon: entries('06:13-08:01 x') } });
  });

  test('without any constraints', async () => {
    const editor = await browser.open({ week: week({ mon: '06:07-08:00 x' }), constraints: {} });
    await editor.page.getByRole('row').last().getByRole('button', { name: '+ Add' }).click();
    await expect.poll(() => editor.entry('06:00–07:00 x').count()).toBe(1);
  });

  test('an entry off the grid stays until its day changes, and then says what would be right', async () => {
    const editor = await browser.open({ week: week({ mon: '06:00-23:59 normal', tue: '06:00-23:59 normal' }) });
    await editor.entry('06:00–23:59').click();
    await editor.button('Mon – Only Monday').click();
    await editor.page.getByLabel('From', { exact: true }).selectOption('05:00');
    await editor.button('Save').click();
    await editor.button('Use 24:00 instead').click();
    expect(await editor.save()).toEqual({ week: { mon: entries('05:00-24:00 normal') } });
  });

  test('entries that overlap are told by lanes; one can be brought to the front', async () => {
    const constraints = { modes: ['normal', 'comfort'], resolution: 10, overlapAllowed: true };
    const editor = await browser.open({ week: week({ mon: '06:00-12:00 normal, 08:00-20:00 comfort' }), constraints });
    const top = async (name: string): Promise<number> => (await editor.entry(name).boundingBox())?.y ?? Number.NaN;
    expect(await top('08:00–20:00')).toBeLessThan(await top('06:00–12:00'));
    await editor.entry('06:00–12:00').click();
    await editor.button('Bring to front').click();
    await expect.poll(async () => (await top('06:00–12:00')) < (await top('08:00–20:00'))).toBe(true);
    expect(await editor.save()).toEqual({ week: { mon: entries('08:00-20:00 comfort, 06:00-12:00 normal') } });
  });
});

test('all weeks are shown and opened; saved unchanged there is no event', async () => {
  const schedules = allFeatures().flatMap((feature) => {
    const value = [...feature.properties.values()].find((property) => property.type === 'Schedule')?.value;
    const parameter = feature.commands.get('setSchedule')?.params.get('newSchedule');
    const read = readWeek(value);
    return parameter && read.ok && value !== undefined ? [{ week: read.value, constraints: readConstraints(parameter.constraints) }] : [];
  });
  expectFound(schedules.length, 29);
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
});
