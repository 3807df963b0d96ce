import fc from 'fast-check';
import { isDeeperThan } from '../../src/base/json.ts';

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

export type Spoil =
  | { readonly how: 'cut'; readonly share: Share }
  | { readonly how: 'whole'; readonly text: string }
  | { readonly how: 'byte'; readonly share: Share; readonly byte: number }
  | {
      readonly how: 'nonsense';
      readonly line: Share;
      readonly place: Share;
      readonly alike: boolean;
      readonly which: Share;
      readonly value: unknown;
    }
  | { readonly how: 'without'; readonly line: Share; readonly place: Share }
  | { readonly how: 'renamed'; readonly line: Share; readonly place: Share; readonly key: string }
  | { readonly how: 'deep'; readonly line: Share; readonly place: Share }
  | { readonly how: 'twice'; readonly line: Share }
  | { readonly how: 'lost'; readonly line: Share };

const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const nonsense = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...NUMBERS, ...TEXTS, ...OTHERS) }, fc.jsonValue());

/** Ways to spoil a file. */
export const spoils: fc.Arbitrary<Spoil> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ how: fc.constant('cut' as const), share }) },
  {
    weight: 1,
    arbitrary: fc.record({
      how: fc.constant('whole' as const),
      text: fc.oneof(
        fc.constantFrom('', '\n', 'null', '[]', '{}', '{"version":1}', '{"version":1}\n{}\nnull\n[]\n', '\u0000'.repeat(100)),
        fc.string(),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ how: fc.constant('byte' as const), share, byte: fc.nat(255) }) },
  {
    weight: 10,
    arbitrary: fc.record({
      how: fc.constant('nonsense' as const),
      line: share,
      place: share,
      alike: fc.boolean(),
      which: share,
      value: nonsense,
    }),
  },
  { weight: 2, arbitrary: fc.record({ how: fc.constant('without' as const), line: share, place: share }) },
  {
    weight: 1,
    arbitrary: fc.record({
      how: fc.constant('renamed' as const),
      line: share,
      place: share,
      key: fc.constantFrom('', '__proto__', 'constructor', 'x'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ how: fc.constant('deep' as const), line: share, place: share }) },
  { weight: 1, arbitrary: fc.record({ how: fc.constant('twice' as const), line: share }) },
  { weight: 1, arbitrary: fc.record({ how: fc.constant('lost' as const), line: share }) },
);

const DEEP = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
const MARK = 'the place of what is deep';

/** Nonsense of the same type, which the first looks at a file let through. */
const likeIt = (part: unknown, which: Share): unknown =>
  typeof part === 'number' ? at(NUMBERS, which) : typeof part === 'string' ? at(TEXTS, which) : undefined;

const spoiledLine = (text: string, spoil: Extract<Spoil, { readonly place: Share }>): string => {
  const value = parsed(text);
  if (value === undefined) return text;
  const place = at(placesIn(value), spoil.place) ?? [];
  switch (spoil.how) {
    case 'nonsense':
      return JSON.stringify(changed(value, place, (part) => (spoil.alike ? likeIt(part, spoil.which) : undefined) ?? spoil.value)) ?? '';
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
