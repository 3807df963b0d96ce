import { expect, test } from 'vitest';
import { entryOf } from '../../../src/cli/fleet/fleet.ts';
import { folder } from '../config/loading.ts';

test('fleet add reads its file as one of accounts.d: digits stay a text, and a mistake shows nothing of its line', () => {
  const cwd = folder({ 'right.yaml': 'client_id: 0123456789\n', 'wrong.yaml': 'mqtt: { password: hunter2, password: [hunter2 }\n' });
  const entry = (file: string) => entryOf({ file }, cwd);
  expect(entry('right.yaml')).toEqual({ client_id: '0123456789' });
  expect(() => entry('nowhere.yaml')).toThrow('--file: nowhere.yaml cannot be read (');
  expect(() => entry('wrong.yaml')).toThrow(/^--file: wrong\.yaml, line 1, column \d+: (?!.*hunter2)/);
});
