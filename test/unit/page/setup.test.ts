import { describe, expect, test } from 'vitest';
import { SETUP_WORDS } from '../../../src/language/setup/setup.ts';
import { fitsSearch, linesOfValue, textOfValue, valueOfText } from '../../../src/page/settings/settingValue.ts';
import { choicesOf, entriesOf, type Found, placeOf } from '../../../src/page/setup/deviceNames.ts';

const device = (id: string, model?: string): Found => ({
  ...{ installation: '1', gateway: '99', device: id, roles: [] },
  ...(model ? { model } : {}),
});

describe('the devices of the account', () => {
  test('each gets a short name of its own, and all but gateways are chosen', () => {
    const pumps = ['0', '1'].map((id) => device(id, 'E3_Vitocal_250A'));
    const found = [device('gateway', 'Heatbox2'), ...pumps, device('2'), device('3', '<b>Übel</b>')];
    expect(choicesOf(found, []).map(({ name, isChosen }) => [name, isChosen])).toEqual([
      ['heatbox2', false],
      ['vitocal-250a', true],
      ['vitocal-250a-2', true],
      ['device-2', true],
      ['b-u-bel-b', true],
    ]);
  });
  test('those that the settings name keep their names; a new name is unlike them', () => {
    const entries = [{ name: 'vitocal', gateway: '99', device: '1', exclude: ['x'] }];
    expect(choicesOf([device('0', 'Vitocal'), device('1')], entries).map(({ name, isChosen }) => [name, isChosen])).toEqual([
      ['vitocal-2', false],
      ['vitocal', true],
    ]);
  });
  test('no device is called bridge by itself', () => {
    expect(choicesOf([device('0', 'Bridge')], [])[0]?.name).toBe('bridge-2');
  });
  test('what the page does not show of an entry stays, and entries for other devices too', () => {
    const entries = [{ name: 'a', gateway: '99', device: '0', exclude: ['x'] }, { role: 'type:*' }];
    const found = choicesOf([device('0'), device('1')], entries);
    const choices = found.map((choice) => ({ ...choice, isChosen: true, name: ` ${choice.name}!` }));
    expect(entriesOf(choices, entries)).toEqual([
      { name: 'a!', installation: '1', gateway: '99', device: '0', exclude: ['x'] },
      { name: 'device-1!', installation: '1', gateway: '99', device: '1' },
      { role: 'type:*' },
    ]);
  });
  test('a device that was entered by hand is read whole, and an entry that says what to read stays as it is', () => {
    const byHand = { ...device('0'), features: ['*'] };
    const ids = { name: 'device-0', installation: '1', gateway: '99', device: '0' };
    expect(entriesOf(choicesOf([byHand], []), [])).toEqual([{ ...ids, features: ['*'] }]);
    const entries = [{ ...ids, features: ['a.b'] }];
    expect(entriesOf(choicesOf([byHand], entries), entries)).toEqual(entries);
  });
  test('a mistake names the entry that is written, which counts only what is chosen', () => {
    const choices = choicesOf([device('gateway'), device('0'), device('1')], []);
    expect(choices.map((_, at) => placeOf(choices, at))).toEqual([0, 0, 1]);
  });
});

describe('a setting as a field of one line', () => {
  test.each([
    ['list', ['*', 'a/b'], '*, a/b', '*, a/b'],
    ['list', ['a: b, c', 'd'], '["a: b, c","d"]', '["a: b, c","d"]'],
    ['list', [], '', null],
    ['flag', true, 'true', true],
    ['list', [{ title: 'a, b' }], '[{"title":"a, b"}]', '[{"title":"a, b"}]'],
    ['number', 90, '90', '90'],
    ['text', null, '', null],
    ['choice', 'auto', 'auto', 'auto'],
  ] as const)('%s %j', (format, value, text, written) => {
    expect(textOfValue({ value, format })).toBe(text);
    expect(valueOfText(` ${text} `, { format })).toEqual(written);
  });
  test('may have a comma too many', () => expect(valueOfText(', a,, b, ', { format: 'list' })).toBe('a, b'));
  test('takes a decimal comma in numbers alone', () => {
    expect(['number', 'text'].map((format) => valueOfText('0,29', { format: format as 'number' | 'text' }))).toEqual(['0.29', '0,29']);
  });
  test('of several devices or profiles is a line for each', () => {
    const entry = { name: 'cellar', gateway: '1', features: ['a.*', 'b'] };
    expect(linesOfValue({ format: 'devices', value: [entry, { role: 'type:*' }] })).toEqual([
      'name: cellar, gateway: 1, features: [a.*, b]',
      'role: type:*',
    ]);
    const weeks = { winter: 'daily none', summer: { mon: [] } };
    expect(linesOfValue({ format: 'profiles', value: weeks })).toEqual(['winter: daily none', 'summer: mon: []']);
    expect(linesOfValue({ format: 'text', value: 'mqtt://localhost' })).toEqual(['mqtt://localhost']);
  });
  test('is found by words of its name and its meaning, in any order', () => {
    const row = { path: 'poll.seconds', doc: 'Seconds from poll to poll.' };
    expect(['', 'POLL', 'from poll.sec', 'poll broker'].map((search) => fitsSearch(row, search))).toEqual([true, true, true, false]);
  });
});

describe('what can go wrong on the way', () => {
  test('a login that was denied is begun again on the page, not by a command', () => {
    expect(SETUP_WORDS.en.loginFaults['access_denied']).toMatch(/^(?!.*heating2mqtt).*Begin again/);
  });
  test.each(['en', 'de'] as const)('a broker that closes the connection may want TLS, or speak none: %s', (language) => {
    expect(SETUP_WORDS[language].brokerFaults['ECONNRESET']).toMatch(/TLS.*mqtts:/);
  });
});
