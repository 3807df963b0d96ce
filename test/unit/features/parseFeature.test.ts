import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/features/feature.ts';
import { cutRecords, parseFeature, recordsOf } from '../../../src/features/parseFeature.ts';
import { allRecords, expectFound } from '../../support/devices/deviceFiles.ts';
import { expectTable } from '../../support/golden.ts';

const CURVE = {
  feature: 'heating.circuits.0.heating.curve',
  gatewayId: '7571381600000001',
  deviceId: '0',
  apiVersion: 1,
  isEnabled: true,
  isReady: true,
  timestamp: '2026-11-21T05:14:04.320Z',
  uri: 'https://platform.example/features/heating.circuits.0.heating.curve',
  properties: { shift: { type: 'number', unit: '', value: 0 }, slope: { type: 'number', unit: '', value: 1.1 } },
  commands: {
    setCurve: {
      name: 'setCurve',
      isExecutable: true,
      uri: 'https://platform.example/commands/setCurve',
      params: { slope: { type: 'number', required: true, constraints: { min: 0.2, max: 3.5, stepping: 0.1 } } },
    },
  },
};

const parsed = (raw: unknown) => {
  const feature = parseFeature(raw);
  if (!feature.ok) throw new Error(JSON.stringify(feature.issues));
  return feature.value;
};

const refusedAt = (raw: unknown) => {
  const feature = parseFeature(raw);
  return feature.ok ? 'accepted' : feature.issues.map((issue) => issue.path);
};

describe('recordsOf', () => {
  test.each([
    ['a wrapped record', { data: CURVE }, [CURVE]],
    ['a wrapped list', { data: [CURVE, 1], device: { id: '0' } }, [CURVE, 1]],
    ['a bare record', CURVE, [CURVE]],
    ['a bare list', [CURVE], [CURVE]],
    ['an empty list', { data: [] }, []],
    ['an error body', { statusCode: 429, errorType: 'RATE_LIMIT_EXCEEDED' }, undefined],
    ['the answer of a command', { data: { success: true } }, undefined],
    ['no object', 'OK', undefined],
    ['null', null, undefined],
    ['data that is null', { data: null }, undefined],
  ])('gives the records of %s', (_, body, records) => expect(recordsOf(body)).toEqual(records));
});

describe('cutRecords', () => {
  const parsedCut = (body: string): unknown => cutRecords<unknown>(body, 1000, (text) => JSON.parse(text));

  test('cuts the list of every device whose records have the same first member', () => {
    const firstOf = (record: unknown) => Object.keys(Object(record))[0];
    for (const records of Map.groupBy(allRecords(), ({ file }) => file).values()) {
      const data = records.map(({ record }) => record);
      const isSame = data.every((record) => firstOf(record) === firstOf(data[0]));
      expect(parsedCut(JSON.stringify({ data }))).toEqual(isSame ? data : undefined);
    }
  });

  test.each([
    ['one record', [{ a: 1 }], true],
    ['the first member within a value', [{ a: { a: [{ a: 1 }, { a: 2 }] } }, { a: '},{"a":' }], false],
    ['the first member in a text', [{ a: '},{"a":' }, { a: '"}]}' }], true],
    ['another first member', [{ a: 1 }, { b: 2 }], false],
    ['an empty record', [{}, { a: 1 }], false],
    ['what is no record', [1, { a: 1 }], false],
  ])('leaves nothing out with %s', (_, data, isCut) => expect(parsedCut(JSON.stringify({ data }))).toEqual(isCut ? data : undefined));

  test('gives nothing that the body as a whole does not say', () => {
    const parts = ['{"data":[', '{"a":', '{"b":', '1', '"a"', '"},{\\"a\\":"', '{}', '[', ']', '{', '}', ',', '}]}', '"', ' ', ':'];
    const body = fc.array(fc.constantFrom(...parts), { maxLength: 14 }).map((some) => `{"data":[{"a":${some.join('')}}]}`);
    fc.assert(
      fc.property(body, (text) => {
        const data = parsedCut(text);
        if (data !== undefined) expect({ data }).toEqual(JSON.parse(text));
      }),
      { numRuns: 3000 },
    );
  });
});

describe('parseFeature', () => {
  test('gives a record its meaning', () => {
    expect(parsed(CURVE)).toEqual({
      name: 'heating.circuits.0.heating.curve',
      gateway: '7571381600000001',
      device: '0',
      isEnabled: true,
      isReady: true,
      timestamp: '2026-11-21T05:14:04.320Z',
      properties: new Map([
        ['shift', { type: 'number', unit: '', value: 0 }],
        ['slope', { type: 'number', unit: '', value: 1.1 }],
      ]),
      commands: new Map([
        [
          'setCurve',
          {
            name: 'setCurve',
            isExecutable: true,
            params: new Map([['slope', { type: 'number', required: true, constraints: { min: 0.2, max: 3.5, stepping: 0.1 } }]]),
          },
        ],
      ]),
    });
  });

  test('takes a record of a gateway, with nothing that may be missing', () => {
    const least = { feature: 'gateway.wifi', gatewayId: '1', isEnabled: false, isReady: true };
    expect(parsed(least)).toEqual({
      name: 'gateway.wifi',
      gateway: '1',
      isEnabled: false,
      isReady: true,
      properties: new Map(),
      commands: new Map(),
    });
  });

  test.each([
    ['false', false],
    ['true', true],
    [false, false],
    [undefined, true],
  ])('reads isExecutable %j as %j', (isExecutable, expected) => {
    const feature = parsed({ ...CURVE, commands: { setCurve: { ...CURVE.commands.setCurve, isExecutable } } });
    expect(feature.commands.get('setCurve')?.isExecutable).toBe(expected);
  });

  test('reads null as no value, and keeps texts and lists that are empty', () => {
    const properties = {
      a: { type: 'number', value: null },
      b: { type: 'string', value: '' },
      c: { type: 'array', value: [] },
      d: { type: 'number' },
    };
    const feature = parsed({ ...CURVE, properties });
    expect([...feature.properties]).toEqual([
      ['a', { type: 'number' }],
      ['b', { type: 'string', value: '' }],
      ['c', { type: 'array', value: [] }],
      ['d', { type: 'number' }],
    ]);
    expect(feature.issues).toBeUndefined();
  });

  test('reads a number that is none as no value, and a null of any type', () => {
    const properties = JSON.parse('{"a":{"type":"number","value":1e999},"b":{"type":"DeviceList","value":null}}');
    expect([...parsed({ ...CURVE, properties }).properties]).toEqual([
      ['a', { type: 'number' }],
      ['b', { type: 'DeviceList' }],
    ]);
  });

  test('a parameter that does not say so is not required, and has no constraints', () => {
    const commands = { activate: { params: { temperature: { type: 'number' } } } };
    expect(
      parsed({ ...CURVE, commands })
        .commands.get('activate')
        ?.params.get('temperature'),
    ).toEqual({ type: 'number', required: false, constraints: {} });
  });

  test('keeps types it does not know', () => {
    const properties = { value: { type: 'DeviceList', value: [{ roles: ['type:gateway;VitoconnectOpto1'] }] } };
    expect(parsed({ ...CURVE, properties }).properties.get('value')).toEqual(properties.value);
  });

  test('reads deprecation', () => {
    const deprecated = { info: 'replaced by a.b', removalDate: '2024-09-15', other: 1 };
    expect(parsed({ ...CURVE, deprecated: { info: 7 } }).deprecated).toEqual({});
    expect(parsed({ ...CURVE, deprecated }).deprecated).toEqual({ info: 'replaced by a.b', removalDate: '2024-09-15' });
  });

  test('leaves out what makes no sense, and tells it', () => {
    const feature = parsed({
      ...CURVE,
      properties: {
        good: { type: 'boolean', value: true },
        odd: { type: 'number', value: JSON.parse('1e999') },
        none: 7,
        untyped: { value: 1 },
      },
      commands: { ok: { isExecutable: true, params: {} }, off: { isExecutable: 2, params: {} }, x: { params: { y: { required: true } } } },
    });
    expect([...feature.properties]).toEqual([
      ['good', { type: 'boolean', value: true }],
      ['odd', { type: 'number' }],
    ]);
    expect([...feature.commands.keys()]).toEqual(['ok']);
    expect(feature.issues?.map((issue) => issue.path)).toEqual([
      '/properties/odd/value',
      '/properties/none',
      '/properties/untyped/type',
      '/commands/off/isExecutable',
      '/commands/x/params/y/type',
    ]);
  });

  test('keeps a value that is not of its type, and tells it', () =>
    expectTable('oddValues', 10, (type: string, value: Json) => {
      const feature = parsed({ ...CURVE, properties: { good: { type: 'number', value: 1 }, odd: { type, unit: 'x', value } } });
      expect(feature.properties.get('odd')).toEqual({ type, unit: 'x', value });
      return [feature.issues, feature.contradictions?.map(({ path }) => path)];
    }));

  test.each([
    ['no object', 5, ['']],
    ['no name', { ...CURVE, feature: '' }, ['/feature']],
    ['no gateway', { ...CURVE, gatewayId: undefined }, ['/gatewayId']],
    ['flags of another kind', { ...CURVE, isEnabled: 'yes', isReady: 1 }, ['/isEnabled', '/isReady']],
    ['a device that is a list', { ...CURVE, deviceId: [] }, ['/deviceId']],
    ['half a character as an id', { ...CURVE, gatewayId: '\ud800', deviceId: '\udc00' }, ['/gatewayId', '/deviceId']],
    ['properties and commands that are lists', { ...CURVE, properties: [1], commands: 'none' }, ['/properties', '/commands']],
  ])('refuses a record with %s', (_, raw, paths) => expect(refusedAt(raw)).toEqual(paths));

  test('takes names that mean something to JavaScript as names', () => {
    const record = `{"feature":"__proto__","gatewayId":"1","isEnabled":true,"isReady":true,
      "properties":{"__proto__":{"type":"number","value":1},"constructor":{"type":"string","value":"x"}},
      "commands":{"__proto__":{"isExecutable":true,"params":{"constructor":{"type":"number","required":true,"constraints":{}}}}}}`;
    const feature = parsed(JSON.parse(record));
    expect([...feature.properties.keys()]).toEqual(['__proto__', 'constructor']);
    expect([...(feature.commands.get('__proto__')?.params.keys() ?? [])]).toEqual(['constructor']);
  });

  test('never throws, whatever a platform sends', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (raw, part, other) => {
        recordsOf(raw);
        parseFeature(raw);
        const feature = parseFeature({ ...CURVE, properties: { a: part, b: { type: 'number', value: part } }, commands: { c: other } });
        expect(feature.ok).toBe(true);
      }),
    );
  });

  describe('over every device', () => {
    test('understands all records whole', () => {
      const records = allRecords();
      expectFound(records.length, 789);
      for (const { file, record } of records) {
        const feature = parsed(record);
        expect([feature.issues, feature.contradictions], `${file} ${feature.name}`).toEqual([undefined, undefined]);
      }
    });
  });
});
