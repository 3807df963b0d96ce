import type { Command, Option } from './command.ts';
import { COMMANDS, COMMON_OPTIONS } from './commands.ts';
import { wrapText } from './terminal/terminalText.ts';

const optionName = (name: string, { short, value }: Option): string =>
  `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;

const optionLines = (options: Readonly<Record<string, Option>>): readonly string[] =>
  Object.entries(options).flatMap(([name, option]) => [`  ${optionName(name, option)}`, ...wrapText(option.doc, '      ')]);

const overview = (version: string): string => {
  const longest = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  return [
    `heating2mqtt ${version}: brings Viessmann heating (ViCare) to MQTT`,
    '',
    'Usage: heating2mqtt <command> [options]',
    '',
    'Commands:',
    ...Object.entries(COMMANDS).flatMap(([name, { summary }]) => wrapText(summary, `  ${name.padEnd(longest)}  `)),
    '',
    'Begin with `heating2mqtt demo`. For your own heating:',
    '  heating2mqtt run    then open http://127.0.0.1:8427/, which asks for the rest',
    '',
    'The same with a file in place of the page:',
    '  mkdir -p config',
    '  heating2mqtt settings --yaml > config/local.yaml    then fill it in',
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
    ...wrapText(about),
    '',
    'Options:',
    ...optionLines({ ...options, ...COMMON_OPTIONS }),
    '',
    examples.length > 1 ? 'Examples:' : 'Example:',
    ...examples.map((example) => `  ${example}`),
    '',
    ...wrapText(next),
  ].join('\n');

/** The help of a command: what it does, its options, examples and the next step. Without a command the list of commands. */
export const help = (version: string, name?: string): string => {
  const command = name === undefined ? undefined : COMMANDS[name];
  return name === undefined || command === undefined ? overview(version) : commandHelp(name, command);
};
