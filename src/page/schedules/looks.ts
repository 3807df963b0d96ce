/** Colours of modes. */
const LOOKS = ['amber', 'red', 'blue', 'green', 'violet', 'teal'] as const;

/** The look of each mode. */
export const looksOf = (modes: readonly string[]): ReadonlyMap<string, string> =>
  new Map(modes.map((mode, index) => [mode, LOOKS[index % LOOKS.length] ?? 'amber']));
