import { describe, expect, onTestFinished, test } from 'vitest';
import { barrier } from '../../support/schedules/writing.ts';
import { CANARY, CANARY_TOPIC, published } from '../../support/system/outcome.ts';
import { untilSo } from '../../support/system/untilSo.ts';
import type { WiredSystem } from '../../support/system/virtualSystem.ts';
import { startVirtualSystem } from '../../support/system/virtualTestSystem.ts';
import { lastOn, poll, startAgain, startWired, warnings } from '../../support/system/wired.ts';

const nested = (depth: number, inner = '1'): string => `${'['.repeat(depth)}${inner}${']'.repeat(depth)}`;
const record = (feature: string, value: string, type = 'array'): string =>
  `{"feature":"${feature}","gatewayId":"7571381699991111","deviceId":"0","isEnabled":true,"isReady":true,"properties":{"value":{"type":"${type}","value":${value}}},"commands":{}}`;
const listOf = (records: readonly string[]): string => `{"data":[${records.join(',')}]}`;

/** Every read is answered so from now on. */
const answerReads = ({ simulator }: WiredSystem, fault: object): void =>
  void simulator.control({ command: 'fault', match: { path: '/features' }, ...fault });

const MUCH = 1_000_000;
const BRACKETS_IN_ERROR = { status: 500, body: `{"errorType":"X","extendedPayload":{"details":${nested(MUCH / 2)}}}` };

describe('an answer of', () => {
  test.each<[what: string, fault: object, code: string]>([
    ['JSON called a page', { body: { data: [] }, contentType: 'text/html; charset=utf-8' }, 'bad_answer'],
    ['a megabyte of brackets', { body: `{"x":${nested(MUCH / 2)}}` }, 'bad_answer'],
    ['a megabyte of brackets in an error', BRACKETS_IN_ERROR, 'server_error'],
    ['a megabyte of one text', { body: `"${'x'.repeat(MUCH)}"` }, 'bad_answer'],
  ])('%s is told once, and harms nothing that was there', async (_, fault, code) => {
    const system = await startWired();
    system.forget();
    answerReads(system, fault);
    for (let polls = 0; polls < 2; polls += 1) await poll(system);
    expect(warnings(system)).toMatchObject([{ level: 'warn', facts: { code }, sentence: 'reading failed; the last values are kept' }]);
    expect(JSON.stringify(warnings(system)).length).toBeLessThan(1500);
    system.simulator.control({ command: 'clear' });
    system.simulator.control({ command: 'set', feature: CANARY, property: 'value', value: 33.3 });
    await poll(system);
    expect(lastOn(system, CANARY_TOPIC)).toBe('33.3');
    expect(warnings(system)).toHaveLength(1);
    expect(system.messages.filter(({ topic, payload }) => topic.startsWith('heating2mqtt/home/') && payload === '')).toEqual([]);
  });

  test('3 MB that make sense is taken', async () => {
    const system = await startWired();
    const records = Array.from({ length: 3000 }, (_, index) => record(`heating.much.${index}`, `"${'y'.repeat(900)}"`, 'string'));
    answerReads(system, { times: 1, body: listOf(records) });
    await poll(system);
    // So many records are taken in several turns of the loop.
    await untilSo(() => lastOn(system, 'heating2mqtt/home/heating/much/2999/value')?.length === 900);
    expect(warnings(system)).toEqual([]);
  });

  test('values that contradict their types shows them as they are, and tells each once', async () => {
    const system = await startWired();
    const values: readonly (readonly [feature: string, type: string, json: string, shown: string])[] = [
      ['heating.odd.number', 'number', '"n/a"', 'n/a'],
      ['heating.odd.boolean', 'boolean', '7', '7'],
      ['heating.odd.array', 'array', '"none"', 'none'],
      ['heating.odd.schedule', 'Schedule', '"daily 06:00-22:00"', 'daily 06:00-22:00'],
      ['heating.odd.text', 'string', '{"a":1}', '{"a":1}'],
    ];
    answerReads(system, { body: listOf(values.map(([feature, type, json]) => record(feature, json, type))) });
    for (let polls = 0; polls < 2; polls += 1) await poll(system);
    for (const [feature, , , shown] of values)
      expect(lastOn(system, `heating2mqtt/home/${feature.replaceAll('.', '/')}/value`)).toBe(shown);
    expect(warnings(system).map(({ facts, sentence }) => [Object.values(facts)[1], sentence])).toEqual(
      values.map(([feature]) => [
        feature,
        'the type of a value differs from the type that the platform declares; the value is published unchanged',
      ]),
    );
    system.forget();
    await startAgain(system);
    expect(system.retained.get('heating2mqtt/home/heating/odd/number/value')).toBe('n/a');
  });

  test('one record that is nested without end spoils itself only', async () => {
    const system = await startWired();
    answerReads(system, { body: listOf([record('heating.deep', nested(50_000)), record(CANARY, '21.25', 'number')]) });
    for (let polls = 0; polls < 2; polls += 1) await poll(system);
    system.send('heating2mqtt/bridge/republish/set', 'go');
    await poll(system);
    expect(lastOn(system, CANARY_TOPIC)).toBe('21.25');
    expect(system.messages.filter(({ topic }) => topic.includes('/heating/deep/'))).toEqual([]);
    expect(warnings(system).map(({ sentence }) => sentence)).toEqual(['a record is invalid and is ignored']);
    await startAgain(system);
  });
});

test.each([
  ['brackets', { body: `{"data":${nested(MUCH / 2)}}` }],
  ['nothings', { body: `{"data":[${'null,'.repeat(MUCH / 10)}null]}` }],
  ['brackets in an error', BRACKETS_IN_ERROR],
])('a list of devices that is nothing but %s is told once, and the bridge goes on', async (_, fault) => {
  const system = await startVirtualSystem({
    overrides: { platform: { profile: 'v2', read: 'auto' }, choices: [] },
    prepare: (simulator) => void simulator.control({ command: 'fault', match: { path: '/equipment/installations' }, ...fault }),
  });
  onTestFinished(() => system.close());
  await published(system);
  await barrier(system);
  expect(warnings(system).map(({ sentence }) => sentence)).toEqual(['the list of devices could not be read; the known devices stay']);
});
