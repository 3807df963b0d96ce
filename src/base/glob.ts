import picomatch from 'picomatch';

// `bash` lets `*` span slashes as well as dots: in `feature/command` one star has to stand for any depth.
const OPTIONS = { bash: true, dot: true };

/** True where any of the globs matches the whole of `name`: `heating.circuits.*.heating.schedule`, `*.statistics`. */
export const matchesAny = (name: string, globs: readonly string[]): boolean =>
  globs.some((glob) => glob === name || picomatch.isMatch(name, glob, OPTIONS));

/** True where the text is a pattern rather than a name. */
export const isGlob = (text: string): boolean => /[*?[\]{}!]/.test(text);
