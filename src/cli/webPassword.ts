import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Sources } from '../config/load.ts';
import { SettingsError } from '../config/validation/mistake.ts';
import { SHORTEST_PASSWORD } from '../config/validation/webChecks.ts';
import { UsageError } from '../shared/errors.ts';
import type { Io } from './terminal/io.ts';

/** The typed or piped lines. A terminal does not show them. */
const linesOf = (stdin: Io['stdin'], terminal: boolean) => {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  return createInterface({ input: stdin, output: silent, terminal, crlfDelay: Number.POSITIVE_INFINITY });
};

/** The new password: asked twice on a terminal, else the first line. UsageError if it is unusable. */
const readPassword = async (io: Pick<Io, 'stdin' | 'err'>): Promise<string> => {
  const isTyped = 'isTTY' in io.stdin && io.stdin.isTTY === true;
  const lines = linesOf(io.stdin, isTyped);
  const typed: string[] = [];
  try {
    if (isTyped) io.err(`New password for the page, at least ${SHORTEST_PASSWORD} characters (not shown):`);
    for await (const line of lines) {
      typed.push(line);
      if (!isTyped || typed.length === 2) break;
      io.err('Again:');
    }
  } finally {
    lines.close();
  }
  const [first = '', second] = typed;
  if (isTyped && first !== second) throw new UsageError('usage', 'The two passwords differ; nothing was changed.');
  if (first.length < SHORTEST_PASSWORD)
    throw new UsageError('usage', `The password must have at least ${SHORTEST_PASSWORD} characters; nothing was changed.`);
  return first;
};

type Options = { readonly print: boolean };

/** `heating2mqtt web-password`: writes a new page password to the settings or prints it, hashed. */
export const webPassword = async (sources: Sources, { print }: Options, io: Pick<Io, 'out' | 'err' | 'stdin'>): Promise<number> => {
  const { hashPassword } = await import('../web/security/password.ts');
  const hashed = await hashPassword(await readPassword(io));
  if (print) {
    io.out(hashed);
    return 0;
  }
  const { planChange, writePlan } = await import('../config/editing/settingsStore.ts');
  const plan = planChange(sources, [{ path: ['web', 'password'], value: hashed }]);
  const fixed = plan.mistakes.find(({ rule }) => rule === 'fixed');
  if (fixed) {
    io.err(`web.password is set in ${fixed.place}, which this command cannot change. Write this hash there:`);
    io.out(hashed);
    return 1;
  }
  // Incomplete settings lack other required values.
  const mistakes = plan.mistakes.filter(({ rule }) => rule !== 'required');
  if (mistakes.length > 0) throw new SettingsError(mistakes, 'Nothing was changed.');
  writePlan(plan);
  io.out(`The hash of the password is stored in ${plan.file}. Restart the bridge to use it; everyone must then log in to the page again.`);
  return 0;
};
