import { expect, test } from 'vitest';
import { addressRefusal, type Refusal } from '../../../../../src/bridge/writes/request/rejection.ts';

test.each<[string, Refusal['code'], Refusal['code']]>([
  ['{"mon":[', 'unknown_device', 'invalid'],
  [' [1,', 'unknown_feature', 'invalid'],
  ['{"a":1,"a":2}', 'unknown_command', 'invalid'],
  ['{"mon":[]}', 'unknown_device', 'unknown_device'],
  ['mon none', 'unknown_device', 'unknown_device'],
  ['"verbatim', 'unknown_topic', 'unknown_topic'],
  ['{', 'not_executable', 'not_executable'],
])('%s for what is %s is %s', (text, code, said) => {
  expect(addressRefusal(text, { code, message: 'no' }).code).toBe(said);
});
