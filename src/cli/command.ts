import type { Settings } from '../config/settings.ts';
import { UsageError } from '../shared/errors.ts';
import type { Io } from './terminal/io.ts';

/** The options after a command, by name. */
export type Values = Readonly<Record<string, string | boolean | undefined>>;

/** The value of an option; undefined if it is not given. */
export const text = (values: Values, name: string): string | undefined => {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
};

/** The number of an option; `whole`: an integer. undefined if it is not given. Throws a UsageError. */
export const numberIn = (values: Values, name: string, min: number, max: number, whole = true): number | undefined => {
  const written = text(values, name);
  if (written === undefined) return undefined;
  const value = /^\d+(?:\.\d+)?$/.test(written) ? Number(written) : Number.NaN;
  if (value >= min && value <= max && (Number.isInteger(value) || !whole)) return value;
  throw new UsageError('usage', `--${name} ${written} is not a ${whole ? 'whole ' : ''}number from ${min} to ${max}.`);
};

/** An option of a command: `value` names its value; absent for a switch. */
export type Option = {
  readonly value?: string;
  readonly short?: string;
  readonly doc: string;
  /** The parts of the command that take this option; absent for all. */
  readonly of?: readonly string[];
};

/** A subcommand, with its own help. */
export type Part = { readonly words: string; readonly about: string; readonly examples: readonly string[] };

/** A command and its help. */
export type Command = {
  /** One line for the list of commands. */
  readonly summary: string;
  readonly about: string;
  /** The words between the command and its options, as in the help; absent if there are none. */
  readonly words?: string;
  /** The subcommands, if the first word selects one. */
  readonly parts?: Readonly<Record<string, Part>>;
  readonly options: Readonly<Record<string, Option>>;
  readonly examples: readonly string[];
  readonly next: string;
  /** Loads only the code that the command needs, runs it, and returns the exit code. */
  readonly start: (values: Values, io: Io, words: readonly string[]) => Promise<number>;
};

/** The settings file, an option of most commands. */
export const CONFIG: Option = {
  value: 'FILE',
  short: 'c',
  doc: 'Settings file; default: config/local.yaml, else /etc/heating2mqtt.yaml. Settings of the page and environment variables override it.',
};

/** Selects a further account of the settings file. */
export const ACCOUNT: Option = { value: 'NAME', doc: 'A further account of the settings (accounts); default: the main account.' };

/** The sources of a command's settings. */
export const sourcesOf = (values: Values, { env, cwd }: Pick<Io, 'env' | 'cwd'>) => ({ file: text(values, 'config'), env, cwd });

/** The settings, or those of an account; devices may be missing. */
export const settingsOf = async (values: Values, io: Io): Promise<Settings> =>
  (await import('../config/accounts.ts')).loadAccount({ ...sourcesOf(values, io), needDevices: false }, text(values, 'account'));
