/** Colours and patterns, one per mode; style/colours.ts draws them. */
export const LOOKS = ['amber', 'red', 'blue', 'green', 'violet', 'teal'] as const;

export type Look = (typeof LOOKS)[number];

// Warmer colours for warmer modes, as users expect.
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

/** The look of each mode. Modes have different looks while enough looks are left. */
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
