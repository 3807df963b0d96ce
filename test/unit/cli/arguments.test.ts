import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readArguments } from '../../../src/cli/arguments.ts';
import { COMMANDS } from '../../../src/cli/commands.ts';
import { UsageError } from '../../../src/shared/errors.ts';

describe('the words behind heating2mqtt', () => {
  it.each<[string, object]>([
    ['', { kind: 'usage' }],
    ['--debug', { kind: 'usage' }],
    ['--help', { kind: 'help' }],
    ['-h', { kind: 'help' }],
    ['help', { kind: 'help' }],
    ['help run', { kind: 'help', command: 'run' }],
    ['run --help', { kind: 'help', command: 'run' }],
    ['simulate --port 80 -h', { kind: 'help', command: 'simulate' }],
    ['--version', { kind: 'version' }],
    ['run', { kind: 'command', command: COMMANDS.run, values: {} }],
    ['--debug run -c a.yaml', { kind: 'command', command: COMMANDS.run, values: { config: 'a.yaml' } }],
    ['run --config=a=b.yaml', { kind: 'command', command: COMMANDS.run, values: { config: 'a=b.yaml' } }],
    ['login --paste --config a', { kind: 'command', command: COMMANDS.login, values: { paste: true, config: 'a' } }],
    ['schedule show home --json', { kind: 'command', command: COMMANDS.schedule, values: { json: true }, words: ['show', 'home'] }],
    ['settings --yaml', { kind: 'command', command: COMMANDS.settings, values: { yaml: true } }],
  ])('%j', (words, request) => {
    expect(readArguments(words.split(' ').filter((word) => word !== ''))).toEqual(
      'values' in request ? { words: [], ...request } : request,
    );
  });

  it('nothing else than a UsageError comes of whatever is typed', () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom(
        ...Object.keys(COMMANDS),
        ...Object.values(COMMANDS).flatMap(({ options }) => Object.keys(options).map((name) => `--${name}`)),
        '--',
        '-',
        '--=',
        '-hc',
      ),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 4 }), (words) => {
        try {
          readArguments(words);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      }),
    );
  });

  it.each(Object.entries(COMMANDS).flatMap(([, { examples }]) => examples))('the example `%s` is a right one', (example) => {
    const words = example.replace(/ > .*/, '').split(' ').slice(1);
    expect(readArguments(words)).toMatchObject({ kind: 'command' });
  });
});
