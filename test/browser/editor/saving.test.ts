import { expect, test } from 'vitest';
import { duringFile } from '../../support/browser/duringFile.ts';
import { type EditorPage, entries, startEditors, week } from '../../support/browser/editorPage.ts';

const browser = duringFile(startEditors);

const BEFORE = week({ sun: '08:00-22:00 normal' }, '06:00-22:00 normal');
const NOW = { day: 'wed', minutes: 910, date: '2026-12-30' } as const;

const open = (more: Partial<Parameters<typeof browser.open>[0]> = {}): Promise<EditorPage> =>
  browser.open({ week: BEFORE, now: NOW, ...more });

/** Lets Sunday begin an hour earlier and asks for a save. */
const changeSunday = async (editor: EditorPage): Promise<void> => {
  await editor.entry('08:00–22:00').click();
  await editor.page.getByLabel('From', { exact: true }).selectOption('07:00');
  await editor.page.keyboard.press('Escape');
};

const AFTER = { sun: entries('07:00-22:00 normal') };
const bar = ({ page }: EditorPage) => page.locator('.save-bar');

test.each([
  ['Permanently', {}],
  ['For', { for: '2h' }],
  ['Until the next change', { until: 'next' }],
  ['Until midnight', { until: '2026-12-31' }],
  ['Until the end of Sunday', { until: '2027-01-04' }],
] as const)('a save %s', async (name, end) => {
  const editor = await open();
  await changeSunday(editor);
  await editor.button('Save').click();
  await editor.page.getByRole('radio', { name, exact: true }).check();
  await editor.button('Save now').click();
  expect(await editor.saved()).toEqual({ week: AFTER, ...end });
});

test('a week that is typed in one line is saved by one click, though leaving the text prints it in seven', async () => {
  const editor = await open();
  // Where all has room, nothing scrolls along with what is pressed.
  await editor.page.setViewportSize({ width: 1200, height: 1400 });
  await editor.page.getByText('As text', { exact: true }).click();
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].map((day, index) => `${day} 0${index}:00-22:00 normal`);
  await editor.page.getByRole('textbox', { name: 'As text' }).fill(days.join('; '));
  await editor.button('Save').click();
  await editor.button('Save now').click();
  expect(await editor.saved()).toMatchObject({ week: { sun: entries('06:00-22:00 normal') } });
});

test('a save until a date and time, which has to be given', async () => {
  const editor = await open();
  await changeSunday(editor);
  await editor.button('Save').click();
  await editor.page.getByRole('radio', { name: 'Until date and time' }).check();
  await editor.button('Save now').click();
  await editor.page.getByText('Choose a date and a time.').waitFor();
  expect(await editor.heard()).toEqual([]);
  await editor.page.locator('input[type=datetime-local]').fill('2027-01-03T12:30');
  await editor.button('Save now').click();
  expect(await editor.saved()).toEqual({ week: AFTER, until: '2027-01-03 12:30' });
});

test.each(['Escape', 'Back'])('a save that is thought over (%s) sends nothing, and the focus is where it was', async (way) => {
  const editor = await open({ callsLeft: 1449 });
  await changeSunday(editor);
  await editor.button('Save').click();
  await editor.page.getByText('Saving uses 1 call to the platform; calls left: 1,449.').waitFor();
  if (way === 'Escape') await editor.page.keyboard.press('Escape');
  else await editor.button('Back').click();
  await editor.page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await editor.focused()).toBe('Save');
  expect(await editor.heard()).toEqual([]);
  await editor.button('Save').click();
  await editor.page.getByRole('dialog').waitFor();
});

test('sent, then the heating has it, then it can be taken back', async () => {
  const editor = await open();
  await changeSunday(editor);
  await editor.button('Save').click();
  await editor.button('Save now').click();
  await expect.poll(() => bar(editor).innerText()).toContain('Sending');
  await editor.set({ answer: { status: 'accepted' } });
  await editor.set({ week: { ...BEFORE, ...AFTER } });
  await expect.poll(() => bar(editor).innerText()).toContain('Waiting until the heating has it');
  await editor.set({ answer: { status: 'applied' } });
  await expect.poll(() => bar(editor).innerText()).toContain('The heating has it.');
  expect(await editor.page.getByRole('alert').count()).toBe(0);
  await editor.button('Undo this save').click();
  expect((await editor.heard()).map(({ name }) => name)).toEqual(['save', 'undo']);
});

test('what the heating refuses is not lost: it stays as a change', async () => {
  const editor = await open();
  await changeSunday(editor);
  await editor.button('Save').click();
  await editor.button('Save now').click();
  await editor.set({ answer: { status: 'accepted' } });
  await editor.set({ week: { ...BEFORE, ...AFTER } });
  await editor.set({ answer: { status: 'failed', message: 'The gateway is offline.' } });
  await editor.set({ week: BEFORE });
  await expect.poll(() => bar(editor).innerText()).toContain('The gateway is offline.');
  expect(await editor.entry('07:00–22:00').count()).toBe(1);
  await expect.poll(() => bar(editor).innerText()).toContain('1 day changed');
});

test.each([
  ['en', '06:05 is not on the 10-minute grid', 'Use 06:10 instead'],
  ['de', '06:05 liegt nicht im Raster von 10 Minuten.', 'Stattdessen 06:10'],
] as const)('a refusal stands at its place, with what would be right as a button (%s)', async (language, sentence, button) => {
  const editor = await open({ language, constraints: { modes: ['normal'], resolution: 5 } });
  await editor.entry('08:00–22:00').click();
  await editor.page.locator('#from').selectOption('06:05');
  await editor.page.keyboard.press('Escape');
  await bar(editor).getByRole('button').last().click();
  await editor.page.getByRole('dialog').getByRole('button').last().click();
  const message = '06:05 is not on the 10-minute grid';
  const refusal = { path: '/value/sun/0/start', rule: 'resolution', message, got: '06:05', allowed: 10, nearest: ['06:00', '06:10'] };
  await editor.set({ answer: { status: 'rejected', code: 'invalid', errors: [refusal] } });
  const panel = editor.page.locator('.panel');
  await expect.poll(() => panel.innerText()).toContain(sentence);
  expect(await editor.page.locator('.entry.wrong').count()).toBe(1);
  await panel.getByRole('button', { name: button }).click();
  await expect.poll(() => editor.entry('06:10–22:00').count()).toBe(1);
  expect(await editor.page.locator('.issues').count()).toBe(0);
});

test.each([
  ['Merge by day', { sun: '07:00-22:00 normal', mon: '05:00-06:00 normal' }, { sun: entries('07:00-22:00 normal') }],
  ['Take theirs', { sun: '10:00-12:00 normal', mon: '05:00-06:00 normal' }, undefined],
  ['Keep mine', { sun: '07:00-22:00 normal' }, { mon: entries('06:00-22:00 normal'), sun: entries('07:00-22:00 normal') }],
] as const)('changed elsewhere meanwhile: %s', async (button, shown, sent) => {
  const editor = await open();
  await changeSunday(editor);
  await editor.set({ week: week({ sun: '10:00-12:00 normal', mon: '05:00-06:00 normal' }, '06:00-22:00 normal') });
  await expect.poll(() => editor.page.getByRole('alert').innerText()).toContain('Both changed: Sunday.');
  await editor.button(button).click();
  for (const entry of Object.values(shown)) await expect.poll(() => editor.entry(entry.slice(0, 5)).count()).toBe(1);
  await editor.button('Save').click({ force: true });
  if (sent) {
    await editor.button('Save now').click();
    expect(await editor.saved()).toEqual({ week: sent });
  } else expect(await editor.page.getByRole('dialog').count()).toBe(0);
});

test('a week that changes elsewhere at rest is simply shown', async () => {
  const editor = await open();
  await editor.set({ week: week({}, '05:00-06:00 normal') });
  await expect.poll(() => editor.entry('05:00–06:00 Normal , Every day').count()).toBe(1);
  expect(await editor.page.getByRole('alert').count()).toBe(0);
});

test('profiles: applied where they fit, and made of the week', async () => {
  const editor = await open({
    profiles: [
      { name: 'Summer', week: { sun: [] } },
      { name: 'Too warm', week: week({}, '01:00-02:00 warm') },
    ],
    targets: [
      { id: 'dhw', label: 'Hot water', constraints: { modes: ['warm'] } },
      { id: 'up', label: 'Upstairs', constraints: { modes: ['normal'] } },
    ],
  });
  await editor.button('Profiles').click();
  await expect.poll(() => editor.page.getByRole('dialog').innerText()).toContain('Does not fit: warm is not a mode of this schedule');
  const fits = await editor.page.getByText('Fits other schedules').allTextContents();
  expect(fits.map((text) => text.trim())).toEqual(['Fits other schedules: Hot water, Upstairs', 'Fits other schedules: Hot water']);
  expect(await editor.button('Apply: Too warm').count()).toBe(0);
  await editor.button('Apply: Summer').click();
  expect(await editor.save()).toEqual({ week: { sun: [] } });
  await editor.button('Profiles').click();
  const name = editor.page.getByLabel('Save this week as a profile');
  await name.fill('none');
  await editor.page.getByText('A profile cannot have this name.').waitFor();
  await name.fill(' Winter ');
  await editor.page.getByText('Is saved as winter.').waitFor();
  await editor.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  expect((await editor.heard()).at(-1)).toEqual({ name: 'saveprofile', detail: { name: 'winter', week: { ...BEFORE, sun: [] } } });
});

test('the week goes to other schedules, where it fits', async () => {
  const targets = [
    { id: 'dhw', label: 'Hot water', constraints: { modes: ['on'] } },
    { id: 'up', label: 'Upstairs <b>', constraints: { modes: ['normal'] } },
    { id: 'air', label: 'Ventilation', constraints: { modes: ['levelTwo', 'levelThree'] } },
  ];
  const editor = await open({ targets });
  await editor.button('Copy to other schedules…').click();
  // Modes by their names, as in the drawing.
  await editor.page.getByText('Does not fit: Normal is not a mode of this schedule; modes are Level 2, Level 3.').waitFor();
  expect(await editor.page.getByRole('checkbox', { name: 'Hot water' }).isDisabled()).toBe(true);
  await editor.page.getByRole('checkbox', { name: 'Upstairs <b>' }).check();
  await editor.page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click();
  expect(await editor.heard()).toEqual([{ name: 'copyto', detail: { id: 'up', week: BEFORE } }]);
});
