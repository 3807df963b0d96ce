import { expect, test } from 'vitest';
import { contestedIn } from '../../../src/page/model/contested.ts';

test.each([
  ['nothing', '', []],
  ['no JSON', '{', []],
  ['no parts', '{"parts":1}', []],
  ['days', '{"parts":[{"property":"entries","day":"mon","shown":[]},3]}', [{ day: 'mon' }]],
  [
    'values',
    '{"parts":[{"property":"value","shown":55},{"property":"x","day":"noday","shown":null}]}',
    [
      { property: 'value', shown: 55 },
      { property: 'x', shown: null },
    ],
  ],
])('what was changed elsewhere is read from a topic with %s', (_, payload, parts) => expect(contestedIn(payload)).toEqual(parts));
