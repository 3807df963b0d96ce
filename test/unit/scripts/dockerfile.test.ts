import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test.each([
  ['default', '1000'],
  ['app', '0'],
])('the image %s has a numeric user, which Kubernetes can tell from root', (name, user) => {
  const [, stage = ''] = new RegExp(`^FROM \\S+ AS ${name}$([^]*?)(?=^FROM |(?![^]))`, 'm').exec(readFileSync('Dockerfile', 'utf8')) ?? [];
  expect(/^USER (.*)$/m.exec(stage)?.[1]).toBe(user);
});

test('nothing private can get into an image: the build sees what it reads, and no settings', () => {
  const lines = readFileSync('.dockerignore', 'utf8').split('\n');
  expect(lines.filter((line) => line !== '' && !line.startsWith('#'))[0]).toBe('*');
  expect(lines.indexOf('config/local.yaml')).toBeGreaterThan(lines.indexOf('!config'));
});
