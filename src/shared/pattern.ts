import { type Context, createContext, Script } from 'node:vm';

// A thousand times what the platform's patterns need, so that a busy machine does not reach it.
const LIMIT_MS = 250;

let sandbox: { readonly context: Context; readonly script: Script } | undefined;

/**
 * Whether the text matches an untrusted pattern (flag `u`); undefined if the pattern is invalid or takes longer than 250 ms, twice, since
 * the machine may have been busy with other things. Nested repetitions can take centuries, and only `node:vm` can interrupt them. A normal
 * match takes about 0.2 ms.
 */
export const matchesPattern = (text: string, pattern: string): boolean | undefined => matches(text, pattern, 2);

const matches = (text: string, pattern: string, tries: number): boolean | undefined => {
  sandbox ??= { context: createContext(Object.create(null)), script: new Script('new RegExp(pattern, "u").test(text)') };
  try {
    sandbox.context.pattern = pattern;
    sandbox.context.text = text;
    const answer: unknown = sandbox.script.runInContext(sandbox.context, { timeout: LIMIT_MS });
    return answer === true;
  } catch (cause) {
    const isSlow = cause instanceof Error && 'code' in cause && cause.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    return isSlow && tries > 1 ? matches(text, pattern, tries - 1) : undefined;
  }
};
