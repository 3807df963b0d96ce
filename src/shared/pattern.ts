import { type Context, createContext, Script } from 'node:vm';
import picomatch from 'picomatch';
import { codeOf } from './errors.ts';

// A thousand times the need of the platform's patterns.
const LIMIT_MS = 250;
/** On an overloaded machine the limit may pass without CPU time; then the match runs again. */
const TRIES = 8;

let sandbox: { readonly context: Context; readonly script: Script } | undefined;

/**
 * Whether the text matches an untrusted pattern (flag `u`); undefined if the pattern is invalid or takes more
 * than 250 ms of CPU time. Nested repetitions can take centuries, and only `node:vm` can interrupt them. A
 * normal match takes about 0.2 ms.
 */
export const matchesPattern = (text: string, pattern: string): boolean | undefined => {
  sandbox ??= { context: createContext(Object.create(null)), script: new Script('new RegExp(pattern, "u").test(text)') };
  sandbox.context.pattern = pattern;
  sandbox.context.text = text;
  for (let tries = TRIES; tries > 0; tries -= 1) {
    // Measured per try: other threads of this process run while this one waits for the CPU.
    const before = process.cpuUsage();
    try {
      return sandbox.script.runInContext(sandbox.context, { timeout: LIMIT_MS }) === true;
    } catch (cause) {
      const isSlow = codeOf(cause) === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
      const { user, system } = process.cpuUsage(before);
      if (!isSlow || user + system >= LIMIT_MS * 1000) return undefined;
    }
  }
  return undefined;
};

// With `bash`, `*` also matches slashes and dots: in `feature/command` one star matches any depth.
const OPTIONS = { bash: true, dot: true };

/** Compiled globs. There are few, and each read matches them against every feature. */
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
