import fc from 'fast-check';
import { isDeeperThan } from '../../../src/shared/json.ts';

// What no file of ours holds: numbers beyond every range, texts that mean something to JavaScript or MQTT, wrong types.
const NUMBERS: readonly number[] = [
  0,
  -1,
  0.5,
  1e308,
  -1e308,
  8.64e15 + 2,
  -8.64e15 - 2,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
  253_402_300_800_000,
  Date.UTC(1969, 1),
];
const TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  '__proto__',
  'constructor',
  'x'.repeat(70_000),
  '\ud800',
  '2026-99-99T99:99:99Z',
  '+275760-09-13T00:00:00.001Z',
  '+#/',
  '1 2',
  '/',
  '{}',
];
const OTHERS: readonly unknown[] = [null, true, false, [], [[]], [null], {}, { is: 'feature' }, { toString: 1, length: -1 }];

type Step = string | number;

/** Every place in a value of JSON, the value itself first. */
const placesIn = (value: unknown, path: readonly Step[] = []): readonly (readonly Step[])[] => {
  if (Array.isArray(value)) return [path, ...value.flatMap((item: unknown, index) => placesIn(item, [...path, index]))];
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, item]) => placesIn(item, [...path, key]))];
};

const changed = (value: unknown, path: readonly Step[], change: (part: unknown) => unknown): unknown => {
  const [step, ...rest] = path;
  if (step === undefined) return change(value);
  if (Array.isArray(value)) return value.map((item: unknown, index) => (index === step ? changed(item, rest, change) : item));
  return Object.fromEntries(Object.entries(Object(value)).map(([key, item]) => [key, key === step ? changed(item, rest, change) : item]));
};

const partAt = (value: unknown, path: readonly Step[]): unknown =>
  path.reduce<unknown>((part, step) => (typeof part === 'object' && part !== null ? Reflect.get(part, step) : undefined), value);

const parsed = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    // What was made deep stays as it is.
    return isDeeperThan(value, 1000) ? undefined : value;
  } catch {
    return undefined;
  }
};

/** A place in something of any length, as a share of it. */
type Share = number;
const at = <T>(items: readonly T[], share: Share): T | undefined => items[Math.min(items.length - 1, Math.floor(share * items.length))];

/** Places of one line: `nonsense` of any type, or where it is `alike` of the type that was there, which the first look at a file lets through. */
export type Spoil =
  | { readonly how: 'cut'; readonly share: Share }
  | { readonly how: 'whole'; readonly text: string }
  | { readonly how: 'byte'; readonly share: Share; readonly byte: number }
  | { readonly how: 'alike'; readonly line: Share; readonly place: Share; readonly of: 'number' | 'string'; readonly which: Share }
  | { readonly how: 'nonsense'; readonly line: Share; readonly place: Share; readonly value: unknown }
  | { readonly how: 'without'; readonly line: Share; readonly place: Share }
  | { readonly how: 'renamed'; readonly line: Share; readonly place: Share; readonly key: string }
  | { readonly how: 'deep'; readonly line: Share; readonly place: Share }
  | { readonly how: 'twice'; readonly line: Share }
  | { readonly how: 'lost'; readonly line: Share };

// Not fc.double, most of whose values are next to 0.
const share = fc.noBias(fc.nat(999_999)).map((millionths) => millionths / 1e6);
const how = <const How extends string>(name: How): fc.Arbitrary<How> => fc.constant(name);
const place = { line: share, place: share };
const nonsense = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...NUMBERS, ...TEXTS, ...OTHERS) }, fc.jsonValue());
const WHOLE = ['', '\n', 'null', '[]', '{}', '{"version":1}', '{"version":1}\n{}\nnull\n[]\n', '\u0000'.repeat(100)];

const alike = (of: 'number' | 'string'): fc.Arbitrary<Spoil> =>
  fc.record({ how: how('alike'), ...place, of: fc.constant(of), which: share });
const inPlace: fc.Arbitrary<Spoil> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ how: how('nonsense'), ...place, value: nonsense }) },
  { weight: 2, arbitrary: fc.record({ how: how('without'), ...place }) },
  fc.record({ how: how('renamed'), ...place, key: fc.constantFrom('', '__proto__', 'constructor', 'x') }),
  fc.record({ how: how('deep'), ...place }),
  fc.record({ how: how('twice'), line: share }),
  fc.record({ how: how('lost'), line: share }),
);
const ofAll: fc.Arbitrary<Spoil> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ how: how('cut'), share }) },
  fc.record({ how: how('whole'), text: fc.oneof(fc.constantFrom(...WHOLE), fc.string()) }),
  fc.record({ how: how('byte'), share, byte: fc.nat(255) }),
);

/** Ways to spoil a file: mostly such that much of it is still believed. */
export const spoils: fc.Arbitrary<readonly Spoil[]> = fc.oneof(
  { weight: 4, arbitrary: fc.array(alike('number'), { minLength: 1, maxLength: 6 }) },
  { weight: 2, arbitrary: fc.array(alike('string'), { minLength: 1, maxLength: 6 }) },
  { weight: 3, arbitrary: fc.array(inPlace, { maxLength: 3 }) },
  fc.array(ofAll, { minLength: 1, maxLength: 1 }),
);

const DEEP = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
const MARK = 'the place of what is deep';

const spoiledLine = (text: string, spoil: Extract<Spoil, { readonly place: Share }>): string => {
  const value = parsed(text);
  if (value === undefined) return text;
  const all = placesIn(value);
  const fitting = spoil.how === 'alike' ? all.filter((path) => typeof partAt(value, path) === spoil.of) : all;
  const place = at(fitting, spoil.place);
  if (place === undefined) return text;
  switch (spoil.how) {
    case 'alike':
      return JSON.stringify(changed(value, place, () => at<unknown>(spoil.of === 'number' ? NUMBERS : TEXTS, spoil.which))) ?? '';
    case 'nonsense':
      return JSON.stringify(changed(value, place, () => spoil.value)) ?? '';
    case 'deep':
      return (JSON.stringify(changed(value, place, () => MARK)) ?? '').replace(`"${MARK}"`, DEEP);
    case 'without':
      return JSON.stringify(changed(value, place, () => undefined)) ?? '';
    case 'renamed': {
      const last = place.at(-1);
      const rename = (part: unknown): unknown =>
        Object.fromEntries(Object.entries(Object(part)).map(([key, item]) => [key === last ? spoil.key : key, item]));
      return JSON.stringify(changed(value, place.slice(0, -1), rename)) ?? '';
    }
    default:
      return spoil satisfies never;
  }
};

/** The text of a file, of one JSON value or of one a line, spoiled. */
export const spoiled = (text: string, spoil: Spoil): Buffer => {
  const bytes = Buffer.from(text);
  if (spoil.how === 'cut') return bytes.subarray(0, Math.floor(spoil.share * bytes.length));
  if (spoil.how === 'whole') return Buffer.from(spoil.text);
  if (spoil.how === 'byte') {
    bytes[Math.floor(spoil.share * bytes.length)] = spoil.byte;
    return bytes;
  }
  const lines = parsed(text) === undefined ? text.split('\n') : [text];
  const index = Math.floor(spoil.line * lines.length);
  const line = lines[index] ?? '';
  if (spoil.how === 'twice') lines.splice(index, 0, line);
  else if (spoil.how === 'lost') lines.splice(index, 1);
  else lines[index] = spoiledLine(line, spoil);
  return Buffer.from(lines.join('\n'));
};
