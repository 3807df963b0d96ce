import { describe, expect, test } from 'vitest';
import { retainedPublisher } from '../../../../../src/bridge/publish/broker/retainedPublisher.ts';
import { DeviceState } from '../../../../../src/bridge/state/deviceState.ts';
import { type ResultPublisher, resultPublisher } from '../../../../../src/bridge/writes/answers/resultPublisher.ts';
import { type CommandResult, reply } from '../../../../../src/bridge/writes/request/commandRequest.ts';
import { invalid } from '../../../../../src/bridge/writes/request/rejection.ts';
import { broken } from '../../../../../src/shared/issue.ts';
import type { Incoming, Outgoing } from '../../../../../src/shared/message.ts';
import { readId } from '../../../../../src/topics/commandPayload.ts';
import type { Answer } from '../../../../../src/topics/resultPayload.ts';
import { fakeClock, settled } from '../../../../support/time/fakeClock.ts';

const SET = 'heating2mqtt/home/heating/schedule/set';
const SHOWN = 'heating2mqtt/home/heating/schedule/entries';

const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };

/** A publisher that is connected, and what answers by it. */
const setUp = (publish: (message: Outgoing) => Promise<void>, language: 'en' | 'de' = 'en') => {
  const publishedTopics = { held: new Map(), cleared: new Map(), lastCheckpointId: 0, checkpointId: undefined, write: silent };
  const publisher = retainedPublisher({ publish, window: 100 }, publishedTopics, log);
  publisher.connected(undefined);
  const clock = fakeClock();
  const stopping = new AbortController();
  return { publisher, clock, stopping, results: resultPublisher('heating2mqtt', publisher, clock, log, language, stopping.signal) };
};

/** What goes out when a message is answered. */
const answered = async (message: Partial<Incoming>, result: CommandResult, known = true): Promise<readonly Outgoing[]> => {
  const sent: Outgoing[] = [];
  const { publisher, results } = setUp(async (one) => void sent.push(one));
  publisher.assign('feature', [{ topic: SHOWN, payload: 'the week', retain: true }]);
  await settled();
  sent.splice(0);
  const incoming = { topic: SET, payload: Buffer.from('x'), retain: false, ...message };
  if (known) reply({ replyTo: results.replyTo(incoming), target: TARGET, id: readId(incoming.payload) }, result);
  else results.replyTo(incoming)({}, result);
  await settled();
  return sent;
};

const STATE = new DeviceState({ name: 'home', installation: '1', gateway: '757', device: '0', features: ['*'], exclude: [] });
const TARGET = { kind: 'stored', state: STATE, device: 'home', feature: 'heating.schedule', stateTopic: SHOWN } as const;

describe('an answer', () => {
  test('says what it is about, in one order', async () => {
    const [first] = await answered({}, { status: 'applied', rev: '81c0' });
    expect(first?.payload).toBe(
      `{"device":"home","feature":"heating.schedule","topic":"${SET}","status":"applied","rev":"81c0","at":"2026-11-21T06:00:00.000Z"}`,
    );
  });

  test.each<[status: CommandResult['status'], shows: boolean]>([
    ['accepted', false],
    ['applied', false],
    ['valid', false],
    ['unchanged', true],
    ['unconfirmed', true],
    ['superseded', true],
    ['rejected', true],
    ['failed', true],
  ])('%s: the present value is shown once more: %s', async (status, shows) => {
    const sent = await answered({}, { status });
    expect(sent.filter(({ topic }) => topic === SHOWN)).toHaveLength(shows ? 1 : 0);
    expect(sent.filter(({ topic }) => topic.endsWith('/result'))).toHaveLength(2);
  });

  test.each<[topic: string, used: boolean]>([
    ['flows/7', true],
    ['heating2mqtt/flows/7', true],
    ['heating2mqtt', true],
    ['', false],
    ['a/+', false],
    ['#', false],
    ['$SYS/x', false],
    [Array(200).fill('a').join('/'), true],
    [Array(202).fill('a').join('/'), false],
    ['a'.repeat(65_536), false],
    ['a\nb', false],
    ['a\uffffb', false],
    ['heating2mqtt/home/heating/schedule/result', false],
    ['heating2mqtt/home/result', false],
    ['heating2mqtt/home/anything', false],
    ['heating2mqtt/bridge/anything', false],
    ['heating2mqtt/other/x/set', false],
    ['heating2mqtt/other/%zz/set', false],
    ['heating2mqtt/other/x/validate', false],
    ['heating2mqtt/other/x/call/y', false],
    [SHOWN, false],
  ])('on the response topic %s: %s', async (responseTopic, used) => {
    const sent = await answered({ responseTopic, correlationData: Buffer.from([1, 2]) }, { status: 'applied' });
    const there = sent.filter(({ correlationData }) => correlationData !== undefined);
    expect(there.map(({ topic, retain, correlationData }) => [topic, retain, [...(correlationData ?? [])]])).toEqual(
      used ? [[responseTopic, false, [1, 2]]] : [],
    );
  });

  test.each<[payload: string, id: unknown]>([
    ['{"value":"nope","id":"7"}', '7'],
    ['{"id":8,"value":22,"fro":"1h"}', 8],
    ['{"value":1,"id":{}}', undefined],
    ['{"id":"7"}', undefined],
    ['{"value":1,"id":"7"', undefined],
    ['"id"', undefined],
    [JSON.stringify({ value: 'x'.repeat(65_536), id: 1 }), undefined],
  ])('to what was not understood gives the id back', async (payload, id) => {
    const sent = await answered({ payload: Buffer.from(payload) }, { status: 'rejected' });
    const answer = sent.find(({ topic }) => topic.endsWith('/result'))?.payload ?? '';
    expect(JSON.parse(answer).id).toBe(id);
  });

  test('of no device of ours goes to the bridge', async () => {
    const sent = await answered({}, { status: 'rejected', device: 'cellar' }, false);
    expect(sent.map(({ topic }) => topic)).toEqual(['heating2mqtt/bridge/result']);
  });
});

describe('a typed value that is refused', () => {
  const VALUE = 'heating2mqtt/home/heating/curve/slope';
  const FIELD = `${VALUE}/field`;

  /** What hubs hear on these topics until the moment is over, and then. */
  const heard = async (
    message: Partial<Parameters<ResultPublisher['replyTo']>[0]>,
    result: CommandResult,
    topics = [VALUE],
    stops = false,
  ) => {
    const sent: Outgoing[] = [];
    const { publisher, clock, stopping, results } = setUp(async (one) => void sent.push(one));
    publisher.assign(
      'feature',
      topics.map((topic) => ({ topic, payload: '0.6', retain: true })),
    );
    await settled();
    sent.splice(0);
    const { topic = `${VALUE}/set`, payload = Buffer.from('1.9'), ...more } = message;
    const target = { ...TARGET, stateTopic: topic.replace(/\/set$/u, '') };
    reply({ replyTo: results.replyTo({ topic, payload, ...more }), target }, result);
    await (stops ? settled() : clock.pass(299));
    const lines = (): string[] =>
      sent
        .filter((one) => one.topic !== 'flows/7' && !one.topic.endsWith('/result'))
        .map((one) => `${one.topic.slice(VALUE.length)}=${one.payload}${one.retain ? ' retained' : ''}`);
    const soon = lines();
    if (stops) stopping.abort();
    await (stops ? settled() : clock.pass(1));
    return [soon, lines().slice(soon.length)];
  };

  test.each<CommandResult>([
    { status: 'rejected', code: 'invalid' },
    { status: 'failed', code: 'validation' },
    { status: 'unchanged', rounded_from: 1.94 },
  ])('has nothing on its topic for a moment, which the broker does not keep: $status', async (result) => {
    expect(await heard({}, result)).toEqual([['='], ['=0.6 retained']]);
  });

  test('has its value again before the bridge stops', async () => {
    expect(await heard({}, { status: 'rejected' }, [VALUE], true)).toEqual([['='], ['=0.6 retained']]);
  });

  test('of a field has a text there, as a field may be empty', async () => {
    expect(await heard({}, { status: 'rejected' }, [VALUE, FIELD])).toEqual([['=0.6 retained', '/field=…'], ['/field=0.6 retained']]);
  });

  test.each<[what: string, message: Parameters<typeof heard>[0], result?: CommandResult]>([
    ['an envelope', { payload: Buffer.from(' {"value":1.9,"id":1}') }],
    ['a list', { payload: Buffer.from('[1]') }],
    ['a switch', { payload: Buffer.from('true') }],
    ['a program that waits for its answer', { responseTopic: 'flows/7' }],
    ['the page', { by: { kind: 'page' }, onAnswer: silent }],
    ['a button', { topic: 'heating2mqtt/home/heating/schedule/until/set', payload: Buffer.from('keep') }],
    ['what cannot be written', {}, { status: 'rejected', code: 'not_writable' }],
    ['what was retained', {}, { status: 'rejected', code: 'retained' }],
    ['what is so already', {}, { status: 'unchanged' }],
    ['what is not shown in time', {}, { status: 'unconfirmed' }],
  ])('is shown without a flicker to %s', async (_, message, result = { status: 'rejected' }) => {
    const { topic = `${VALUE}/set` } = message;
    const state = topic.replace(/\/set$/u, '');
    expect(await heard(message, result, [state])).toEqual([[`${state.slice(VALUE.length)}=0.6 retained`], []]);
  });
});

test('an answer is with the broker only when it is on every topic where it goes', async () => {
  const waiting: { topic: string; ack: () => void }[] = [];
  const { results } = setUp(({ topic }) => new Promise<void>((ack) => waiting.push({ topic, ack })));
  let delivered = 0;
  const incoming = { topic: SET, responseTopic: 'flows/7' };
  reply({ replyTo: results.replyTo(incoming), target: TARGET }, { status: 'applied' }, undefined, () => {
    delivered += 1;
  });
  await settled();
  expect(waiting.map(({ topic }) => topic)).toEqual(['heating2mqtt/home/heating/schedule/result', 'heating2mqtt/home/result', 'flows/7']);
  for (const { ack } of waiting) {
    expect(delivered).toBe(0);
    ack();
    await settled();
  }
  expect(delivered).toBe(1);
});

test('the last answer of each of thousands of writes comes in one run, however slow the broker is', async () => {
  const sent: Outgoing[] = [];
  const waiting = new Set<() => void>();
  const { publisher, results } = setUp((message) => {
    sent.push(message);
    return new Promise<void>((ack) => waiting.add(ack));
  });
  const replyTo = results.replyTo({ topic: SET, responseTopic: 'flows/7' });
  const delivered: number[] = [];
  for (let id = 0; id < 3000; id += 1)
    reply({ replyTo, target: TARGET, id }, { status: 'superseded' }, undefined, () => delivered.push(id));
  await settled();
  while (waiting.size > 0) {
    for (const ack of waiting) ack();
    waiting.clear();
    await settled();
  }
  expect([delivered, publisher.droppedAnswers()]).toEqual([Array.from({ length: 3000 }, (_, id) => id), 0]);
  expect(sent).toHaveLength(9000);
});

test('the answers of writes go on after a lost connection', async () => {
  let answer = (): Promise<void> => Promise.reject(new Error('connection lost'));
  const { publisher, results } = setUp(() => answer());
  const delivered: number[] = [];
  for (let id = 0; id < 3000; id += 1) results.replyTo({ topic: SET })({}, { status: 'superseded' }, () => delivered.push(id));
  await settled();
  expect(delivered).toEqual([]);
  answer = async () => undefined;
  publisher.connected(undefined);
  await publisher.flushed();
  expect(delivered).toHaveLength(3000);
});

describe('a refusal of many rules', () => {
  test.each([
    [1, 'no 1'],
    [3, 'no 1; no 2; no 3'],
    [5, 'no 1; no 2; no 3; and 2 more, see errors'],
  ])('%i: %s', (count, message) => {
    const errors = Array.from({ length: count }, (_, i) => ({ path: '', rule: 'x', message: `no ${i + 1}` }));
    expect(invalid(errors)).toEqual({ code: 'invalid', message, errors });
  });

  test('says what they have in common once', () => {
    const errors = ['/mon', '/tue', '/wed'].map((path, i) => ({ path, rule: 'x', message: i < 2 ? 'so' : 'thus' }));
    expect(invalid(errors)).toEqual({ code: 'invalid', message: 'so; thus', errors });
  });
});

test('in German the sentences are, for people at the broker; the page and the log have the English ones', async () => {
  const sent: Outgoing[] = [];
  const { results } = setUp(async (one) => void sent.push(one), 'de');
  const forPage: Answer[] = [];
  results.on('answer', (answer) => forPage.push(answer));
  const rejected = { ...invalid([broken('past', '/until', 'this end has passed')]), status: 'rejected' } as const;
  const facts = { about: 'no_command', feature: 'heating.dhw', name: 'fly', near: [], known: ['activate'] } as const;
  const unknown = { status: 'rejected', code: 'unknown_command', message: 'heating.dhw has no command fly', facts } as const;
  for (const result of [rejected, unknown]) results.replyTo({ topic: SET, responseTopic: 'flows/7' })({}, result);
  await settled();
  const published = sent.map(({ topic, payload }) => ({ topic, answer: JSON.parse(String(payload)) }));
  expect(published.map(({ topic }) => topic)).toEqual(['heating2mqtt/bridge/result', 'flows/7', 'heating2mqtt/bridge/result', 'flows/7']);
  expect(published[1]?.answer).toMatchObject({
    ...{ status: 'rejected', code: 'invalid', message: 'Das Ende liegt nicht in der Zukunft.' },
    errors: [{ rule: 'past', path: '/until', message: 'Das Ende liegt nicht in der Zukunft.' }],
  });
  expect(published[3]?.answer.message).toBe('heating.dhw hat keinen Befehl „fly“; es gibt activate.');
  expect(published.every(({ answer }) => !('facts' in answer))).toBe(true);
  expect(forPage).toMatchObject([
    { message: 'this end has passed', errors: [{ message: 'this end has passed' }] },
    { message: unknown.message },
  ]);
  expect(forPage.every((answer) => !('facts' in answer))).toBe(true);
});
