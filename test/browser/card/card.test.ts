import { describe, expect, onTestFinished, test } from 'vitest';
import { type CardPage, startCards, WEEK_ENTITY, weekState } from '../../support/browser/cardPage.ts';
import { duringFile } from '../../support/browser/duringFile.ts';
import { week } from '../../support/browser/editorPage.ts';

const WEEK = week({ sat: '08:00-22:00 normal', sun: '08:00-22:00 normal' }, '06:00-22:00 normal');
const LATER = week({ mon: '07:00-20:00 normal', sat: '08:00-22:00 normal', sun: '08:00-22:00 normal' }, '06:00-22:00 normal');
const CHANGED = 'mon-fri 06:00-21:00 normal; sat-sun 08:00-22:00 normal';
const ONE = [{ entity: WEEK_ENTITY }];

const browser = duringFile(startCards);
const open = async (...given: Parameters<typeof browser.open>): Promise<CardPage> => {
  const opened = await browser.open(...given);
  onTestFinished(async () => expect(await opened.page.evaluate('errors')).toEqual([]));
  return opened;
};

/** The payload of the only write, or of that behind so many texts, put together of its parts. */
const written = async (opened: CardPage, count: number, from = 0): Promise<Record<string, unknown>> => {
  const sent = (await opened.sent(count)).slice(from);
  return JSON.parse(sent.map(([, text]) => text.replace(/^part \d+\/\d+ \w+: /, '')).join(''));
};

const said = (opened: CardPage, text: string | RegExp, index = 0): Promise<void> => opened.card(index).getByText(text).first().waitFor();

/** How many cards can save. */
const savers = ({ page }: CardPage): Promise<number> => page.getByRole('button', { name: 'Save', exact: true }).count();

const firstEntry = (opened: CardPage) =>
  opened
    .card()
    .getByRole('button', { name: /^06:00–22:00/ })
    .first();

const CARD = `document.querySelector('heating2mqtt-card')`;

describe('the card', () => {
  test('shows the week under its name, is listed once, though its script is there twice', async () => {
    const titled = ['Upstairs', ''].map((title) => ({ entity: WEEK_ENTITY, title }));
    const { page } = await open([weekState(WEEK)], [...ONE, ...titled]);
    await page.getByRole('grid').nth(2).waitFor();
    const headers = `[...document.querySelectorAll('heating2mqtt-card')].map((one) => one.shadowRoot.querySelector('ha-card').dataset.header)`;
    expect(await page.evaluate(headers)).toEqual(['Week of text.week', 'Upstairs', '']);
    expect(await page.evaluate(`customCards.map(({ type, preview }) => [type, preview])`)).toEqual([['heating2mqtt-card', true]]);
    const sizes = `[${CARD}.getCardSize(), ${CARD}.getGridOptions().rows, ${CARD}.constructor.getStubConfig(hub)]`;
    expect(await page.evaluate(sizes)).toEqual([11, 'auto', { entity: WEEK_ENTITY }]);
  });

  test('sends changed days with the revision, and shows each answer', async () => {
    const opened = await open([weekState(WEEK)], ONE);
    await opened.type(CHANGED);
    await opened.save();
    const { id, value, if_rev: rev, ...rest } = await written(opened, 2);
    expect([Object.keys(Object(value)), rev, rest]).toEqual([['mon', 'tue', 'wed', 'thu', 'fri'], 'rev1', {}]);
    const card = opened.card();
    await said(opened, /^Sent\./);
    const after = week({ sat: '08:00-22:00 normal', sun: '08:00-22:00 normal' }, '06:00-21:00 normal');
    const [others, accepted] = [
      { id: 'of others', status: 'rejected' },
      { id, status: 'accepted' },
    ];
    await opened.set(weekState(after, { rev: 'rev2', answers: [others, accepted] }));
    await opened.set(weekState(after, { rev: 'rev2', answers: [{ id, status: 'applied' }] }));
    await said(opened, 'The heating has it.');
    // What somebody else changes since is not taken back: the bridge refuses the revision from before it.
    await opened.set(weekState(week({}, '06:00-20:00 normal'), { rev: 'rev3', answers: [{ id, status: 'applied' }] }));
    await card.getByRole('button', { name: 'Undo this save' }).click();
    expect(await written(opened, 4, 2)).toMatchObject({ if_rev: 'rev2', value: { mon: WEEK.mon, fri: WEEK.fri } });
  });

  test('is read only for a user who may change nothing, and asks once, without a change', async () => {
    const opened = await open([], ONE);
    await opened.page.evaluate(
      `hub.user = { id: 'guest', is_admin: false }; globalThis.refusal = { code: 'unauthorized', message: 'Unauthorized' }`,
    );
    await opened.set(weekState(WEEK));
    await said(opened, 'Your account in Home Assistant may not change this.');
    expect(
      await opened
        .card()
        .getByRole('button', { name: /Save|Add/ })
        .count(),
    ).toBe(0);
    await opened.set(weekState(WEEK, { rev: 'rev2' }));
    const asked = ['homeassistant', 'update_entity', {}, { entity_id: WEEK_ENTITY }, false];
    expect(await opened.page.evaluate('calls')).toEqual([asked]);
    // Who may change some entities is asked for another one again.
    await opened.page.evaluate(`globalThis.refusal = undefined`);
    await opened.set(weekState(WEEK, {}, 'text.other'));
    await opened.page.evaluate(`${CARD}.setConfig({ type: 'custom:heating2mqtt-card', entity: 'text.other' })`);
    await opened.card().getByRole('button', { name: 'Save', exact: true }).waitFor();
    // The first one again, after one that is not there.
    await opened.page.evaluate(`globalThis.refusal = { message: 'Unauthorized' }`);
    for (const entity of ['text.nowhere', WEEK_ENTITY])
      await opened.page.evaluate(`${CARD}.setConfig({ type: 'custom:heating2mqtt-card', entity: '${entity}' })`);
    await said(opened, 'Your account in Home Assistant may not change this.');
    expect(await opened.page.evaluate('calls.length')).toBe(2);
  });

  test('shows a refusal as the editor does: marked, with what would be right', async () => {
    const opened = await open([weekState(WEEK)], ONE);
    await opened.type(CHANGED);
    await opened.save();
    const { id } = await written(opened, 2);
    const message = '21:00 is not on the 40-minute grid';
    const issue = { path: '/value/mon/0/end', rule: 'resolution', message, got: '21:00', allowed: 40, nearest: ['20:40'] };
    await opened.set(weekState(WEEK, { answers: [{ id, status: 'rejected', code: 'invalid', message: 'x', errors: [issue] }] }));
    await said(opened, 'Not sent. Please correct what is marked.');
    await said(opened, '21:00 is not on the 40-minute grid.');
    await opened.card().getByRole('button', { name: '20:40' }).first().click();
    await said(opened, '5 days changed');
  });

  test('offers both where the week is changed elsewhere, and a copy to other schedules, of which it tells the outcome', async () => {
    const water = weekState(WEEK, { rev: 'water1' }, 'text.water');
    const opened = await open([weekState(WEEK), water, weekState(WEEK, { writable: false }, 'text.off')], ONE);
    await opened.type(CHANGED);
    await opened.set(weekState(LATER, { rev: 'rev2' }));
    const card = opened.card();
    await card.getByRole('alert').getByText('Both changed: Monday.').waitFor();
    await card.getByRole('button', { name: 'Take theirs' }).click();
    await card.getByRole('button', { name: /^Copy to other/ }).click();
    expect(await card.getByRole('checkbox').count()).toBe(1);
    await card.getByRole('checkbox', { name: 'Week of text.water' }).check();
    await card.getByRole('button', { name: 'Copy', exact: true }).click();
    const [first = ['', '']] = await opened.sent(2);
    expect(first[0]).toBe('text.water');
    const { id, if_rev: rev } = await written(opened, (await opened.sent(2)).length);
    expect(rev).toBe('water1');
    await said(opened, 'Week of text.water: the week is being sent.');
    const failed = { id, status: 'failed', code: 'x', message: 'The gateway is away.' };
    await opened.set(weekState(WEEK, { rev: 'water1', answers: [failed] }, 'text.water'));
    await said(opened, 'Week of text.water was not changed. The gateway is away.');
  });

  test('keeps what was not saved when its view is made anew, and when its entity is away for a while', async () => {
    const opened = await open([weekState(WEEK)], ONE);
    const { page } = opened;
    await opened.type(CHANGED);
    await said(opened, '5 days changed');
    expect(await page.evaluate('warned()')).toBe(true);
    await page.evaluate(`${CARD}.remove()`);
    expect(await page.evaluate('warned()')).toBe(false);
    await opened.add({ entity: 'text.other' });
    await opened.add({ entity: WEEK_ENTITY });
    await said(opened, '5 days changed', 1);
    await opened.set({ entity_id: WEEK_ENTITY, state: 'unavailable', attributes: {} });
    await said(opened, /^The heating is not available now/, 1);
    expect(await savers(opened)).toBe(0);
    await opened.set(weekState(WEEK));
    await said(opened, '5 days changed', 1);
    await opened.save(1);
    expect(await written(opened, 2)).toMatchObject({ if_rev: 'rev1' });
    // Sent, it is nobody's draft any more.
    await said(opened, /^Sent\./, 1);
    expect(await page.evaluate('warned()')).toBe(false);
  });

  test('is to be looked at only where nothing may be written, and says why', async () => {
    const sensor = weekState(WEEK, {}, 'sensor.week');
    const off = weekState(WEEK, { writable: false, active: false, until: '2026-11-27T22:00:00+01:00' });
    const opened = await open([sensor, off], [{ entity: 'sensor.week' }, { entity: WEEK_ENTITY }]);
    await said(opened, 'This week cannot be changed.');
    await said(opened, 'The heating does not take changes of this week now.', 1);
    await said(opened, 'The heating does not follow this week now.', 1);
    await said(opened, 'The week before comes back: Fri, Nov 27, 22:00.', 1);
    expect(await savers(opened)).toBe(0);
    expect(await opened.card(0).getByRole('grid').count()).toBe(1);
  });

  test('in the list of cards and while a dashboard is edited changes nothing', async () => {
    const opened = await open([weekState(WEEK)], ONE);
    await opened.card().getByRole('button', { name: 'Save', exact: true }).waitFor();
    await opened.page.evaluate(`${CARD}.preview = true`);
    await expect.poll(() => savers(opened)).toBe(0);
    await opened.page.evaluate(`${CARD}.setConfig({ type: 'x', entity: 'text.none' })`);
    await said(opened, 'Home Assistant has no entity text.none.');
    const refusal = `(() => { try { ${CARD}.setConfig({ entity: 1 }); } catch ({ message }) { return message; } })()`;
    expect(await opened.page.evaluate(refusal)).toMatch(/^entity is the id/);
  });

  test('speaks the language of the user, follows light and dark, and leaves other keys to Home Assistant', async () => {
    const opened = await open([weekState(WEEK)], ONE);
    const { page } = opened;
    await firstEntry(opened).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('e');
    expect(await page.evaluate('keys')).toEqual(['e']);
    await page.evaluate(`Object.assign(hub, { locale: { language: 'de-CH' }, themes: { darkMode: true } }); give()`);
    await opened.card().getByRole('button', { name: 'Speichern', exact: true }).waitFor();
    expect(await page.evaluate(`${CARD}.shadowRoot.querySelector('heating-week-editor').theme`)).toBe('dark');
  });

  test.each(['light', 'dark'])('has nothing that axe finds, %s', async (theme) => {
    const opened = await open([weekState(WEEK, { active: false })], ONE);
    await opened.page.evaluate(`hub.themes = { darkMode: ${theme === 'dark'} }; document.documentElement.className = '${theme}'; give()`);
    await firstEntry(opened).click();
    await opened.card().getByRole('slider', { name: 'End' }).waitFor();
    expect(await opened.axe()).toEqual([]);
  });

  test('begins with today where it is narrow', async () => {
    // A Saturday in Berlin, a Friday in UTC.
    const { page } = await open([weekState(WEEK)], ONE, { viewport: { width: 390, height: 844 }, at: '2026-11-27T23:30:00Z' });
    const shown = () => page.locator('.strip [aria-pressed=true] .name').allInnerTexts();
    await expect.poll(shown).toEqual(['Sat', 'Sun']);
    await page.getByRole('button', { name: /^Wed/ }).click();
    await expect.poll(shown).toEqual(['Mon', 'Tue', 'Wed', 'Thu', 'Fri']);
  });

  test('does not look at its entity again where other states change, and not at all others', async () => {
    const many = Array.from({ length: 3000 }, (_, index) => ({ entity_id: `sensor.n${index}`, state: '1', attributes: {} }));
    const opened = await open([weekState(WEEK), ...many], ONE);
    await opened.card().getByRole('grid').waitFor();
    const ms = await opened.page.evaluate(`(() => {
      const start = performance.now();
      for (let turn = 0; turn < 1000; turn += 1) give();
      return performance.now() - start;
    })()`);
    // A thousand updates: much less than a thousandth of a second each.
    expect(ms).toBeLessThan(500);
  });

  test('is set up by its own form, of which an empty title is left out', async () => {
    const opened = await open([weekState(WEEK), { entity_id: 'text.name', state: 'x', attributes: {} }], ONE);
    const shown = await opened.page.evaluate(`(async () => {
      const editor = await customElements.get('heating2mqtt-card').getConfigElement();
      const heard = [];
      editor.addEventListener('config-changed', ({ detail }) => heard.push(detail.config));
      editor.hass = hub;
      editor.setConfig({ type: 'custom:heating2mqtt-card', entity: 'text.week', title: 'A' });
      document.body.append(editor);
      const form = editor.querySelector('ha-form');
      for (const value of [{ ...form.data, title: 'B' }, { ...form.data, title: '' }])
        form.dispatchEvent(new CustomEvent('value-changed', { detail: { value }, bubbles: true }));
      return { heard, schema: form.schema, labels: form.schema.map((one) => form.computeLabel(one)), note: editor.querySelector('p').hidden };
    })()`);
    expect(shown).toEqual({
      heard: [
        { type: 'custom:heating2mqtt-card', entity: 'text.week', title: 'B' },
        { type: 'custom:heating2mqtt-card', entity: 'text.week' },
      ],
      schema: [
        { name: 'entity', required: true, selector: { entity: { include_entities: ['text.week'] } } },
        { name: 'title', selector: { text: {} } },
      ],
      labels: ['Schedule', 'Title'],
      note: true,
    });
  });
});
