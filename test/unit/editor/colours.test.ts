import { describe, expect, test } from 'vitest';
import { COLOURS } from '../../../src/editor/style/colours.ts';
import { LOOKS, looksOf } from '../../../src/editor/view/modeLook.ts';

/** The colours of a theme by the names of their properties, as they are without any from outside. */
const coloursOf = (theme: string): ReadonlyMap<string, string> => {
  const block = new RegExp(`\\[data-theme='${theme}'\\]\\) \\{([^}]*)\\}`, 'u').exec(COLOURS)?.[1] ?? '';
  return new Map([...block.matchAll(/--([\w-]+): var\([\w-]+, ([^;]*)\);/gu)].map(([, name = '', colour = '']) => [name, colour]));
};

const partsOf = (hex: string): readonly number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

const luminance = (parts: readonly number[]): number => {
  const [red = 0, green = 0, blue = 0] = parts.map((of255) => {
    const part = of255 / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** The contrast of two colours, by WCAG. */
const contrast = (a: readonly number[], b: readonly number[]): number => {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
};

describe.each(['light', 'dark'])('in %s', (theme) => {
  const colours = coloursOf(theme);
  const of = (name: string): string => colours.get(name) ?? '';

  test.each(LOOKS)('%s can be read, and stands out from the ground', (look) => {
    const parts = (name: string) => partsOf(of(`${look}-${name}`));
    expect(contrast(parts('ink'), parts('fill'))).toBeGreaterThan(4.5);
    expect(contrast(parts('edge'), partsOf(of('c-ground')))).toBeGreaterThan(3);
    expect(contrast(parts('edge'), parts('fill'))).toBeGreaterThan(3);
    // The lines of its pattern are a fifth of its edge.
    const edge = parts('edge');
    const mixed = parts('fill').map((part, at) => Math.round(part * 0.8 + (edge[at] ?? 0) * 0.2));
    expect(contrast(parts('ink'), mixed)).toBeGreaterThan(4.5);
  });

  test.each([
    ['c-text', 'c-surface', 4.5],
    ['c-muted', 'c-raised', 4.5],
    ['c-muted', 'c-ground', 4.5],
    ['c-accent', 'c-raised', 4.5],
    ['c-on-accent', 'c-accent', 4.5],
    ['c-bad', 'c-surface', 4.5],
    ['c-good', 'c-surface', 4.5],
    ['c-text', 'c-bad-ground', 4.5],
    ['c-text', 'c-warn-ground', 4.5],
    ['c-text', 'c-good-ground', 4.5],
    ['c-control', 'c-surface', 3],
    ['c-control', 'c-raised', 3],
    ['c-now', 'c-ground', 3],
  ] as const)('%s on %s', (front, back, least) => expect(contrast(partsOf(of(front)), partsOf(of(back)))).toBeGreaterThan(least));
});

test('modes have different looks while there are enough; those that people know have the ones that they expect', () => {
  const modes = ['normal', 'on', 'boost-x', 'comfort', '5/25-cycles', 'constructor'];
  const looks = looksOf(modes);
  expect(looks.get('normal')).toBe('amber');
  expect(looks.get('comfort')).toBe('red');
  expect(new Set(looks.values()).size).toBe(modes.length);
  expect([...looksOf(Array.from({ length: 12 }, (_, at) => `mode ${at}`)).values()].every((look) => LOOKS.includes(look))).toBe(true);
});
