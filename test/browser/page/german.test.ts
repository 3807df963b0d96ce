import { expect, test } from 'vitest';
import { CONFLICT_WORDS } from '../../../src/language/answers/conflict.ts';
import { loadPageWords } from '../../../src/language/page.ts';
import { englishOn } from '../../support/browser/englishOn.ts';
import { openLivePage } from '../../support/browser/livePage.ts';
import { CURVE, CURVE_TOPIC, SET_CURVE } from '../../support/devices/ends.ts';

const german = await loadPageWords('de');
const english = await loadPageWords('en');

test('a change that is refused is said in German by its code; a code that nobody knows has the sentence of the bridge', async () => {
  // Its times are those of the home, wherever the browser is.
  const overrides = { schedules: { time_zone: 'Asia/Kolkata' } };
  const { page, wrong } = await openLivePage({ locale: 'de-DE', timezoneId: 'America/New_York' }, { overrides });
  const water = page.getByRole('region', { name: german.water, exact: true });
  await water.getByText('50 °C').waitFor();
  let refusal: object = {};
  await page.route('**/api/write', (route) => route.fulfill({ status: 422, json: refusal }));
  const refuse = async (error: string, message: string): Promise<string> => {
    refusal = { error, message };
    await water.getByRole('button', { name: german.warmer }).click();
    await water.getByRole('button', { name: german.ends.open }).click();
    const outcome = water.getByText(/^Nicht geändert: /u);
    await outcome.waitFor();
    const said = (await outcome.textContent()) ?? '';
    const found = await englishOn(page, [english], [german]);
    expect(found.filter((text) => error !== 'brand_new' || !/bridge|Not before/.test(text))).toEqual([]);
    await page.reload();
    await water.getByText('50 °C').waitFor();
    return said;
  };
  const sentence = 'This is the sentence of the bridge';
  for (const code of ['restarting', 'too_fast', 'no_quota', 'too_large', 'bad_answer', 'invalid'])
    expect(await refuse(code, sentence), code).toContain(german.codes[code]);
  expect(await refuse('brand_new', sentence)).toContain(sentence);
  expect(await refuse('brand_new', 'Not before 2020-03-01T10:00:00.123Z.')).toMatch(/Not before 1\. März 2020 15:30\.$/);
  expect(await wrong()).toEqual([]);
});

test('what was changed elsewhere of a temporary change is said with German names and a decimal comma, and decided at a click', async () => {
  const { page, system, wrong } = await openLivePage({ locale: 'de-DE' });
  const { recorder, simulator } = system;
  await page.locator('.card').first().waitFor();
  await recorder.publish(SET_CURVE, JSON.stringify({ value: { slope: 2.1, shift: 1 }, for: '2h' }));
  // Until a read has shown the write, another value is one that did not come from somebody else.
  await recorder.until(({ topic, payload }) => topic === `${CURVE_TOPIC}/result` && payload.includes('"applied"'));
  simulator.control({ command: 'set', feature: CURVE, property: 'slope', value: 1.6 });
  await recorder.publish('heating2mqtt/bridge/poll/set', 'x');
  const contested = page.locator('.contested');
  await contested.getByText('Heizkurve: Neigung 1,6.').waitFor();
  await contested.getByRole('button', { name: CONFLICT_WORDS.de.keepTheirs }).click();
  await contested.waitFor({ state: 'detached' });
  expect(await wrong()).toEqual([]);
});
