import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments } from '../../../src/cli/arguments.ts';
import type { PasteWorld } from './pasteWorld.ts';
import { readShell } from './shell.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const PACKAGE: { readonly name: string; readonly scripts: Readonly<Record<string, string>> } = JSON.parse(read('package.json'));
const REPOSITORY = 'https://github.com/heating2mqtt/heating2mqtt';
const RAW = 'https://raw.githubusercontent.com/heating2mqtt/heating2mqtt/main/';
const IMAGE = 'ghcr.io/heating2mqtt/heating2mqtt';
const CONTAINER = 'heating2mqtt';

/** How the commands of a block that begin with these words are tested. Each throws an Error where a command is wrong. */
export type ShellRule = {
  readonly name: string;
  readonly fits: (words: readonly string[]) => boolean;
} & (
  | { readonly why: 'executed'; readonly run: (words: readonly string[], world: PasteWorld, stdin: string) => Promise<string> }
  | { /** Why it is not executed. */ readonly why: string; readonly check: (words: readonly string[]) => void }
);

const demand = (isRight: boolean, sentence: string): void => {
  if (!isRight) throw new Error(sentence);
};

const exists = (file: string): void => demand(existsSync(join(ROOT, file)), `the project has no ${file}`);

const cliArguments = (words: readonly string[]): void => {
  const { kind } = readArguments(words);
  demand(kind !== 'usage', 'no command is named');
};

const dockerfile = (): string => read('Dockerfile');

/** A command as it is written in a container: the program of the image's entry point with its arguments. */
const inContainer = (words: readonly string[]): void => {
  const [node = '', program = '', ...args] = words;
  demand(dockerfile().includes(`ENTRYPOINT ["${node}", "${program}"]`), `the image does not have the program ${node} ${program}`);
  cliArguments(args);
};

/** What must fit behind an option of docker or podman, wherever it stands. */
const OPTION_CHECKS: Readonly<Record<string, (value: string) => void>> = {
  '-p': (value) => demand(dockerfile().includes(`EXPOSE ${value.split(':').at(-1)}`), `the image does not expose the port of -p ${value}`),
  '-v': (value) => demand(dockerfile().includes(`"${value.split(':')[1]}"`), `the image has no volume at -v ${value}`),
  '-e': (value) => demand(/^HEATING2MQTT_[A-Z0-9_]+=./.test(value), `-e ${value} sets no setting`),
  '--health-cmd': (value) => {
    for (const { words } of readShell(value).flat()) inContainer(words);
  },
  '--name': (value) => demand(value === CONTAINER, `the container is called ${CONTAINER}, not ${value}`),
};

const isImage = (name: string): boolean => name === IMAGE || name.startsWith(`${IMAGE}:`);

const container = ([, verb = '', ...words]: readonly string[]): void => {
  const at = words.findIndex((word) => isImage(word) || word === CONTAINER);
  for (const [index, word] of words.slice(0, at + 1).entries()) OPTION_CHECKS[word]?.(words[index + 1] ?? '');
  const rest = words.slice(words.findLastIndex((word) => isImage(word) || word === CONTAINER) + 1);
  if (verb === 'compose') {
    exists('compose.yaml');
    const [command = '', ...others] = words;
    demand(['up', 'down', 'pull', 'logs', 'exec'].includes(command), `compose ${command} is not known`);
    const service = others.find((word) => !word.startsWith('-'));
    if (service !== undefined) demand(read('compose.yaml').includes(`\n  ${service}:`), `compose.yaml has no ${service}`);
    if (command === 'exec') inContainer(rest);
  } else if (verb === 'volume') demand(words.join(' ') === `rm ${CONTAINER}-data`, `volume ${words.join(' ')} is not known`);
  else {
    const name = verb === 'run' || verb === 'pull' ? words.find(isImage) : words.find((word) => word === CONTAINER);
    demand(name !== undefined, `no image of the project, and no container ${CONTAINER}`);
    if (verb === 'exec') inContainer(rest);
    else if (rest.length > 0) cliArguments(rest);
  }
};

const npm = ([, verb = '', ...words]: readonly string[]): void => {
  if ((verb === 'ci' && words.length === 0) || verb === 'version') return;
  if (verb === 'publish') {
    demand(words[0] === './dist', 'dist/ alone is published');
    return;
  }
  if (verb === 'install') {
    demand(words.join(' ') === `-g ${PACKAGE.name}`, `install takes -g ${PACKAGE.name}`);
    return;
  }
  const [script = '', ...args] = verb === 'run' ? words.filter((word) => word !== '-s' && word !== '--') : [verb];
  demand(Object.hasOwn(PACKAGE.scripts, script), `package.json has no script ${script}`);
  if (script === PACKAGE.name) cliArguments(args);
};

const unitFile = (unit: string): string => `examples/systemd/${unit.replace(/@.*$/, '@').replace(/\.service$/, '')}.service`;

/** The value behind the first of these words. */
const behind = (words: readonly string[], ...options: readonly string[]): string => {
  const at = words.findIndex((word) => options.includes(word));
  return at < 0 ? '' : (words[at + 1] ?? '');
};

const begins =
  (...first: readonly string[]) =>
  (words: readonly string[]): boolean =>
    first.includes(words[0] ?? '');

const withoutSudo = (words: readonly string[]): readonly string[] => (words[0] === 'sudo' ? words.slice(1) : words);

/** Every kind of command in the documentation. A command that no row fits fails the test. */
export const SHELL_RULES: readonly ShellRule[] = [
  {
    name: 'mosquitto_pub',
    why: 'executed',
    fits: begins('mosquitto_pub', 'mosquitto_rr'),
    run: async (words, world) => {
      const [topic, payload] = [behind(words, '-t'), behind(words, '-m')];
      demand(topic !== '' && payload !== '', 'a command has -t and -m');
      await world.write(topic, payload);
      return '';
    },
  },
  {
    name: 'mosquitto_sub',
    why: 'executed',
    fits: begins('mosquitto_sub'),
    run: async (words, world) => {
      const payloads = world.retained(behind(words, '-t'));
      demand(payloads.length > 0, `nothing is retained on ${behind(words, '-t')}`);
      return payloads.join('\n');
    },
  },
  {
    name: 'heating2mqtt schedule',
    why: 'executed',
    fits: ([program, command]) => program === PACKAGE.name && command === 'schedule',
    run: async ([, , ...args], world, stdin) => world.schedule(args, stdin),
  },
  {
    name: 'heating2mqtt settings',
    why: 'executed',
    fits: ([program, command]) => program === PACKAGE.name && command === 'settings',
    run: async ([, ...args], world) => world.cli(args),
  },
  {
    name: 'heating2mqtt',
    why: 'needs an account, a browser or a signal; test/integration/cli runs each, here its words are read',
    fits: begins(PACKAGE.name),
    check: ([, ...args]) => cliArguments(args),
  },
  {
    name: 'npx',
    why: 'would fetch the published package; the words behind it are read',
    fits: begins('npx'),
    check: ([, name, ...args]) => {
      demand(name === PACKAGE.name, `the package is called ${PACKAGE.name}, not ${name}`);
      cliArguments(args);
    },
  },
  {
    name: 'npm',
    why: 'would install or run the tests in themselves; scripts and the name of the package are looked up',
    fits: begins('npm'),
    check: npm,
  },
  {
    name: 'docker and podman',
    why: 'no container engine is there; image, container, ports, volumes and the words behind them are compared with the Dockerfile',
    fits: begins('docker', 'podman'),
    check: container,
  },
  {
    name: 'systemd',
    why: 'no systemd is there; the units are looked up in examples/systemd',
    fits: begins('systemctl', 'journalctl'),
    check: (words) => {
      const units = words.slice(1).filter((word) => word.startsWith(PACKAGE.name));
      for (const unit of units) exists(unitFile(unit));
      demand(units.length > 0 || words.includes('daemon-reload'), 'no unit is named');
    },
  },
  {
    name: 'download',
    why: 'would need the network; the file is looked up in the project',
    fits: begins('curl'),
    check: (words) => {
      const address = words.find((word) => word.startsWith('https://')) ?? '';
      demand(address.startsWith(RAW), `${address} is no file of the project`);
      exists(address.slice(RAW.length));
    },
  },
  {
    name: 'git',
    why: 'would need the network; the repository is compared',
    fits: begins('git'),
    check: ([, verb, address]) => demand(verb === 'clone' && address === REPOSITORY, `the repository is ${REPOSITORY}`),
  },
  {
    name: 'folders and files',
    why: 'belongs to the machine of the reader; files of the project are looked up',
    fits: begins('cd', 'mkdir', 'cp', 'printf', 'tee'),
    check: (words) => {
      for (const word of words) if (word.startsWith('examples/')) exists(word);
    },
  },
];

/** The rule of a command. Throws an Error where there is none. */
export const shellRuleOf = (words: readonly string[]): ShellRule => {
  const rule = SHELL_RULES.find(({ fits }) => fits(withoutSudo(words)));
  if (rule === undefined) throw new Error(`no rule says how \`${words.join(' ')}\` is tested`);
  return rule;
};

/** Runs or checks the commands of a block, each with the output of the one before its pipe. Gives the names of the rules. */
export const pasteShell = async (text: string, world: PasteWorld | undefined): Promise<readonly string[]> => {
  const names: string[] = [];
  for (const pipeline of readShell(text)) {
    let passedOn = '';
    for (const { words } of pipeline) {
      const rule = shellRuleOf(words);
      names.push(rule.name);
      if ('check' in rule) rule.check(withoutSudo(words));
      else if (world !== undefined) passedOn = await rule.run(words, world, passedOn);
    }
  }
  return names;
};
