import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readProjectFile } from '../../../scripts/docs.ts';

type Job = {
  readonly needs?: string | readonly string[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: { readonly runner: readonly string[] } };
  readonly steps?: readonly { readonly run?: string; readonly uses?: string; readonly with?: Readonly<Record<string, unknown>> }[];
};
type Workflow = { readonly permissions?: unknown; readonly jobs: Readonly<Record<string, Job>> };

const FILES = ['ci', 'release'] as const;
const textOf = (name: string): string => readProjectFile(`.github/workflows/${name}.yml`) ?? '';
const workflow = (name: string): Workflow => parse(textOf(name));

describe.each(FILES)('the workflow %s', (name) => {
  test('names every action by its commit, with its version behind it', () => {
    const used = [...textOf(name).matchAll(/uses: (.*)/g)].map(([, action = '']) => action).filter((action) => !action.startsWith('./'));
    expect(used.length).toBeGreaterThan(0);
    for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });
  test('gives no job more rights than it names, and keeps no token in the checkout', () => {
    const { permissions, jobs } = workflow(name);
    expect([{}, { contents: 'read' }]).toContainEqual(permissions);
    for (const { steps = [] } of Object.values(jobs)) {
      for (const step of steps.filter(({ uses }) => uses?.startsWith('actions/checkout@')))
        expect(step.with).toMatchObject({ 'persist-credentials': false });
    }
  });
});

test('CI is the one script, here and there', () => {
  const { steps = [] } = workflow('ci').jobs['all'] ?? {};
  expect(steps.at(-1)).toEqual({ run: '.ci/run' });
});

test('users are offered a release when all of it is there and has been started on both platforms', () => {
  const { jobs } = workflow('release');
  const before = (job: string): readonly string[] => {
    const needs = [jobs[job]?.needs ?? []].flat();
    return [...needs, ...needs.flatMap(before)];
  };
  expect(new Set(before('offer'))).toEqual(new Set(['ci', 'npm', 'images', 'started']));
  expect(before('publish')).toContain('offer');
  expect(jobs['started']?.strategy?.matrix.runner).toEqual(['ubuntu-24.04', 'ubuntu-24.04-arm']);
  const scripts = (job: string): string => (jobs[job]?.steps ?? []).map(({ run = '' }) => run).join('\n');
  expect(scripts('images')).toMatch(/--platform linux\/amd64,linux\/arm64 [\s\S]*--provenance mode=max --sbom true --push/);
  expect(scripts('npm')).toContain('npm publish ./dist --provenance');
  expect(Object.entries(jobs).flatMap(([job, { permissions = {} }]) => (permissions['id-token'] === 'write' ? [job] : []))).toEqual([
    'npm',
  ]);
});

test('the workflow finds the image and the version of the app where they stand', () => {
  const app = readProjectFile('app/config.yaml') ?? '';
  expect(app).toMatch(/^image: ghcr\.io\/[a-z0-9/-]+$/m);
  expect(app).toMatch(/^version: "\d+\.\d+\.\d+"$/m);
  for (const target of ['default', 'app']) expect(readProjectFile('Dockerfile')).toMatch(new RegExp(`^FROM \\S+ AS ${target}$`, 'm'));
});
