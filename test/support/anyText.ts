import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };

/** Any character of Unicode. fast-check's own `unit: 'binary'` makes a table of all of them first, which takes seconds. */
const CHARACTER = fc.nat(0x10ffff - SURROGATES.count).map(
  (index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count),
  (text) => {
    const [codePoint, ...more] = typeof text === 'string' ? [...text].map((one) => one.codePointAt(0) ?? 0) : [];
    if (codePoint === undefined || more.length > 0) throw new Error('not one character');
    return codePoint < SURROGATES.first ? codePoint : codePoint - SURROGATES.count;
  },
);

/** Any text, of any characters. */
export const anyText = (constraints: { readonly minLength?: number; readonly maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: CHARACTER });
