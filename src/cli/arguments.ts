import { parseArgs } from 'node:util';
import { UsageError } from '../shared/errors.ts';
import type { Command, Option, Values } from './command.ts';
import { COMMANDS, COMMON_OPTIONS } from './commands.ts';
import { unknownWord, usageError } from './terminal/usage.ts';

/** What the command line requests; `usage` if it is empty. */
export type Request =
  | { readonly kind: 'help'; readonly command?: string; readonly part?: string }
  | { readonly kind: 'usage' }
  | { readonly kind: 'version' }
  | { readonly kind: 'command'; readonly command: Command; readonly values: Values; readonly words: readonly string[] };

const findCommand = (name: string): Command => {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command) return command;
  throw usageError(unknownWord('command', name, Object.keys(COMMANDS)));
};

/** With the name of a part of the command, the help of that part. */
const helpOf = (name: string, [word = '']: readonly string[]): Request => {
  const isPart = Object.hasOwn(findCommand(name).parts ?? {}, word);
  return { kind: 'help', command: name, ...(isPart ? { part: word } : {}) };
};

/** Throws a UsageError if a required part is missing, or if the part does not take an option. */
const checkPart = (name: string, { parts, options }: Command, values: Values, [what, ...words]: readonly string[]): void => {
  if (!parts) return;
  const usage = (sentence: string): UsageError => usageError(sentence, `heating2mqtt ${name}`);
  const known = Object.keys(parts);
  if (what === undefined) throw usage(`A word is missing: ${[known.slice(0, -1).join(', '), known.at(-1)].filter(Boolean).join(' or ')}.`);
  if (!known.includes(what)) throw usage(unknownWord(`${name} command`, what, known));
  const names = parts[what]?.words.split(' ').filter(Boolean) ?? [];
  const further = words[names.length];
  // A week may be several words: schedule parses its words itself.
  if (further !== undefined && name !== 'schedule')
    throw usage(`${name} ${what} does not accept ${further}${names.length > 0 ? `, only ${names.join(' ')}` : ''}.`);
  const taken = Object.keys(options).filter((option) => options[option]?.of?.includes(what) !== false);
  const wrong = Object.keys(values).find((option) => Object.hasOwn(options, option) && !taken.includes(option));
  const offered = taken.filter((option) => option !== 'config').map((option) => `--${option}`);
  if (wrong !== undefined)
    throw usageError(`${name} ${what} has no option --${wrong}. Available: ${offered.join(', ')}.`, `heating2mqtt ${name} ${what}`);
};

const readCommand = (name: string, args: readonly string[]): Request => {
  const command = findCommand(name);
  const options: Readonly<Record<string, Option>> = { ...command.options, ...COMMON_OPTIONS };
  const usage = (sentence: string): UsageError => usageError(sentence, `heating2mqtt ${name}`);
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(options).map(([key, { value, doc: _doc, ...rest }]) => [
        key,
        { ...rest, type: value === undefined ? 'boolean' : 'string' },
      ]),
    ),
    // We write our own error messages.
    strict: false,
    tokens: true,
  });
  const values: Record<string, string | boolean> = {};
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (command.words === undefined)
        throw usage(
          `${name} does not accept ${token.value}.${/^mqtts?:/.test(token.value) ? ` With npm, write \`npm start -- --broker ${token.value}\`.` : ''}`,
        );
      words.push(token.value);
    } else if (token.kind === 'option') {
      const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
      if (!option) {
        const known = Object.keys(options).map((key) => `--${key}`);
        throw usage(unknownWord('option', token.rawName, known));
      }
      const lacksValue = option.value !== undefined && (!token.value || (!token.inlineValue && /^-./u.test(token.value)));
      if (lacksValue) throw usage(`${token.rawName} needs a value: ${token.rawName} ${option.value}.`);
      if (option.value === undefined && token.value !== undefined) throw usage(`${token.rawName} takes no value.`);
      values[token.name] = token.value ?? true;
    }
  }
  if (values.help === true) return helpOf(name, words);
  checkPart(name, command, values, words);
  return { kind: 'command', command, values, words };
};

/** Parses the words after `heating2mqtt`. A UsageError for an unknown word names the nearest known one. */
export const readArguments = (argv: readonly string[]): Request => {
  const [first, ...rest] = argv.filter((word) => word !== '--debug');
  if (first === undefined) return { kind: 'usage' };
  if (first === '--help' || first === '-h') return { kind: 'help' };
  if (['version', '--version', '-v', '-V'].includes(first)) return { kind: 'version' };
  if (first === 'help') {
    const [name] = rest;
    if (name === undefined) return { kind: 'help' };
    return helpOf(name, rest.slice(1));
  }
  if (!first.startsWith('-')) return readCommand(first, rest);
  const isOfCommand = Object.values(COMMANDS).some(({ options }) => Object.hasOwn(options, first.replace(/^-+|=.*$/g, '')));
  if (isOfCommand) throw new UsageError('usage', `${first} must follow the command: heating2mqtt run ${first} …`);
  throw usageError(unknownWord('option', first, ['--help', '--version', '--debug']));
};
