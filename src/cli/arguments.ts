import { parseArgs } from 'node:util';
import { UsageError } from '../shared/errors.ts';
import type { Command, Option, Values } from './command.ts';
import { COMMANDS, COMMON_OPTIONS } from './commands.ts';
import { unknownWord, usageError } from './terminal/usage.ts';

/** What the command line asks for; `usage` where it is empty. */
export type Request =
  | { readonly kind: 'help'; readonly command?: string }
  | { readonly kind: 'usage' }
  | { readonly kind: 'version' }
  | { readonly kind: 'command'; readonly command: Command; readonly values: Values; readonly words: readonly string[] };

const findCommand = (name: string): Command => {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command) return command;
  throw usageError(unknownWord('command', name, Object.keys(COMMANDS)));
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
    // The sentences for mistakes are our own.
    strict: false,
    tokens: true,
  });
  const values: Record<string, string | boolean> = {};
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (command.words === undefined)
        throw usage(
          `${name} takes no ${token.value}.${/^mqtts?:/.test(token.value) ? ` With npm write \`npm start -- --broker ${token.value}\`.` : ''}`,
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
  return values.help === true ? { kind: 'help', command: name } : { kind: 'command', command, values, words };
};

/** Reads the words behind `heating2mqtt`. Throws a UsageError of one sentence for unknown words, with the nearest known one. */
export const readArguments = (argv: readonly string[]): Request => {
  const [first, ...rest] = argv.filter((word) => word !== '--debug');
  if (first === undefined) return { kind: 'usage' };
  if (first === '--help' || first === '-h') return { kind: 'help' };
  if (first === '--version' || first === '-v' || first === '-V') return { kind: 'version' };
  if (first === 'help') {
    const [name] = rest;
    if (name === undefined) return { kind: 'help' };
    findCommand(name);
    return { kind: 'help', command: name };
  }
  if (!first.startsWith('-')) return readCommand(first, rest);
  const isOfCommand = Object.values(COMMANDS).some(({ options }) => Object.hasOwn(options, first.replace(/^-+|=.*$/g, '')));
  if (isOfCommand) throw new UsageError('usage', `${first} stands behind the command: heating2mqtt run ${first} …`);
  throw usageError(unknownWord('option', first, ['--help', '--version', '--debug']));
};
