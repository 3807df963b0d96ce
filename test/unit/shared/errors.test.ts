import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandFor, forAccount } from '../../../src/shared/errors.ts';

const PLATFORM = join(import.meta.dirname, '../../../src/platform/auth');

test.each([
  [undefined, 'heating2mqtt login', 'Log in on the page, or run `heating2mqtt login`.'],
  ['parents', 'heating2mqtt login --account parents', 'Log in on the page, or run `heating2mqtt login --account parents`.'],
  [false, undefined, 'Log in on the page of the worker that serves this account.'],
] as const)('a sentence of the account %s says what is right there', (account, command, sentence) => {
  expect(commandFor('login', account)).toBe(command);
  expect(forAccount('Log in on the page, or run `heating2mqtt login`.', account)).toBe(sentence);
});

test('a command that names its account stays as it is', () => {
  const named = forAccount('`heating2mqtt check --devices` or `heating2mqtt login`', 'parents');
  expect(named).toBe('`heating2mqtt check --account parents --devices` or `heating2mqtt login --account parents`');
  expect(forAccount(named, 'parents')).toBe(named);
});

test('in a fleet no sentence about a login names the command line', () => {
  // Its sentences are those of the command itself.
  const files = readdirSync(PLATFORM).filter((file) => file !== 'redirectListener.ts');
  const texts = files.map((file) => readFileSync(join(PLATFORM, file), 'utf8'));
  expect(texts.some((text) => text.includes('`heating2mqtt login`'))).toBe(true);
  for (const text of texts) expect(forAccount(text, false)).not.toContain('heating2mqtt login');
});
