import { type Context, createContext, Script } from 'node:vm';

// A thousand times what the platform's patterns need.
const LIMIT_MS = 250;
/** On a machine that gives this process no time, the limit passes without any work: then it counts again. */
const TRIES = 8;

let sandbox: { readonly context: Context; readonly script: Script } | undefined;

/**
 * Whether the text matches an untrusted pattern (flag `u`); undefined if the pattern is invalid or takes longer than 250 ms of the
 * processor. Nested repetitions can take centuries, and only `node:vm` can interrupt them. A normal match takes about 0.2 ms.
 */
export const matchesPattern = (text: string, pattern: string): boolean | undefined => {
  sandbox ??= { context: createContext(Object.create(null)), script: new Script('new RegExp(pattern, "u").test(text)') };
  sandbox.context.pattern = pattern;
  sandbox.context.text = text;
  for (let tries = TRIES; tries > 0; tries -= 1) {
    // Anew each time: other threads of this process go on while this one waits for the processor.
    const before = process.cpuUsage();
    try {
      return sandbox.script.runInContext(sandbox.context, { timeout: LIMIT_MS }) === true;
    } catch (cause) {
      const isSlow = cause instanceof Error && 'code' in cause && cause.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
      const { user, system } = process.cpuUsage(before);
      if (!isSlow || user + system >= LIMIT_MS * 1000) return undefined;
    }
  }
  return undefined;
};
