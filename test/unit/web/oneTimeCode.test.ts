import { expect, test } from 'vitest';
import { oneTimeCode } from '../../../src/web/setup/oneTimeCode.ts';

const world = () => {
  const codes: string[] = [];
  let nowMs = 0;
  const code = oneTimeCode({ elapsedMs: () => nowMs }, (shown) => void codes.push(shown));
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { codes, code, pass };
};

const MINUTE_MS = 60_000;

test('has 65 bits in letters that are not mistaken for others', () => {
  const { codes, code, pass } = world();
  for (let i = 0; i < 50; i += 1) {
    code.show();
    pass(15 * MINUTE_MS);
  }
  expect(new Set(codes).size).toBe(50);
  for (const one of codes) expect(one).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{5}$/);
});

test('works for 15 minutes; then another one is in the log', () => {
  const { codes, code, pass } = world();
  code.show();
  pass(15 * MINUTE_MS - 1);
  code.show();
  expect(codes).toHaveLength(1);
  pass(1);
  expect(code.use(codes[0] ?? '')).toBe(false);
  expect(codes).toHaveLength(2);
  expect(code.use(codes[1] ?? '')).toBe(true);
});

test('is not ended by wrong tries, and works once', () => {
  const { codes, code } = world();
  for (let i = 0; i < 100; i += 1) expect(code.use('no')).toBe(false);
  expect([code.use(codes[0] ?? ''), code.use(codes[0] ?? '')]).toEqual([true, false]);
  expect(codes).toHaveLength(2);
});

test.each([
  ['small letters', (code: string) => code.toLowerCase()],
  ['no hyphens', (code: string) => code.replaceAll('-', '')],
  ['blanks around it', (code: string) => ` ${code.replaceAll('-', ' ')}\n`],
  ['O for zero and I for one', (code: string) => code.replaceAll('0', 'O').replaceAll('1', 'l')],
])('is taken with %s', (_, typed) => {
  const { codes, code } = world();
  code.show();
  expect(code.use(typed(codes[0] ?? ''))).toBe(true);
});
