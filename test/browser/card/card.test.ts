import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { CardBrowser, type CardPage, WEEK_ENTITY, weekState } from '../../support/browser/cardPage.ts';
import { week } from '../../support/browser/editorPage.ts';

const WEEK = week({ sat: '08:00-22:00 normal', sun: '08:00-22:00 normal' }, '06:00-22:00 normal');
const LATER = week({ mon: '07:00-20:00 normal', sat: '08:00-22:00 normal', sun: '08:00-22:00 normal' }, '06:00-22:00 normal');
const CHANGED = 'mon-fri 06:00-21:00 normal; sat-sun 08:00-22:00 normal';
const ONE = [{ entity: WEEK_ENTITY }];

let browser: CardBrowser;
beforeAll(async () => {
  browser = await CardBrowser.start();
});
afterAll(() => browser.close());

const open = async (...given: Parameters<CardBrowser['open']>): Promise<CardPage> => {
  const opened = await browser.open(...given);
  onTestFinished(async () => {
    expect(await opened.page.evaluate('errors')).toEqual([]);
    await opened.page.context().close();
  });
  return opened;
};

/** The payload of the only write, put together of its parts. */
const written = async (opened: CardPage, count: number): Promise<Record<string, unknown>> => {
  const sent = await opened.sent(count);
  const whole = sent.map(([, text]) => text.replace(/^part \d+\/\d+ \w+: /, '')).join('');
  return JSON.parse(whole);
};

describe('the card', () => {
  test('shows the week under its name, is listed once, though its script is there twice', async () => {
    const { page, ...opened } = await open(
      [weekState(WEEK)],
      [...ONE, { entity: WEEK_ENTITY, title: 'Upstairs' }, { entity: WEEK_ENTITY, title: '' }],
    );
    expect(opened).toBeDefined();
    await page.getByRole('grid').nth(2).waitFor();
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('heating2mqtt-card')].map((one) => one.shadowRoot.querySelector('ha-card').dataset.header)`,
      ),
    ).toEqual(['Week of text.week', 'Upstairs', '']);
    expect(await page.evaluate(`customCards.map(({ type, preview }) => [type, preview])`)).toEqual([['heating2mqtt-card', true]]);
    const card = `document.querySelector('heating2mqtt-card')`;
    expect(await page.evaluate(`[${card}.getCardSize(), ${card}.getGridOptions().rows, ${card}.constructor.getStubConfig(hub)]`)).toEqual([
      11,
      'auto',
      { entity: WEEK_ENTITY },
    ]);
  });

  test('sends changed days with the revision, and shows each answer', async () => {
    const opened = await open([weekState(WEEK)], ONE);
    await opened.type(CHANGED);
    await opened.save();
    const { id, value, if_rev: rev, ...rest } = await written(opened, 2);
    expect([Object.keys(Object(value)), rev, rest]).toEqual([['mon', 'tue', 'wed', 'thu', 'fri'], 'rev1', {}]);
    const card = opened.card();
    await card
      .getByText(/^Sent\./)
      .first()
      .waitFor();
    const after = week({ sat: '08:00-22:00 normal', sun: '08:00-22:00 normal' }, '06:00-21:00 normal');
    await opened.set(
      weekState(after, {
        rev: 'rev2',
        answers: [
          { id: 'of others', status: 'rejected' },
          { id, status: 'accepted' },
        ],
      }),
    );
    await opened.set(weekState(after, { rev: 'rev2', answers: [{ id, status: 'applied' }] }));
    await card.getByText('The heating has it.').first().waitFor();
    await card.getByRole('button', { name: 'Undo this save' }).click();
    const undone = (await opened.sent(4)).slice(2).map(([, text]) => text.replace(/^part \d+\/\d+ \w+: /, ''));
    expect(JSON.parse(undone.join(''))).toMatchObject({ if_rev: 'rev2', value: { mon: WEEK.mon, fri: WEEK.fri } });
  });

  test('shows a refusal as the editor does: marked, with what would be right', async () => {
    const opened = await open([weekState(WEEK)], ONE);
    await opened.type(CHANGED);
    await opened.save();
    const { id } = await written(opened, 2);
    const issue = {
      path: '/value/mon/0/end',
      rule: 'resolution',
      message: '21:00 is not on the 40-minute grid',
      got: '21:00',
      allowed: 40,
      nearest: ['20:40'],
    };
    await opened.set(weekState(WEEK, { answers: [{ id, status: 'rejected', code: 'invalid', message: 'x', errors: [issue] }] }));
    await opened.card().getByText('Not sent. What is marked has to be mended.').first().waitFor();
    await opened.card().getByText('21:00 is not on the 40-minute grid.').first().waitFor();
    await opened.card().getByRole('button', { name: '20:40' }).first().click();
    await opened.card().getByText('5 days changed').waitFor();
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
    await card.getByText('Week of text.water: the week is being sent.').waitFor();
    await opened.set(
      weekState(WEEK, { rev: 'water1', answers: [{ id, status: 'failed', code: 'x', message: 'The gateway is away.' }] }, 'text.water'),
    );
    await card.getByText('Week of text.water was not changed. The gateway is away.').waitFor();
  });

  test('keeps what was not saved when its view is made anew, and when its entity is away for a while', async () => {
    const opened = await open([weekState(WEEK)], ONE);
    const { page } = opened;
    await opened.type(CHANGED);
    await opened.card().getByText('5 days changed').waitFor();
    expect(await page.evaluate('warned()')).toBe(true);
    await page.evaluate(`document.querySelector('heating2mqtt-card').remove()`);
    expect(await page.evaluate('warned()')).toBe(false);
    await opened.add({ entity: 'text.other' });
    await opened.add({ entity: WEEK_ENTITY });
    await opened.card(1).getByText('5 days changed').waitFor();
    await opened.set({ entity_id: WEEK_ENTITY, state: 'unavailable', attributes: {} });
    await opened
      .card(1)
      .getByText(/^The heating is not available now/)
      .waitFor();
    expect(await opened.card(1).getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
    await opened.set(weekState(WEEK));
    await opened.card(1).getByText('5 days changed').waitFor();
    await opened.save(1);
    expect(await written(opened, 2)).toMatchObject({ if_rev: 'rev1' });
    // Sent, it is nobody's draft any more.
    await opened
      .card(1)
      .getByText(/^Sent\./)
      .first()
      .waitFor();
    expect(await page.evaluate('warned()')).toBe(false);
  });

  test('is to be looked at only where nothing may be written, and says why', async () => {
    const sensor = weekState(WEEK, {}, 'sensor.week');
    const off = weekState(WEEK, { writable: false, active: false, until: '2026-11-27T22:00:00+01:00' });
    const opened = await open([sensor, off], [{ entity: 'sensor.week' }, { entity: WEEK_ENTITY }]);
    await opened.card(0).getByText('This week cannot be changed.').waitFor();
    await opened.card(1).getByText('The heating does not take changes of this week now.').waitFor();
    await opened.card(1).getByText('The heating does not follow this week now.').waitFor();
    await opened.card(1).getByText('The week before comes back: Fri, Nov 27, 22:00.').waitFor();
    expect(await opened.page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
    expect(await opened.card(0).getByRole('grid').count()).toBe(1);
  });

  test('in the list of cards and while a dashboard is edited changes nothing', async () => {
    const opened = await open([weekState(WEEK)], ONE);
    await opened.card().getByRole('button', { name: 'Save', exact: true }).waitFor();
    await opened.page.evaluate(`document.querySelector('heating2mqtt-card').preview = true`);
    await expect.poll(() => opened.card().getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
    await opened.page.evaluate(`document.querySelector('heating2mqtt-card').setConfig({ type: 'x', entity: 'text.none' })`);
    await opened.card().getByText('Home Assistant has no entity text.none.').waitFor();
    expect(
      await opened.page.evaluate(
        `(() => { try { document.querySelector('heating2mqtt-card').setConfig({ entity: 1 }); } catch ({ message }) { return message; } })()`,
      ),
    ).toMatch(/^entity is the id/);
  });

  test('speaks the language of the user, follows light and dark, and leaves other keys to Home Assistant', async () => {
    const opened = await open([weekState(WEEK)], ONE);
    const { page } = opened;
    await opened
      .card()
      .getByRole('button', { name: /^06:00–22:00/ })
      .first()
      .focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('e');
    expect(await page.evaluate('keys')).toEqual(['e']);
    await page.evaluate(
      `Object.assign(hub, { locale: { language: 'de-CH' }, themes: { darkMode: true } }); document.documentElement.className = 'dark'; give()`,
    );
    await opened.card().getByRole('button', { name: 'Speichern', exact: true }).waitFor();
    expect(await page.evaluate(`document.querySelector('heating2mqtt-card').shadowRoot.querySelector('heating-week-editor').theme`)).toBe(
      'dark',
    );
  });

  test.each(['light', 'dark'])('has nothing that axe finds, %s', async (theme) => {
    const opened = await open([weekState(WEEK, { active: false })], ONE);
    await opened.page.evaluate(`hub.themes = { darkMode: ${theme === 'dark'} }; document.documentElement.className = '${theme}'; give()`);
    await opened
      .card()
      .getByRole('button', { name: /^06:00–22:00/ })
      .first()
      .click();
    await opened.card().getByRole('slider', { name: 'End' }).waitFor();
    expect(await opened.axe()).toEqual([]);
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
