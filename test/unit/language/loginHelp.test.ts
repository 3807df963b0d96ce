import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandFor, LOGIN_HELP } from '../../../src/language/accounts/loginHelp.ts';

const SRC = join(import.meta.dirname, '../../../src');

test.each([
  [undefined, 'heating2mqtt login'],
  ['parents', 'heating2mqtt login --account parents'],
] as const)('of the account %s is said what logs it in, in both languages', (account, command) => {
  expect(commandFor('login', account)).toBe(command);
  for (const { where, otherwise, report } of Object.values(LOGIN_HELP))
    for (const words of [where, otherwise, report]) expect(words(command)).toContain(`\`${command}\``);
});

test('of an account of a fleet no command is named, as the command line does not know it', () => {
  expect(commandFor('login', false)).toBeUndefined();
  for (const { where, otherwise, report } of Object.values(LOGIN_HELP))
    for (const words of [where, otherwise, report]) {
      expect(words(undefined)).toMatch(/worker|fleet|Worker|Flotte/);
      expect(words(undefined)).not.toMatch(/heating2mqtt|undefined/);
    }
});

test('no other sentence of a bridge or its page names a command of an account', () => {
  const files = globSync(['{accounts,bridge,fleet,platform,web}/**/*.ts', 'language/**/*.ts'], { cwd: SRC });
  const naming = files.filter((file) => /^(?! ?\/?\*| *\/\/).*`heating2mqtt (?:login|check)/mu.test(readFileSync(join(SRC, file), 'utf8')));
  // A table of the documentation.
  expect(naming.filter((file) => !file.endsWith('bridgeStates.ts'))).toEqual([]);
});
