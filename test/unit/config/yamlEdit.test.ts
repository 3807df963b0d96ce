import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { exampleYaml } from '../../../src/config/documentation.ts';
import { type Change, changeYaml, type Written } from '../../../src/config/editing/yamlEdit.ts';
import { readYaml } from '../../../src/config/yaml.ts';
import { runs } from '../../support/chance.ts';
import { expectTable } from '../../support/golden.ts';

const change = (text: string, path: string, value: Written): string | undefined => changeYaml(text, [{ path: path.split('.'), value }]);

describe('a change of one setting', () => {
  it('keeps all that is around it', () =>
    expectTable('yamlEdits', 13, (_: string, text: string, path: string, value: Written) => change(text, path, value)));
  it('is refused where it cannot be made', () =>
    expectTable('yamlEditsRefused', 4, (_: string, text: string, path: string) => change(text, path, 'z') ?? 'refused'));
});

const KEY = fc.stringMatching(/^[a-z_]{1,8}$/);
const SCALAR = fc.oneof(
  fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !/[\r\n\p{Cc}\p{Cs}]/u.test(text)),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom('null', '~', '# no comment', '- a', 'a: b', "it's", '"q"', '{', '007', ' blank ', '*', '&a', '!x', '%', '@', '`'),
);
const VALUE: fc.Arbitrary<Written> = fc.oneof(
  { weight: 4, arbitrary: SCALAR },
  fc.array(SCALAR, { maxLength: 3 }),
  fc.array(fc.dictionary(KEY, SCALAR, { minKeys: 1, maxKeys: 3 }), { minLength: 1, maxLength: 3 }),
  fc.dictionary(KEY, SCALAR, { minKeys: 1, maxKeys: 3 }),
);
const CHANGE: fc.Arbitrary<Change> = fc.record({
  path: fc.tuple(KEY, KEY),
  value: fc.option(VALUE, { freq: 4 }),
});

const asText = (value: Written): unknown => {
  if (Array.isArray(value)) return value.map(asText);
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, asText(one)]));
  return String(value);
};

/** Lines of a settings file as people write them. */
const LINES: fc.Arbitrary<string> = fc
  .tuple(
    fc.dictionary(
      KEY,
      fc.dictionary(KEY, fc.constantFrom('1', 'a b', '"x"', "'y'", '[a, b]', '{ c: d }', '0012'), { minKeys: 1, maxKeys: 3 }),
      { maxKeys: 4 },
    ),
    fc.array(fc.constantFrom('', ' ', '# top', '  # within'), { minLength: 12, maxLength: 12 }),
  )
  .map(([sections, between]) =>
    Object.entries(sections)
      .flatMap(([name, members]) => [`${name}:`, ...Object.entries(members).map(([key, value]) => `  ${key}: ${value} # of ${key}`)])
      .map((line, at) => `${between[at % between.length]}\n${line}\n`)
      .join(''),
  );

test('whatever is written is read again, and no other line is touched', () => {
  fc.assert(
    fc.property(LINES, CHANGE, (text, { path, value }) => {
      const after = changeYaml(text, [{ path, value }]);
      const before = readYaml(text).tree as Record<string, Record<string, unknown>> | null;
      const tree = (readYaml(after ?? '').tree ?? {}) as Record<string, Record<string, unknown>>;
      const [section = '', key = ''] = path;
      expect(tree[section]?.[key] ?? null).toEqual(value === null ? null : asText(value));
      const others = Object.entries(before ?? {}).flatMap(([name, members]) =>
        Object.entries(members).map(([member, held]) => [name, member, held] as const),
      );
      for (const [name, member, held] of others) if (name !== section || member !== key) expect(tree[name]?.[member]).toEqual(held);
      const kept = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith(`  ${key}:`));
      const lines = (after ?? '').split('\n');
      for (const line of kept) expect(lines).toContain(line);
    }),
    { numRuns: runs(500) },
  );
});

test('the example file takes any change, and keeps every other line', () => {
  const example = exampleYaml();
  fc.assert(
    fc.property(
      fc.constantFrom('mqtt.username', 'poll.seconds', 'platform.client_id', 'log.level', 'data_dir', 'platform.paths.token'),
      SCALAR,
      (path, value) => {
        const lines = (change(example, path, value) ?? '').split('\n');
        const lost = example.split('\n').filter((line) => !lines.includes(line));
        expect(lost.length).toBeLessThanOrEqual(1);
        expect(lines.length).toBeLessThanOrEqual(example.split('\n').length + 1);
      },
    ),
    { numRuns: runs(200) },
  );
});

test('any text is changed so that it can be read, or left alone; nothing is thrown', () => {
  const pieces = 'mqtt:|url|: |\n|  |- |#c|&a |*a|!t |"|\'|{|}|[|,|>|? |---|%A|<<: |~|\r\n'.split('|').concat('|');
  const text = fc.oneof(
    fc.array(fc.constantFrom(...pieces), { maxLength: 25 }).map((some) => some.join('')),
    fc.string(),
  );
  fc.assert(
    fc.property(text, fc.tuple(fc.constantFrom('mqtt', 'x'), KEY), fc.option(VALUE), (before, path, value) => {
      const after = changeYaml(before, [{ path, value }]);
      if (after !== undefined) expect(readYaml(after).faults).toEqual([]);
    }),
    { numRuns: runs(2000) },
  );
});
