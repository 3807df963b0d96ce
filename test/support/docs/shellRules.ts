import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments } from '../../../src/cli/arguments.ts';
import { demand, type PasteWorld } from './pasteWorld.ts';
import { readShell } from './shell.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const PACKAGE: { readonly name: string; readonly scripts: Readonly<Record<string, string>> } = JSON.parse(read('package.json'));
const REPOSITORY = 'https://github.com/heating2mqtt/heating2mqtt';
const RAW = 'https://raw.githubusercontent.com/heating2mqtt/heating2mqtt/main/';
const IMAGE = 'ghcr.io/heating2mqtt/heating2mqtt';
const CONTAINER = 'heating2mqtt';

type Words = readonly string[];

const exists = (file: string): void => demand(existsSync(join(ROOT, file)), `the project has no ${file}`);
const cliArguments = (words: Words): void => demand(readArguments(words).kind !== 'usage', 'no command is named');
const dockerfile = (): string => read('Dockerfile');

/** A command as it is written in a container: the program of the image's entry point with its arguments. */
const inContainer = ([node = '', program = '', ...args]: Words): void => {
  demand(dockerfile().includes(`ENTRYPOINT ["${node}", "${program}"]`), `the image does not have the program ${node} ${program}`);
  cliArguments(args);
};

/** What must fit behind an option of docker or podman, wherever it stands. */
const OPTION_CHECKS: Readonly<Record<string, (value: string) => void>> = {
  '-p': (value) => demand(dockerfile().includes(`EXPOSE ${value.split(':').at(-1)}`), `the image does not expose the port of -p ${value}`),
  '-v': (value) => demand(dockerfile().includes(`"${value.split(':')[1]}"`), `the image has no volume at -v ${value}`),
  '-e': (value) => demand(/^HEATING2MQTT_[A-Z0-9_]+=./.test(value), `-e ${value} sets no setting`),
  '--health-cmd': (value) => readShell(value).flat().forEach(inContainer),
  '--name': (value) => demand(value === CONTAINER, `the container is called ${CONTAINER}, not ${value}`),
};

const isImage = (name: string): boolean => name === IMAGE || name.startsWith(`${IMAGE}:`);

/** Image, container, ports, volumes and the words behind them are compared with the Dockerfile and compose.yaml. */
const container = ([, verb = '', ...words]: Words): void => {
  const at = words.findIndex((word) => isImage(word) || word === CONTAINER);
  for (const [index, word] of words.slice(0, at + 1).entries()) OPTION_CHECKS[word]?.(words[index + 1] ?? '');
  const rest = words.slice(words.findLastIndex((word) => isImage(word) || word === CONTAINER) + 1);
  if (verb === 'compose') {
    const file = words[0] === '-f' ? (words[1] ?? '') : 'compose.yaml';
    exists(file);
    const [command = '', ...others] = words[0] === '-f' ? words.slice(2) : words;
    demand(['up', 'down', 'pull', 'logs', 'exec'].includes(command), `compose ${command} is not known`);
    const service = others.find((word) => !word.startsWith('-'));
    if (service !== undefined) demand(read(file).includes(`\n  ${service}:`), `${file} has no ${service}`);
    if (command === 'exec') inContainer(rest);
  } else if (verb === 'buildx') demand(words.slice(0, 2).join(' ') === 'imagetools inspect', `buildx ${words.join(' ')} is not known`);
  else if (verb === 'volume') demand(words.join(' ') === `rm ${CONTAINER}-data`, `volume ${words.join(' ')} is not known`);
  else {
    const name = verb === 'run' || verb === 'pull' ? words.find(isImage) : words.find((word) => word === CONTAINER);
    demand(name !== undefined, `no image of the project, and no container ${CONTAINER}`);
    if (verb === 'exec') inContainer(rest);
    else if (rest.length > 0) cliArguments(rest);
  }
};

const npm = ([, verb = '', ...words]: Words): void => {
  if ((verb === 'ci' && words.length === 0) || verb === 'version') return;
  if (verb === 'publish') demand(words[0] === './dist', 'dist/ alone is published');
  else if (verb === 'install') demand(words.join(' ') === `-g ${PACKAGE.name}`, `install takes -g ${PACKAGE.name}`);
  else {
    const [script = '', ...args] = verb === 'run' ? words.filter((word) => word !== '-s' && word !== '--') : [verb];
    demand(Object.hasOwn(PACKAGE.scripts, script), `package.json has no script ${script}`);
    if (script === PACKAGE.name) cliArguments(args);
  }
};

const systemd = (words: Words): void => {
  const units = words.slice(1).filter((word) => word.startsWith(PACKAGE.name));
  for (const unit of units) exists(`examples/systemd/${unit.replace(/@.*$/, '@').replace(/\.service$/, '')}.service`);
  demand(units.length > 0 || words.includes('daemon-reload'), 'no unit is named');
};

const examplesExist = (words: Words): void => words.filter((word) => word.startsWith('examples/')).forEach(exists);

/** The value behind an option. */
const behind = (words: Words, option: string): string => words[words.indexOf(option, 1) + 1] ?? '';

const write = async (words: Words, world: PasteWorld): Promise<string> => {
  const [topic, payload] = [behind(words, '-t'), behind(words, '-m')];
  demand(words.includes('-t') && words.includes('-m') && payload !== '', 'a command has -t and -m');
  await world.write(topic, payload);
  return '';
};

/** Commands that are carried out, with what comes through the pipe; each gives what it prints. */
const RUN: Readonly<Record<string, (words: Words, world: PasteWorld, stdin: string) => Promise<string>>> = {
  mosquitto_pub: write,
  mosquitto_rr: write,
  mosquitto_sub: async (words, world) => {
    const payloads = world.retained(behind(words, '-t'));
    demand(payloads.length > 0, `nothing is retained on ${behind(words, '-t')}`);
    return payloads.join('\n');
  },
  'heating2mqtt schedule': ([, ...args], world, stdin) => world.cli(args, stdin),
  'heating2mqtt settings': ([, ...args], world) => world.cli(args, ''),
};

/** Commands that need an account, the network, a container engine or a machine of their own: their words are looked up. */
const CHECK: Readonly<Record<string, (words: Words) => void>> = {
  // test/integration/cli runs each.
  heating2mqtt: ([, ...args]) => cliArguments(args),
  npx: ([, name, ...args]) => {
    demand(name === PACKAGE.name, `the package is called ${PACKAGE.name}, not ${name}`);
    cliArguments(args);
  },
  npm,
  docker: container,
  podman: container,
  systemctl: systemd,
  journalctl: systemd,
  curl: (words) => {
    const address = words.find((word) => word.startsWith('https://')) ?? '';
    demand(address.startsWith(RAW), `${address} is no file of the project`);
    exists(address.slice(RAW.length));
  },
  git: ([, verb, address]) => demand(verb === 'clone' && address === REPOSITORY, `the repository is ${REPOSITORY}`),
  ...{ cd: examplesExist, mkdir: examplesExist, printf: examplesExist, tee: examplesExist },
};

/** The names of all kinds of commands in the documentation. A command of another kind fails the test. */
export const SHELL_RULES: readonly string[] = [...Object.keys(RUN), ...Object.keys(CHECK)];

export const isRun = ([program = '', verb = '']: Words): boolean => `${program} ${verb}` in RUN || program in RUN;

/** Runs or checks the commands of a block, each with the output of the one before its pipe. Gives the names of the rules. */
export const pasteShell = async (text: string, world: PasteWorld | undefined): Promise<readonly string[]> => {
  const names: string[] = [];
  for (const pipeline of readShell(text)) {
    let passedOn = '';
    for (const command of pipeline) {
      const words = command[0] === 'sudo' ? command.slice(1) : command;
      const name = [words.slice(0, 2).join(' '), words[0] ?? ''].find((one) => SHELL_RULES.includes(one));
      if (name === undefined) throw new Error(`no rule says how \`${words.join(' ')}\` is tested`);
      names.push(name);
      CHECK[name]?.(words);
      if (world !== undefined) passedOn = (await RUN[name]?.(words, world, passedOn)) ?? '';
    }
  }
  return names;
};
