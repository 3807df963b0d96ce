import { readFileSync } from 'node:fs';
import { format } from 'node:util';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';

const BIN = readFileSync('scripts/bin.cjs', 'utf8');

/** Runs the first file of a release that needs Node 24.15.0: what it requires and prints, and its exit code. */
const runWith = (version: string) => {
  const required: string[] = [];
  const printed: string[] = [];
  const fake = { versions: { node: version }, execPath: '/usr/bin/node', exitCode: 0 };
  runInNewContext(BIN.replace(/^#!.*/, '').replace('{{needed}}', '24.15.0'), {
    process: fake,
    console: { error: (...words: unknown[]) => printed.push(format(...words)) },
    require: (name: string) => required.push(name),
  });
  return { required, printed, code: fake.exitCode };
};

test.each(['4.9.1', '8.17.0', '9.99.99', '20.20.2', '22.23.3', '24.2.0', '24.14.9'])('Node %s is too old', (version) => {
  const { required, printed, code } = runWith(version);
  expect({ required, code }).toEqual({ required: [], code: 1 });
  expect(printed).toEqual([
    `heating2mqtt needs Node.js 24.15.0 or newer, but this is Node.js ${version} (/usr/bin/node).`,
    'Install a newer one from https://nodejs.org/ or use the container image, which brings its own.',
  ]);
});

test.each(['24.15.0', '24.15.1', '24.100.0', '25.0.0', '26.10.0', '100.0.0', '27.0.0-nightly20270101'])(
  'Node %s is new enough',
  (version) => {
    expect(runWith(version)).toEqual({ required: ['./start.js'], printed: [], code: 0 });
  },
);

test('package.json names the Node that is needed in the form that the release puts in', () => {
  expect(JSON.parse(readFileSync('package.json', 'utf8')).engines.node).toMatch(/^>=\d+\.\d+\.\d+$/);
});
