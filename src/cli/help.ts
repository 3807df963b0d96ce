import { COMMANDS, COMMON_OPTIONS, type Command, type Option } from './commands.ts';

const WIDTH = 80;

/** The text in lines of at most WIDTH characters, each behind the indent. */
const wrapped = (text: string, indent = ''): readonly string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + word.length + 1 > WIDTH) {
      lines.push(indent + line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, indent + line];
};

const optionName = (name: string, { short, value }: Option): string =>
  `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;

const optionLines = (options: Readonly<Record<string, Option>>): readonly string[] =>
  Object.entries(options).flatMap(([name, option]) => [`  ${optionName(name, option)}`, ...wrapped(option.doc, '      ')]);

const overview = (version: string): string => {
  const longest = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  return [
    `heating2mqtt ${version}: the bridge between the Connected Heating Platform and MQTT`,
    '',
    'Usage: heating2mqtt <command> [options]',
    '',
    'Commands:',
    ...Object.entries(COMMANDS).flatMap(([name, { summary }]) =>
      wrapped(summary, ' '.repeat(longest + 4)).map((line, i) => (i === 0 ? `  ${name.padEnd(longest)}  ${line.trimStart()}` : line)),
    ),
    '',
    'Begin with `heating2mqtt demo`. For your own heating:',
    '  heating2mqtt settings --yaml > config/local.yaml    then fill in what is required',
    '  heating2mqtt login',
    '  heating2mqtt check',
    '  heating2mqtt run',
    '',
    '`heating2mqtt <command> --help` explains a command; --version shows the version.',
  ].join('\n');
};

const commandHelp = (name: string, { about, words, options, examples, next }: Command): string =>
  [
    `Usage: heating2mqtt ${name}${words === undefined ? '' : ` ${words}`} [options]`,
    '',
    ...wrapped(about),
    '',
    'Options:',
    ...optionLines({ ...options, ...COMMON_OPTIONS }),
    '',
    examples.length > 1 ? 'Examples:' : 'Example:',
    ...examples.map((example) => `  ${example}`),
    '',
    ...wrapped(next),
  ].join('\n');

/** What a command does, its options, examples and where to look next; without a command what there is, and where to begin. */
export const help = (version: string, name?: string): string => {
  const command = name === undefined ? undefined : COMMANDS[name];
  return name === undefined || command === undefined ? overview(version) : commandHelp(name, command);
};
