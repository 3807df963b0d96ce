import { describe, expect, test } from 'vitest';
import type { Issue } from '../../../src/shared/issue.ts';
import { answersOn, ENTRIES, ENTRIES_SET, ONE, RESULT, type Result, SET, sharedSystem, write } from '../../support/schedules/writing.ts';
import { SCHEDULE, SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';

type Facts = Pick<Issue, 'path' | 'rule' | 'allowed' | 'nearest'>;
type Row = readonly [what: string, payload: string | Buffer, errors: readonly Facts[]];

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const MODES = ['normal', 'comfort'];

/** An entry from 06:00 to 08:00, but for what is given. */
const entry = (other: object = {}): object => ({ start: '06:00', end: '08:00', mode: 'normal', position: 0, ...other });
const monday = (...entries: readonly unknown[]): string => JSON.stringify({ mon: entries });

const NOT_JSON: readonly Row[] = [
  ['a word', 'hello', [{ path: '1:1', rule: 'unknown_day', allowed: DAYS }]],
  ['a day without quotes', '{mon:[]}', [{ path: '1:2', rule: 'json' }]],
  ['a comma too many', '{"mon":[],}', [{ path: '1:11', rule: 'json' }]],
  ['an end that is missing, in the second line', '{"mon":\n[', [{ path: '2:2', rule: 'json' }]],
  ['a comment', '{"mon":[]} // nothing', [{ path: '1:12', rule: 'json' }]],
  ['an ellipsis at the end', `${monday(entry()).slice(0, -6)}…`, [{ path: '1:65', rule: 'truncated' }]],
  ['three dots at the end', '{"mon":[...', [{ path: '1:9', rule: 'truncated' }]],
  ['a day that is given twice', '{"mon":[],"mon":[]}', [{ path: '/mon', rule: 'twice' }]],
  ['65 KiB', ' '.repeat(65 * 1024), [{ path: '', rule: 'size', allowed: 65_536 }]],
  ['one byte too many', ' '.repeat(65_537), [{ path: '', rule: 'size', allowed: 65_536 }]],
  ['broken UTF-8', Buffer.from([...Buffer.from('{"mon":\n"ü'), 0xff, 0x22, 0x7d]), [{ path: '2:3', rule: 'utf8' }]],
  ['a text cut in the middle of a letter', Buffer.from('{"ü').subarray(0, 3), [{ path: '1:3', rule: 'utf8' }]],
];

const NO_WEEK: readonly Row[] = [
  ['a list', '[]', [{ path: '', rule: 'type' }]],
  ['null', 'null', [{ path: '1:1', rule: 'unknown_day', allowed: DAYS }]],
  ['a number', '5', [{ path: '1:1', rule: 'text' }]],
  ['a text in quotes, without a mode', '"mon 06:00-08:00"', [{ path: '1:17', rule: 'mode', allowed: MODES }]],
  ['no day', '{}', [{ path: '', rule: 'empty', allowed: DAYS }]],
  ['an unknown day', '{"monday":[]}', [{ path: '/monday', rule: 'unknown_day', allowed: DAYS, nearest: ['mon'] }]],
  ['a day with a slash', '{"mon/tue":[]}', [{ path: '/mon~1tue', rule: 'unknown_day', allowed: DAYS, nearest: ['mon'] }]],
  ['something beside newSchedule', '{"newSchedule":{"mon":[]},"tue":[]}', [{ path: '/tue', rule: 'unknown_key' }]],
];

/** Two of the rules for entries; all of them: test/unit/schedule/writtenWeek.test.ts and check.test.ts. */
const ENTRY: readonly Row[] = [
  [
    'an end before the start, which is over midnight',
    monday(entry({ start: '22:00', end: '06:00' })),
    [
      {
        path: '/mon/0/end',
        rule: 'midnight',
        nearest: [{ mon: [{ start: '22:00', end: '24:00', mode: 'normal' }], tue: [{ start: '00:00', end: '06:00', mode: 'normal' }] }],
      },
    ],
  ],
  ['a mode cut by a hub', monday(entry({ mode: 'norm…' })), [{ path: '/mon/0/mode', rule: 'truncated' }]],
];

const hours = (...starts: readonly number[]): object[] =>
  starts.map((start, position) => entry({ start: `0${start}:00`, end: `0${start + 1}:00`, position }));

const DAY: readonly Row[] = [
  [
    'everything wrong at once',
    JSON.stringify({
      mon: [entry({ start: '06:01' }), entry({ mode: 'reduced', start: '07:00', end: '25:00', position: 0 })],
      tue: hours(1, 2, 3, 4, 5),
      noday: [],
    }),
    [
      { path: '/mon/1/end', rule: 'time' },
      { path: '/mon/1/position', rule: 'position' },
      { path: '/noday', rule: 'unknown_day', allowed: DAYS },
      { path: '/mon/0/start', rule: 'resolution', allowed: 10, nearest: ['06:00', '06:10'] },
      { path: '/mon/1/mode', rule: 'default_mode', allowed: MODES },
      { path: '/tue', rule: 'maxEntries', allowed: 4 },
    ],
  ],
];

const off = entry({ start: '06:05' });
const OFF: Facts = { path: '/start', rule: 'resolution', allowed: 10, nearest: ['06:00', '06:10'] };

const WRAPPED: readonly Row[] = [
  ['in newSchedule', JSON.stringify({ newSchedule: { sun: [off] } }), [{ ...OFF, path: '/newSchedule/sun/0/start' }]],
  ['in an envelope', JSON.stringify({ value: { sun: [off] }, id: 'a' }), [{ ...OFF, path: '/value/sun/0/start' }]],
  ['in both', JSON.stringify({ value: { newSchedule: { sun: [off] } } }), [{ ...OFF, path: '/value/newSchedule/sun/0/start' }]],
  ['a week that is none, in an envelope', '{"value":5,"id":"a"}', [{ path: '/value', rule: 'type' }]],
  ['an id that is none', '{"value":{"mon":[]},"id":{}}', [{ path: '/id', rule: 'type' }]],
  ['an if_rev that is none', '{"value":{"mon":[]},"if_rev":7}', [{ path: '/if_rev', rule: 'type' }]],
  [
    'a key beside the value',
    '{"value":{"mon":[]},"fro":"2h"}',
    [{ path: '/fro', rule: 'unknown_key', allowed: ['id', 'if_rev', 'until', 'for'], nearest: ['for'] }],
  ],
  ['an end without an envelope', '{"mon":[],"until":"22:00"}', [{ path: '/until', rule: 'unknown_day', allowed: DAYS }]],
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

  test.each([...NOT_JSON, ...NO_WEEK, ...ENTRY, ...DAY, ...WRAPPED])('is refused: %s', async (_, payload, errors) => {
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
