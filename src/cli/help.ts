import type { Command, Option, Part } from './command.ts';
import { COMMANDS, COMMON_OPTIONS } from './commands.ts';
import { wrapText } from './terminal/terminalText.ts';

const optionName = (name: string, { short, value }: Option): string =>
  `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;

/** For one part, the names of its parts are left out. */
const optionLines = (options: Readonly<Record<string, Option>>, part?: string): readonly string[] =>
  Object.entries(options).flatMap(([name, option]) => {
    if (part !== undefined && option.of?.includes(part) === false) return [];
    const of = part === undefined && option.of ? `${option.of.join(', ')}: ` : '';
    return [`  ${optionName(name, option)}`, ...wrapText(of + option.doc, '      ')];
  });

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
    'To try it: `heating2mqtt demo`. For your own heating:',
    '  heating2mqtt run    then open http://127.0.0.1:8427/',
    '',
    'The same with a settings file instead of the page:',
    '  mkdir -p config',
    '  heating2mqtt settings --yaml > config/local.yaml    then edit the file',
    '  heating2mqtt login',
    '  heating2mqtt check',
    '  heating2mqtt run',
    '',
    '`heating2mqtt <command> --help` explains a command; --version shows the version.',
  ].join('\n');
};

const commandHelp = (name: string, command: Command, part?: string): string => {
  const { options, next } = command;
  const { about, words, examples }: Part | Command = command.parts?.[part ?? ''] ?? command;
  return [
    `Usage: heating2mqtt ${[name, part].join(' ').trim()}${words === undefined ? '' : ` ${words}`} [options]`,
    '',
    ...wrapText(about),
    '',
    'Options:',
    ...optionLines({ ...options, ...COMMON_OPTIONS }, part),
    '',
    examples.length > 1 ? 'Examples:' : 'Example:',
    ...examples.map((example) => `  ${example}`),
    '',
    ...wrapText(next),
  ].join('\n');
};

/** The help of a command or part: purpose, options, examples, next step. No `name`: the command list. */
export const help = (version: string, name?: string, part?: string): string => {
  const command = name === undefined ? undefined : COMMANDS[name];
  return name === undefined || command === undefined ? overview(version) : commandHelp(name, command, part);
};
