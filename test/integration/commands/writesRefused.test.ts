import { describe, expect, test } from 'vitest';
import type { Issue } from '../../../src/shared/issue.ts';
import { DAY_NAMES, day } from '../../support/schedules/weeks.ts';
import { answersOn, ENTRIES, ENTRIES_SET, ONE, RESULT, type Result, SET, sharedSystem, write } from '../../support/schedules/writing.ts';
import { SCHEDULE, SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';

type Facts = Pick<Issue, 'path' | 'rule' | 'allowed' | 'nearest'>;
type Row = readonly [what: string, payload: string | Buffer, errors: readonly Facts[]];

const MODES = ['normal', 'comfort'];

/** An entry from 06:00 to 08:00, but for what is given. */
const entry = (other: object = {}): object => ({ start: '06:00', end: '08:00', mode: 'normal', position: 0, ...other });
const monday = (...entries: readonly unknown[]): string => JSON.stringify({ mon: entries });

const off = entry({ start: '06:05' });
const OFF: Facts = { path: '/start', rule: 'resolution', allowed: 10, nearest: ['06:00', '06:10'] };

/** Some of each kind; all of them: test/unit/shared/json.test.ts, test/unit/topics and test/unit/schedule. */
const ROWS: readonly Row[] = [
  ['a word', 'hello', [{ path: '1:1', rule: 'unknown_day', allowed: DAY_NAMES }]],
  ['an end that is missing, in the second line', '{"mon":\n[', [{ path: '2:2', rule: 'json' }]],
  ['an ellipsis at the end', `${monday(entry()).slice(0, -6)}…`, [{ path: '1:65', rule: 'truncated' }]],
  ['a day that is given twice', '{"mon":[],"mon":[]}', [{ path: '/mon', rule: 'twice' }]],
  ['one byte too many', ' '.repeat(65_537), [{ path: '', rule: 'size', allowed: 65_536 }]],
  ['broken UTF-8', Buffer.from([...Buffer.from('{"mon":\n"ü'), 0xff, 0x22, 0x7d]), [{ path: '2:3', rule: 'utf8' }]],
  ['a list', '[]', [{ path: '', rule: 'type', allowed: 'object' }]],
  ['a number', '5', [{ path: '1:1', rule: 'text' }]],
  ['an unknown day', '{"monday":[]}', [{ path: '/monday', rule: 'unknown_day', allowed: DAY_NAMES, nearest: ['mon'] }]],
  [
    'everything wrong at once',
    JSON.stringify({
      mon: [entry({ start: '06:01' }), entry({ mode: 'reduced', start: '07:00', end: '25:00', position: 0 })],
      tue: day('01:00-02:00 normal, 02:00-03:00 normal, 03:00-04:00 normal, 04:00-05:00 normal, 05:00-06:00 normal'),
      noday: [],
    }),
    [
      { path: '/mon/1/end', rule: 'time' },
      { path: '/mon/1/position', rule: 'position' },
      { path: '/noday', rule: 'unknown_day', allowed: DAY_NAMES },
      { path: '/mon/0/start', rule: 'resolution', allowed: 10, nearest: ['06:00', '06:10'] },
      { path: '/mon/1/mode', rule: 'default_mode', allowed: MODES },
      { path: '/tue', rule: 'maxEntries', allowed: 4 },
    ],
  ],
  ['in both', JSON.stringify({ value: { newSchedule: { sun: [off] } } }), [{ ...OFF, path: '/value/newSchedule/sun/0/start' }]],
  ['an id that is none', '{"value":{"mon":[]},"id":{}}', [{ path: '/id', rule: 'type', allowed: ['string', 'number'] }]],
  [
    'a key beside the value',
    '{"value":{"mon":[]},"fro":"2h"}',
    [{ path: '/fro', rule: 'unknown_key', allowed: ['id', 'if_rev', 'until', 'for'], nearest: ['for'] }],
  ],
  ['two ends', '{"value":{"mon":[]},"for":"2h","until":"12:00"}', [{ path: '/for', rule: 'two_ends' }]],
];

const factsOf = ({ path, rule, allowed, nearest }: Issue): Facts => ({
  path,
  rule,
  ...(allowed === undefined ? {} : { allowed }),
  ...(nearest === undefined ? {} : { nearest }),
});

const isSentence = (text: string | undefined): boolean => text !== undefined && text.length > 10 && text.length < 2000;

describe.each([SET, ENTRIES_SET])('a payload on %s', (topic) => {
  const system = sharedSystem(ONE);

  /** Rejected without a call; nothing is heard but the answers and the present value. */
  const refuse = async (payload: string | Buffer): Promise<Result> => {
    const from = system().recorder.heard.length;
    const present = system().recorder.last(ENTRIES);
    const { terminal, statuses, others, reads, posts } = await write(system(), topic, payload);
    expect({ statuses, reads, posts }).toEqual({ statuses: ['rejected'], reads: 0, posts: [] });
    expect(others.map(({ topic: heard, payload: shown }) => [heard, shown])).toEqual([[ENTRIES, present]]);
    expect(answersOn(system().recorder.heard.slice(from), RESULT)).toEqual([terminal]);
    expect(terminal).toMatchObject({ device: 'home', feature: SCHEDULE, topic });
    expect(Date.parse(terminal.at)).not.toBeNaN();
    expect(terminal.message).toSatisfy(isSentence);
    return terminal;
  };

  test.each(ROWS)('is refused: %s', async (_, payload, errors) => {
    const { code, errors: told = [] } = await refuse(payload);
    expect(code).toBe('invalid');
    expect(told.map(factsOf)).toEqual(errors);
    for (const { message } of told) expect(message).toSatisfy(isSentence);
  });

  test('is refused: nothing', async () => {
    const { code, errors } = await refuse('');
    expect({ code, errors }).toEqual({ code: 'empty', errors: undefined });
  });

  test('gives its id back where it can be read', async () => {
    const { id, command } = await refuse(JSON.stringify({ value: { sun: [off] }, id: 'a' }));
    expect({ id, command }).toEqual({ id: 'a', command: 'setSchedule' });
  });

  test('that breaks a thousand rules is answered with the first hundred', async () => {
    const { errors = [] } = await refuse(JSON.stringify({ mon: Array.from({ length: 2000 }, () => ({})) }));
    expect(errors).toHaveLength(101);
    expect(errors.at(-1)).toMatchObject({ rule: 'more' });
  });
});

describe('an answer', () => {
  const system = sharedSystem(ONE);

  test('keeps what it quotes short', async () => {
    const { terminal } = await write(system(), SET, monday(entry({ mode: 'x'.repeat(60_000) })));
    expect(JSON.stringify(terminal).length).toBeLessThan(1500);
  });

  test('tells where a property of the schedule is written', async () => {
    const { terminal } = await write(system(), `${SCHEDULE_TOPIC}/active/set`, 'true');
    expect(terminal).toMatchObject({ status: 'rejected', code: 'not_writable', feature: SCHEDULE });
    expect(terminal.message).toContain('call/setSchedule');
    expect(terminal.message).toContain('text/set, mon/set');
  });

  test('tells what a day is called in topics', async () => {
    const { terminal } = await write(system(), `${SCHEDULE_TOPIC}/Montag/set`, 'none');
    expect(terminal).toMatchObject({ status: 'rejected', code: 'not_writable', feature: SCHEDULE });
    expect(terminal.message).toContain('use mon/set');
  });
});
