import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const MOST_FILES = 15;
const MOST_LINES = 300;

/** What each part of `src` may import besides itself (docs/architecture.md): other parts, or single files of them. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  shared: ['package.json'],
  // The types of the facts in its sentences.
  language: ['schedule'],
  features: ['shared'],
  schedule: ['shared', 'features'],
  topics: ['shared', 'features', 'schedule'],
  homeassistant: ['shared', 'language', 'features', 'schedule', 'topics'],
  // What the page's server answers.
  api: ['shared', 'language', 'topics', 'features'],
  bridge: ['shared', 'language', 'features', 'schedule', 'topics', 'homeassistant'],
  platform: ['shared', 'language/accounts/loginHelp.ts', 'bridge/ports.ts'],
  mqtt: ['shared'],
  hub: ['shared', 'features'],
  storage: ['shared', 'features', 'bridge/ports.ts'],
  calendar: ['shared', 'schedule', 'bridge/ports.ts'],
  config: ['shared', 'schedule', 'api'],
  simulator: [],
  // In the browser.
  editor: ['shared', 'schedule', 'language'],
  card: ['shared', 'schedule', 'language', 'editor', 'api'],
  page: ['shared', 'features', 'schedule', 'topics', 'language', 'editor', 'api'],
  // From source, the page is bundled at its first request.
  web: ['shared', 'language', 'topics', 'bridge', 'config', 'api', '../scripts/pageBuild.ts'],
  cli: [
    ...['shared', 'language', 'features', 'schedule', 'topics', 'homeassistant', 'bridge'],
    ...['platform', 'mqtt', 'hub', 'storage', 'config', 'web', 'simulator', 'api', 'accounts', 'fleet', 'app.ts', 'brokerOptions.ts'],
  ],
  // The bridges of further accounts in one process.
  accounts: ['shared', 'topics', 'bridge', 'mqtt', 'config', 'api', 'web', 'app.ts', 'brokerOptions.ts'],
  // Accounts that several machines share.
  fleet: ['shared', 'storage', 'config', 'api', 'web', 'accounts', 'app.ts'],
  // What the bridge takes of the settings.
  'bridgeSettings.ts': ['shared', 'schedule', 'bridge', 'config', 'platform'],
  'brokerOptions.ts': ['shared', 'topics', 'mqtt', 'storage', 'config'],
  'app.ts': [
    'brokerOptions.ts',
    'bridgeSettings.ts',
    'shared',
    'language',
    'features',
    'schedule',
    'topics',
    'homeassistant',
    'bridge',
    'platform',
    'mqtt',
    'storage',
    'config',
    'calendar',
  ],
  'main.ts': ['shared', 'cli'],
};

/** What each part of `src/bridge` may import besides itself; all may import `ports.ts`. */
const BRIDGE_ARROWS: Readonly<Record<string, readonly string[]>> = {
  'ports.ts': [],
  state: ['ports.ts'],
  reads: ['ports.ts', 'state'],
  writes: ['ports.ts', 'state'],
  seasons: ['ports.ts', 'state', 'writes'],
  plans: ['ports.ts', 'state', 'writes'],
  publish: ['ports.ts', 'state', 'writes', 'plans'],
};
/** Parts that do no I/O. */
const PURE: ReadonlySet<string> = new Set(['language', 'features', 'schedule', 'topics', 'homeassistant', 'api', 'bridge']);
/** What they may use of Node, and packages. */
const TOOLS: ReadonlySet<string> = new Set(['node:events', 'node:util', 'node:crypto', 'node:buffer', 'zod/mini']);

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));

const IMPORT = /^(?:(?:import|export)\b.*|\}) from '([^'\n]+)'|\bimport\('([^'\n]+)'\)/gm;
const importsOf = (file: string): readonly string[] =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)].flatMap(([, name, late]) => name ?? late ?? []);
const isLocal = (name: string): boolean => name.startsWith('.');

const files = filesBelow('src');
const partOf = (file: string): string => file.split('/')[1] ?? file;

/** The imports of these files that are not allowed. */
const wrongOf = (some: readonly string[], isAllowed: (file: string, name: string) => boolean): readonly string[] =>
  some.flatMap((file) => importsOf(file).flatMap((name) => (isAllowed(file, name) ? [] : [`${file} → ${name}`])));

test('imports point down only', () => {
  const isAllowed = (from: string, to: string): boolean =>
    partOf(from) === partOf(to) || [partOf(to), relative('src', to)].some((name) => ARROWS[partOf(from)]?.includes(name));
  expect(wrongOf(files, (file, name) => !isLocal(name) || isAllowed(file, join(dirname(file), name)))).toEqual([]);
});

test('inside the bridge imports point one way, types included', () => {
  const parts = files.filter((file) => file === 'src/bridge/ports.ts' || (file.startsWith('src/bridge/') && file.split('/').length > 3));
  const isAllowed = (file: string, name: string): boolean => {
    const [from = '', to = ''] = [file, join(dirname(file), name)].map((one) => one.split('/')[2]);
    return from === to || !join(dirname(file), name).startsWith('src/bridge/') || BRIDGE_ARROWS[from]?.includes(to) === true;
  };
  expect(wrongOf(parts, isAllowed)).toEqual([]);
});

test('inside the bridge no folder imports one that imports it, types included', () => {
  const arrows = new Map<string, Set<string>>();
  for (const file of files.filter((one) => one.startsWith('src/bridge/') && dirname(one) !== 'src/bridge')) {
    const from = dirname(file);
    const to = importsOf(file).map((name) => dirname(join(from, name)));
    for (const folder of to.filter((one) => one.startsWith('src/bridge/') && one !== from))
      arrows.set(from, (arrows.get(from) ?? new Set()).add(folder));
  }
  const reached = (from: string, seen = new Set<string>()): ReadonlySet<string> => {
    for (const folder of arrows.get(from) ?? []) if (!seen.has(folder)) reached(folder, seen.add(folder));
    return seen;
  };
  const wrong = [...arrows].flatMap(([from, all]) => [...all].filter((to) => reached(to).has(from)).map((to) => `${from} → ${to}`));
  expect(wrong).toEqual([]);
});

test('listeners of the bridge are registered in compose.ts and the files that it calls', () => {
  const registers = /\.(?:on|once|addListener|prependListener)\(|\bonce\(/;
  const found = files.filter((file) => file.startsWith('src/bridge/') && registers.test(readFileSync(join(ROOT, file), 'utf8')));
  expect(found).toEqual(
    ['accountEvents', 'compose', 'composeFaults', 'composeFrozen', 'composePlans', 'sessionEvents'].map((name) => `src/bridge/${name}.ts`),
  );
});

test('the core and the bridge do no input or output', () => {
  const isAllowed = (file: string, name: string): boolean =>
    isLocal(name) || TOOLS.has(name) || (file === 'src/schedule/zone.ts' && name.startsWith('temporal-polyfill/'));
  const pure = files.filter((file) => PURE.has(partOf(file)));
  expect(wrongOf(pure, isAllowed)).toEqual([]);
});

test(`no folder has more than ${MOST_FILES} files, no file more than ${MOST_LINES} lines`, () => {
  const folders = Map.groupBy(files, (file) => dirname(file));
  expect([...folders].filter(([, within]) => within.length > MOST_FILES).map(([folder]) => folder)).toEqual([]);
  const long = files.filter((file) => readFileSync(join(ROOT, file), 'utf8').trimEnd().split('\n').length > MOST_LINES);
  expect(long).toEqual([]);
});

test('the types of every file are checked', () => {
  // A setting that a configuration inherits can leave out what it is there for.
  const checked = ['.', 'src/page'].flatMap((project) => {
    const found = JSON.parse(
      execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['--showConfig', '-p', project], { cwd: ROOT, encoding: 'utf8' }),
    );
    return (found.files as readonly string[]).map((file) => join(project, file));
  });
  expect(files.filter((file) => !checked.includes(file))).toEqual([]);
});

test('the map of the code names files that there are', () => {
  const missing = ['AGENTS.md', 'docs/architecture.md'].flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/`((?:[\w-]+\/)+(?:[\w-]+\.ts)?)`/g)]
      .map(([, name = '']) => name)
      .filter(
        (name) => !existsSync(join(ROOT, 'src', name)) && !existsSync(join(ROOT, name)) && !existsSync(join(ROOT, 'src/bridge', name)),
      )
      .map((name) => `${page}: ${name}`),
  );
  expect(missing).toEqual([]);
});

test('each event of a write is named with the files that find it out', () => {
  const step = readFileSync(join(ROOT, 'src/bridge/writes/write/step.ts'), 'utf8');
  const union = step.slice(step.indexOf('export type WriteEvent'), step.indexOf('export type StepEffect'));
  const page = readFileSync(join(ROOT, 'docs/decisions/writes.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (`\w+`(?:, `\w+`)*) \| .* \| (.*`[\w/]+\.ts`) \|$/gm)].flatMap(([, events = '', found = '']) =>
    [...events.matchAll(/`(\w+)`/g)].map(([, event = '']) => ({
      event,
      places: [...found.matchAll(/`([\w/]+\.ts)`/g)].map(([, name = '']) => name),
    })),
  );
  expect(rows.map(({ event }) => event).sort()).toEqual([...union.matchAll(/kind: '(\w+)'/g)].map(([, kind]) => kind).sort());
  const isIn = (name: string, event: string): boolean =>
    [`src/${name}`, `src/bridge/writes/${name}`].some(
      (file) => existsSync(join(ROOT, file)) && readFileSync(join(ROOT, file), 'utf8').includes(`'${event}'`),
    );
  expect(rows.flatMap(({ event, places }) => places.filter((name) => !isIn(name, event)).map((name) => `${event}: ${name}`))).toEqual([]);
});

const MAP = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
/** The rows of the walks; `from` and `to` are the numbers that a row counts. */
const walkRows = () =>
  [...MAP.matchAll(/^\| (\d+)(?:–(\d+))? \|(.*?)\|(.*?)\|/gm)].map(([row, first, last = first, functions = '', file = '']) => ({
    row,
    from: Number(first),
    to: Number(last),
    names: [...functions.matchAll(/`([^`]+)`/g)].flatMap(([, name]) => name ?? []),
    referred: /^ as (\d+)–(\d+) of/.exec(functions),
    file: file.replaceAll('`', '').trim(),
  }));

test('the walks count each function that they name, and their files have them', () => {
  const isDeclared = (name: string, text: string): boolean => {
    // A listener.
    if (name.endsWith(')')) return text.includes(name.slice(0, -1));
    const own = name.split('.').at(-1) ?? '';
    return new RegExp(`(?:const |^ *(?:(?:protected|readonly|override|async|set|get) )*)${own}(?: =|[(<:])`, 'm').test(text);
  };
  let before = 0;
  const wrong = walkRows().flatMap(({ row, from, to, names, referred, file }) => {
    const counted = referred ? Number(referred[2]) - Number(referred[1]) + 1 : names.length;
    const follows = from === before + 1 || from === 1;
    before = to;
    const text = file === '' ? '' : readFileSync(join(ROOT, 'src', file), 'utf8');
    const missing = names.filter((name) => !isDeclared(name, text));
    return follows && to - from + 1 === counted && missing.length === 0
      ? []
      : [`${row} (${counted}, not in the file: ${missing.join(', ')})`];
  });
  expect(wrong).toEqual([]);
  const lengths = walkRows().flatMap(({ to }, index, rows) => ((rows[index + 1]?.from ?? 1) === 1 ? String(to) : []));
  const [, summary = ''] = MAP.split(/^## The walks$/m);
  const said = [...summary.slice(0, summary.indexOf('\n## ')).matchAll(/\| (\d+) \|$/gm)].flatMap(([, length]) => length ?? []);
  expect(lengths).toHaveLength(5);
  expect(said).toEqual(expect.arrayContaining(lengths));
});
