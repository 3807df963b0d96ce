import picomatch from 'picomatch';

// With `bash`, `*` matches slashes and dots too: in `feature/command` one star stands for any depth.
const OPTIONS = { bash: true, dot: true };

/** Compiled globs. Settings have few, and they are matched against every feature of every read. */
const compiled = new Map<string, (name: string) => boolean>();

const matcherOf = (glob: string): ((name: string) => boolean) => {
  const known = compiled.get(glob);
  if (known) return known;
  const matches = glob === '*' ? () => true : picomatch(glob, OPTIONS);
  compiled.set(glob, matches);
  return matches;
};

/** True if a glob matches all of `name`: `heating.circuits.*.heating.schedule`, `*.statistics`. */
export const matchesAny = (name: string, globs: readonly string[]): boolean => {
  for (const glob of globs) if (glob === name || matcherOf(glob)(name)) return true;
  return false;
};

/** True if the text is a pattern, not a name. */
export const isGlob = (text: string): boolean => /[*?[\]{}!]/.test(text);
