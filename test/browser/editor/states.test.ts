import { describe, expect, test } from 'vitest';
import { duringFile } from '../../support/browser/duringFile.ts';
import { type EditorPage, startEditors, week } from '../../support/browser/editorPage.ts';

const browser = duringFile(startEditors);

const OVERLAPPING = '06:00-12:00 normal, 08:00-20:00 comfort, 11:00-13:30 levelTwo';
const GIVEN = {
  week: week({ sat: OVERLAPPING, sun: '' }, '06:00-08:30 normal, 17:00-24:00 comfort'),
  constraints: { modes: ['normal', 'comfort', 'levelTwo'], maxEntries: 3, resolution: 10, overlapAllowed: true, defaultMode: 'reduced' },
  now: { day: 'wed', minutes: 910, date: '2026-11-25' },
  profiles: [
    { name: 'Summer', week: { mon: [] } },
    { name: 'Long', week: week({}, '01:00-02:00 warm') },
  ],
  targets: [
    { id: 'dhw', label: 'Hot water', constraints: { modes: ['on'] } },
    { id: 'up', label: 'Upstairs', constraints: { modes: ['normal', 'comfort', 'levelTwo'], overlapAllowed: true, resolution: 10 } },
  ],
} as const;

const cell = ({ page }: EditorPage, name: string) => page.locator(`[data-cell="${name}"]`);

/** Monday begins at half past five. */
const change = async (editor: EditorPage): Promise<void> => {
  await cell(editor, 'mon:0').click();
  await editor.page.locator('#from').selectOption('330');
};

const save = async (editor: EditorPage): Promise<void> => {
  await change(editor);
  await editor.page.keyboard.press('Escape');
  await editor.page.locator('.save-bar .primary').click();
  await editor.page.locator('dialog').waitFor();
};

/** Every state that people see, each with the way to it. */
const STATES: Readonly<Record<string, (editor: EditorPage) => Promise<void>>> = {
  'at rest': async () => {},
  'an open entry': async (editor) => cell(editor, 'mon:0').click(),
  'an open row': async (editor) => cell(editor, 'mon:row').click(),
  'an offer over midnight': async (editor) => {
    await cell(editor, 'mon:1').click();
    await editor.page.locator('#to').selectOption({ index: -1 + (await editor.page.locator('#to option').count()) });
    await editor.page.locator('.offer').waitFor();
  },
  'changed, ready to save': async (editor) => {
    await change(editor);
    await editor.page.locator('.save-bar .primary, .panel .primary').first().waitFor();
  },
  'what a save changes': save,
  'a refusal': async (editor) => {
    await save(editor);
    await editor.page.locator('dialog .primary').click();
    const message = '05:30 is not on the 60-minute grid';
    const refused = { path: '/value/mon/0/start', rule: 'resolution', message, got: '05:30', allowed: 60, nearest: ['05:00', '06:00'] };
    await editor.set({ answer: { status: 'rejected', errors: [refused] } });
    await editor.page.locator('.issues').waitFor();
  },
  'the heating has it': async (editor) => {
    await editor.set({ answer: { status: 'applied' } });
    await editor.page.locator('.save-bar .good').waitFor();
  },
  'changed elsewhere': async (editor) => {
    await change(editor);
    await editor.set({ week: week({}, '01:00-02:00 normal') });
    await editor.page.getByRole('alert').waitFor();
  },
  'a text with mistakes': async (editor) => {
    await editor.page.locator('.text summary').click();
    await editor.page.locator('textarea').fill('mon 6:05-8 normal\nsome 7-9 warm');
    await editor.page.locator('.issues').waitFor();
  },
  'the help': async (editor) => editor.page.locator('.help summary').click(),
  profiles: async (editor) => editor.page.locator('.toolbar [aria-haspopup]').first().click(),
  'copy to other schedules': async (editor) => {
    await cell(editor, 'mon:row').click();
    await editor.page
      .getByRole('button', { name: /other schedules|andere Zeitpläne/u })
      .last()
      .click();
  },
};

const WAYS = [
  { screen: 'a desktop', language: 'en', theme: 'light', viewport: { width: 1280, height: 900 } },
  { screen: 'a desktop', language: 'de', theme: 'dark', viewport: { width: 1280, height: 900 } },
  { screen: 'a phone', language: 'de', theme: 'light', viewport: { width: 320, height: 640 } },
  { screen: 'a phone', language: 'en', theme: 'dark', viewport: { width: 320, height: 640 } },
] as const;

describe.each(WAYS)('on $screen, $language, $theme', ({ language, theme, viewport }) => {
  test.each(Object.keys(STATES))('%s: accessible, nothing beside the screen, nothing the rules of the page forbid', async (state) => {
    const editor = await browser.open({ ...GIVEN, language, theme }, { viewport });
    await STATES[state]?.(editor);
    expect(await editor.axe()).toEqual([]);
    expect(await editor.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
    expect((await editor.heard()).filter(({ name }) => name === 'violation' || name === 'error')).toEqual([]);
    const small = await editor.page.evaluate(`[...document.querySelector('heating-week-editor').shadowRoot.querySelectorAll(
      'button, select, textarea, summary, [role=slider], label:has(input)')].filter((one) => one.checkVisibility()).flatMap((one) => {
        const { width, height } = one.getBoundingClientRect();
        const isSmall = one.matches('.face, .strip button') ? false : width < 44 || height < 44;
        return isSmall ? [one.textContent + ' ' + one.className + ' ' + width + ' × ' + height] : [];
      })`);
    expect(small).toEqual([]);
  });
});

test.each(['en', 'de'] as const)('on a phone no line of an hour goes through what an empty day says: %s', async (language) => {
  const editor = await browser.open({ ...GIVEN, week: week({}, ''), language }, { viewport: { width: 390, height: 844 } });
  await editor.page.locator('.empty').waitFor();
  const hours = await editor.page.evaluate(`(() => {
    const root = document.querySelector('heating-week-editor').shadowRoot;
    const text = document.createRange();
    text.selectNodeContents(root.querySelector('.empty'));
    const lane = root.querySelector('.lane').getBoundingClientRect();
    const { top, bottom } = text.getBoundingClientRect();
    return [top, bottom].map((y) => Math.floor((24 * (y - lane.top)) / lane.height));
  })()`);
  expect(hours).toEqual([12, 12]);
});

test.each([1280, 390])(
  'no line of an hour is a tile, which Safari rounds to whole pixels: the last ones were 10 minutes off, at %i pixels',
  async (width) => {
    const editor = await browser.open(GIVEN, { viewport: { width, height: 844 } });
    const hours = `document.querySelector('heating-week-editor').shadowRoot.querySelector('.hours')`;
    const tiles = await editor.page.evaluate(`getComputedStyle(${hours}).backgroundSize`);
    expect(tiles).toMatch(/^auto(?:, auto)*$/u);
  },
);

test('a screen reader is told of rows, entries and what can be done with them', async () => {
  const editor = await browser.open(GIVEN);
  await cell(editor, 'mon:0').click();
  expect(await editor.page.locator('.row.opened').ariaSnapshot()).toMatchInlineSnapshot(`
    "- row "Mon–Fri (Monday to Friday) Split or copy 06:00–08:30 Normal , Monday to Friday 06:00 08:30 17:00–24:00 Comfort , Monday to Friday + Add 2 of 3 Monday to Friday":
      - rowheader "Mon–Fri (Monday to Friday) Split or copy":
        - button "Mon–Fri (Monday to Friday) Split or copy"
      - gridcell "06:00–08:30 Normal , Monday to Friday 06:00 08:30":
        - button "06:00–08:30 Normal , Monday to Friday" [expanded]
        - slider "Start"
        - slider "End"
      - gridcell "17:00–24:00 Comfort , Monday to Friday":
        - button "17:00–24:00 Comfort , Monday to Friday"
      - gridcell "+ Add 2 of 3 Monday to Friday":
        - button "+ Add 2 of 3 Monday to Friday""
  `);
  const start = editor.page.getByRole('slider', { name: 'Start' });
  const attributes = ['aria-valuemin', 'aria-valuemax', 'aria-valuenow', 'aria-valuetext', 'aria-orientation'];
  expect(await Promise.all(attributes.map((name) => start.getAttribute(name)))).toEqual(['0', '500', '360', '06:00', 'horizontal']);
});
