import { type Context, createContext, Script } from 'node:vm';

// A thousand times what the platform's own patterns need, so that a busy machine does not reach it.
const LIMIT_MS = 250;

let sandbox: { readonly context: Context; readonly script: Script } | undefined;

/**
 * Whether the text matches the pattern of a stranger (flag `u`); undefined where the pattern is no pattern, or would take longer than 250 ms
 * (nested repetitions can take centuries: only `node:vm` can interrupt them). Takes some 0.2 ms.
 */
export const matchesPattern = (text: string, pattern: string): boolean | undefined => {
  sandbox ??= { context: createContext(Object.create(null)), script: new Script('new RegExp(pattern, "u").test(text)') };
  try {
    sandbox.context.pattern = pattern;
    sandbox.context.text = text;
    const answer: unknown = sandbox.script.runInContext(sandbox.context, { timeout: LIMIT_MS });
    return answer === true;
  } catch {
    return undefined;
  }
};
