import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { devicesOf } from '../../../src/page/model/device.ts';
import { homeAssistantYaml, mosquittoLine, shellWord } from '../../../src/page/model/snippets.ts';
import { searchValues, type Value, valuesOf } from '../../../src/page/model/values.ts';
import { readCommandTopic } from '../../../src/topics/topicNames.ts';
import { runs } from '../../support/chance.ts';
import { allDevices, fixtureDevice } from '../../support/devices/deviceFiles.ts';
import { retainedOf } from '../../support/page/retainedOf.ts';

const BASE = 'heating2mqtt';

const valuesIn = (device: string, features: Parameters<typeof retainedOf>[1]): readonly Value[] =>
  valuesOf(devicesOf(retainedOf(device, features), BASE), BASE);

const fixture = (): readonly Value[] => valuesIn('home', fixtureDevice('boiler'));

test('what is measured or can be set comes first, lists and records last', () => {
  const kinds = fixture().map(({ unit, control, value }) =>
    typeof value === 'object' ? 'object' : unit !== '' || (control && control.kind !== 'text') ? 'useful' : 'other',
  );
  expect(kinds.slice(0, 10)).toEqual(Array(10).fill('useful'));
  expect(kinds.slice(kinds.indexOf('object')).filter((kind) => kind !== 'object')).toEqual([]);
});

const PLATFORMS = ['sensor', 'binary_sensor', 'number', 'select', 'switch', 'text'];

describe('the values of a device', () => {
  test.each(allDevices())(
    '$name: every property, with a control where it can be written and YAML that can be read',
    ({ name, features }) => {
      const topics = retainedOf(name, features);
      const values = valuesIn(name, features);
      const published = features.filter(({ properties, commands }) => properties.size + commands.size > 0);
      expect(values.length).toBe(published.reduce((sum, { properties }) => sum + properties.size, 0));
      for (const value of values) {
        const { topic, control, isAlone } = value;
        if (control) expect(readCommandTopic(BASE, `${topic}/set`), topic).toMatchObject({ kind: 'set', device: name });
        if (control?.kind === 'choice') expect(control.choices.length).toBeGreaterThan(0);
        if (value.value !== undefined && value.value !== '' && value.value !== null) expect(topics.has(topic), topic).toBe(true);
        const yaml = homeAssistantYaml(value, BASE);
        expect(yaml === undefined).toBe(!isAlone);
        if (yaml === undefined) continue;
        const { mqtt } = parse(yaml) as { mqtt: readonly Record<string, Record<string, unknown>>[] };
        const [[platform, config] = []] = mqtt.map((one) => Object.entries(one)[0] ?? []);
        expect(PLATFORMS).toContain(platform);
        expect(config).toMatchObject({
          state_topic: topic,
          unique_id: expect.any(String),
          availability: [{ topic: `${BASE}/bridge/state` }, {}],
        });
        expect(config?.['command_topic'] === undefined || control !== undefined).toBe(true);
      }
    },
  );

  test('have the limits and the choices of the record', () => {
    const values = allDevices().flatMap(({ name, features }) => valuesIn(name, features));
    const kinds = new Set(values.map(({ control }) => control?.kind));
    expect([...kinds].map(String).sort()).toEqual(['choice', 'number', 'switch', 'text', 'undefined']);
    const mode = values.find(({ feature, property }) => /circuits\.0\.operating\.modes\.active$/.test(feature) && property === 'value');
    expect(mode?.control).toMatchObject({ kind: 'choice', choices: expect.arrayContaining(['standby']) });
    const target = values.find(({ feature, control }) => feature === 'heating.dhw.temperature.main' && control);
    expect(target?.control).toMatchObject({ kind: 'number', min: expect.any(Number), max: expect.any(Number), step: expect.any(Number) });
  });

  test('are found by words of their path, in any order', () => {
    const values = fixture();
    const names = (search: string): readonly string[] => searchValues(values, search).map(({ feature }) => feature);
    expect(names('OUTSIDE temp')).toContain('heating.sensors.temperature.outside');
    expect(names('temp/erature outside')).toEqual([]);
    expect(names('sensors/temperature outside value')).toContain('heating.sensors.temperature.outside');
    expect(names('  ').length).toBe(values.length);
    // Also by what people call them, in either language.
    expect(names('outside temperature')).toContain('heating.sensors.temperature.outside');
    expect(names('außentemperatur')).toContain('heating.sensors.temperature.outside');
  });
});

describe('texts to copy', () => {
  test('a number, a mode and a reading, for Home Assistant', () => {
    const value = (over: Partial<Value>): Value => ({
      ...{ device: 'home', feature: 'a.b', property: 'value', type: 'number', unit: 'celsius', topic: 'base/home/a/b/value' },
      ...{ isAlone: true, path: '' },
      ...over,
    });
    const read = (over: Partial<Value>): unknown => (parse(homeAssistantYaml(value(over), 'base') ?? '') as { mqtt: unknown }).mqtt;
    const limits = { min: 10, max: 60, step: 0.5 };
    const celsius = { unit_of_measurement: '°C', device_class: 'temperature' };
    expect(read({ control: { kind: 'number', ...limits } })).toMatchObject([
      { number: { command_topic: 'base/home/a/b/value/set', ...limits, ...celsius } },
    ]);
    expect(read({ type: 'string', unit: '', control: { kind: 'choice', choices: ['off', 'yes', '1'] } })).toMatchObject([
      { select: { options: ['off', 'yes', '1'] } },
    ]);
    expect(read({})).toMatchObject([{ sensor: { name: 'home a.b', state_class: 'measurement' } }]);
    expect(read({ type: 'boolean', control: { kind: 'switch', values: [true, false] } })).toMatchObject([
      { switch: { payload_on: 'true', payload_off: 'false' } },
    ]);
  });

  test('no name and no topic breaks the YAML', () => {
    const anything = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(anything, anything, (device, word) => {
        const place = { device, feature: word, property: 'value', topic: `base/${device}/${word}`, isAlone: true, path: '' };
        const value: Value = { ...place, type: 'string', unit: '', control: { kind: 'choice', choices: [word] } };
        expect(parse(homeAssistantYaml(value, 'base') ?? '')).toMatchObject({
          mqtt: [{ select: { name: `${device} ${word}`, state_topic: `base/${device}/${word}`, options: [word] } }],
        });
      }),
      { numRuns: runs(200) },
    );
  });

  test('a shell takes every word as it is', () => {
    const word = fc.string({ unit: fc.constantFrom(...` abc'"$\`\\!*;&|<>(){}\n~#%äé`), minLength: 1 });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), (words) => {
        const printed = execFileSync('sh', ['-c', `printf '%s\\0' ${words.map(shellWord).join(' ')}`], { encoding: 'utf8' });
        expect(printed.split('\0').slice(0, -1)).toEqual(words);
      }),
      { numRuns: runs(20) },
    );
  });

  test('a control cannot act as a key where a word is pasted, and none is in the YAML', () => {
    const hostile = "\u0003rm -rf ~\n'\\\u001b[201~\u009b\u0085\u2028\u202e";
    expect(shellWord(hostile)).toBe(`${String.raw`$'\x03rm -rf ~\x0a\'\\\x1b[201~\xc2\x9b\xc2\x85`}\u2028\u202e'`);
    const place = { device: hostile, feature: 'a', property: 'value', topic: 'b/a', isAlone: true, path: '' };
    const yaml = homeAssistantYaml({ ...place, type: 'string', unit: '' }, 'base') ?? '';
    expect(yaml).not.toMatch(/[^\P{Cc}\n]|[\u2028\u202e]/u);
    expect(parse(yaml)).toMatchObject({ mqtt: [{ sensor: { name: `${hostile} a` } }] });
  });

  test('a line for mosquitto names the broker and its user, and no password', () => {
    const settings = { url: 'mqtt://broker.local:1884', username: "o'neil" };
    const value: Value = {
      ...{ device: 'home', feature: 'a', property: 'value', type: 'string', unit: '', topic: 'b/home/a/value', isAlone: true, path: '' },
      value: 'eco mode',
    };
    const broker = `-h broker.local -p 1884 -u 'o'\\''neil' -P "$MQTT_PASSWORD"`;
    expect(mosquittoLine({ ...value, control: { kind: 'text' } }, settings)).toBe(
      `mosquitto_pub ${broker} -t b/home/a/value/set -m 'eco mode'`,
    );
    expect(mosquittoLine(value, { url: '', username: '' })).toBe('mosquitto_sub -v -t b/home/a/value');
  });
});
