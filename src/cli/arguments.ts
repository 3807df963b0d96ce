import { parseArgs } from 'node:util';
import { UsageError } from '../shared/errors.ts';
import { COMMANDS, COMMON_OPTIONS, type Command, type Option, type Values } from './commands.ts';

/** What the command line asks for. */
export type Request =
  | { readonly kind: 'help'; readonly command?: string }
  /** Nothing was asked for. */
  | { readonly kind: 'usage' }
  | { readonly kind: 'version' }
  | { readonly kind: 'command'; readonly command: Command; readonly values: Values; readonly words?: readonly string[] };

type Options = Readonly<Record<string, Option>>;

/** One sentence about a word that nobody knows, with the nearest right ones. */
const unknown = async (what: string, word: string, known: readonly string[], help: string): Promise<UsageError> => {
  const { nearestWords } = await import('../shared/closestMatch.ts');
  const near = nearestWords(word, known, 1);
  const meant = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `there are ${known.join(', ')}.`;
  return new UsageError('usage', `There is no ${what} ${word}: ${meant} \`${help}\` explains.`);
};

const findCommand = async (name: string): Promise<Command> => {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command) return command;
  throw await unknown('command', name, Object.keys(COMMANDS), 'heating2mqtt --help');
};

const parse = (args: readonly string[], options: Options) =>
  parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(options).map(([name, { value, short }]) => [
        name,
        { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short === undefined ? {} : { short }) },
      ]),
    ),
    // Mistakes are told by our own sentences.
    strict: false,
    tokens: true,
    allowPositionals: true,
  });

type Read = { readonly values: Values; readonly words: readonly string[] };

const readValues = async (name: string, args: readonly string[], options: Options, takesWords: boolean): Promise<Read> => {
  const help = `heating2mqtt ${name} --help`;
  const { tokens } = parse(args, options);
  const values: Record<string, string | boolean> = {};
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (!takesWords) throw new UsageError('usage', `${name} takes no ${token.value}. \`${help}\` explains.`);
      words.push(token.value);
      continue;
    }
    if (token.kind === 'option-terminator') continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (!option) {
      const known = Object.keys(options).map((word) => `--${word}`);
      throw await unknown('option', token.rawName, known, help);
    }
    const lacksValue = option.value !== undefined && (!token.value || (!token.inlineValue && /^-./u.test(token.value)));
    if (lacksValue)
      throw new UsageError('usage', `${token.rawName} needs a value: ${token.rawName} ${option.value}. \`${help}\` explains.`);
    if (option.value === undefined && token.value !== undefined) {
      throw new UsageError('usage', `${token.rawName} takes no value. \`${help}\` explains.`);
    }
    values[token.name] = token.value ?? true;
  }
  return { values, words };
};

/** Reads the words behind `heating2mqtt`. Throws a UsageError of one sentence, with the nearest right word, for what nobody knows. */
export const readArguments = async (argv: readonly string[]): Promise<Request> => {
  const words = argv.filter((word) => word !== '--debug');
  const [first, ...rest] = words;
  if (first === undefined) return { kind: 'usage' };
  if (first === '--help' || first === '-h') return { kind: 'help' };
  if (first === '--version' || first === '-v' || first === '-V') return { kind: 'version' };
  if (first === 'help') {
    if (rest[0] !== undefined) await findCommand(rest[0]);
    return { kind: 'help', ...(rest[0] === undefined ? {} : { command: rest[0] }) };
  }
  if (first.startsWith('-')) {
    const isOfCommand = Object.values(COMMANDS).some(({ options }) => Object.hasOwn(options, first.replace(/^-+|=.*$/g, '')));
    if (isOfCommand) throw new UsageError('usage', `${first} stands behind the command: heating2mqtt run ${first} …`);
    throw await unknown('option', first, ['--help', '--version', '--debug'], 'heating2mqtt --help');
  }
  const command = await findCommand(first);
  const { values, words: given } = await readValues(first, rest, { ...command.options, ...COMMON_OPTIONS }, command.words !== undefined);
  if (values.help === true) return { kind: 'help', command: first };
  return { kind: 'command', command, values, ...(command.words === undefined ? {} : { words: given }) };
};
