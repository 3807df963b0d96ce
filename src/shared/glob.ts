import picomatch from 'picomatch';

// `bash` lets `*` span slashes as well as dots: in `feature/command` one star has to stand for any depth.
const OPTIONS = { bash: true, dot: true };

/** A glob is compiled once: settings hold a few, and every feature of every read is matched. */
const compiled = new Map<string, (name: string) => boolean>();

const matcherOf = (glob: string): ((name: string) => boolean) => {
  const known = compiled.get(glob);
  if (known) return known;
  const matches = glob === '*' ? () => true : picomatch(glob, OPTIONS);
  compiled.set(glob, matches);
  return matches;
};

/** True where any of the globs matches the whole of `name`: `heating.circuits.*.heating.schedule`, `*.statistics`. */
export const matchesAny = (name: string, globs: readonly string[]): boolean => globs.some((glob) => glob === name || matcherOf(glob)(name));

/** True where the text is a pattern rather than a name. */
export const isGlob = (text: string): boolean => /[*?[\]{}!]/.test(text);
