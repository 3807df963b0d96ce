/** Colours and patterns, of which each mode has one; style/colours.ts draws them. */
export const LOOKS = ['amber', 'red', 'blue', 'green', 'violet', 'teal'] as const;

export type Look = (typeof LOOKS)[number];

// What people expect: warmer is warmer.
const EXPECTED: Readonly<Record<string, Look>> = {
  off: 'teal',
  reduced: 'blue',
  eco: 'green',
  normal: 'amber',
  on: 'amber',
  comfort: 'red',
  top: 'red',
  fixed: 'violet',
  levelOne: 'teal',
  levelTwo: 'blue',
  levelThree: 'amber',
  levelFour: 'red',
};

/** The look of each mode; different modes have different looks while there are enough. */
export const looksOf = (modes: readonly string[]): ReadonlyMap<string, Look> => {
  const looks = new Map<string, Look>();
  for (const mode of modes) {
    const expected = Object.hasOwn(EXPECTED, mode) ? EXPECTED[mode] : undefined;
    if (expected && ![...looks.values()].includes(expected)) looks.set(mode, expected);
  }
  for (const [index, mode] of modes.entries()) {
    if (looks.has(mode)) continue;
    const used = new Set(looks.values());
    looks.set(mode, LOOKS.find((look) => !used.has(look)) ?? LOOKS[index % LOOKS.length] ?? 'amber');
  }
  return looks;
};
