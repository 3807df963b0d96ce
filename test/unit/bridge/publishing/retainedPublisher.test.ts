import { describe, expect, test } from 'vitest';
import { RetainedPublisher } from '../../../../src/bridge/publishing/retainedPublisher.ts';
import type { Log } from '../../../../src/shared/log.ts';
import type { Message, Outgoing } from '../../../../src/shared/message.ts';
import { memory } from '../../../support/system/memoryTopics.ts';
import { settled } from '../../../support/time/fakeClock.ts';

type Sent = Outgoing & { readonly ack: () => void; readonly fail: (cause: Error) => void };

/** A publisher whose broker answers when the test says so, or at once. */
const setUp = (options: { window?: number; answers?: boolean; publishedTopics?: ReturnType<typeof memory> } = {}) => {
  const { window = 16, answers = true, publishedTopics = memory() } = options;
  const sent: Sent[] = [];
  const warned: { readonly facts: object; readonly sentence: string }[] = [];
  const log: Log = {
    debug: () => undefined,
    info: () => undefined,
    warn: (facts, sentence) => void warned.push({ facts, sentence }),
    error: () => undefined,
  };
  const broker = {
    window,
    publish: (message: Outgoing): Promise<void> =>
      new Promise((resolve, reject) => {
        sent.push({ ...message, ack: resolve, fail: reject });
        if (answers) resolve();
      }),
  };
  const publisher = new RetainedPublisher(broker, publishedTopics, log);
  const said = (from = 0): string[] => sent.slice(from).map(({ topic, payload }) => `${topic}=${payload}`);
  const assign = async (owner: string, ...messages: readonly Message[]): Promise<void> => {
    publisher.assign(owner, messages);
    await settled();
  };
  const ack = async (index: number): Promise<void> => {
    sent[index]?.ack();
    await settled();
  };
  return { publisher, sent, said, assign, ack, warned, publishedTopics };
};

const setUpConnected = (options?: Parameters<typeof setUp>[0]) => {
  const world = setUp(options);
  world.publisher.connected(undefined);
  return world;
};

const kept = (topic: string, payload: string): Message => ({ topic, payload, retain: true });
const refusal = (message: string): Error => Object.assign(new Error(message), { why: 'refused' });

/** Runs once to its end against a broker that takes everything, and leaves its database. */
const afterRun = async (owned: Readonly<Record<string, readonly Message[]>>) => {
  const publishedTopics = memory();
  const { publisher } = setUp({ publishedTopics });
  publisher.connected(undefined);
  for (const [owner, messages] of Object.entries(owned)) publisher.assign(owner, messages);
  await settled();
  await publisher.beat('b/health', String);
  return publishedTopics;
};

describe('what is published', () => {
  test('is what differs, once', async () => {
    const { said, assign } = setUpConnected();
    await assign('a', kept('x', '1'), kept('y', '2'));
    await assign('a', kept('x', '1'), kept('y', '3'));
    expect(said()).toEqual(['x=1', 'y=2', 'y=3']);
  });

  test('is cleared when its owner no longer names it, and shown again when asked', async () => {
    const { publisher, said, assign } = setUpConnected();
    await assign('a', kept('x', '1'), kept('y', '2'));
    publisher.assign('a', [kept('x', '1')]);
    publisher.show('x');
    publisher.show('y');
    await settled();
    expect(said(2)).toEqual(['y=', 'x=1']);
  });

  test('waits while there is no broker, and only the last value goes out', async () => {
    const { publisher, said, assign } = setUp();
    publisher.assign('a', [kept('x', '1')]);
    await assign('a', kept('x', '2'));
    expect(said()).toEqual([]);
    publisher.connected(undefined);
    await settled();
    expect(said()).toEqual(['x=2']);
  });

  test('never two of one topic under way, and never more at a time than the window', async () => {
    const { publisher, sent, said, assign, ack } = setUpConnected({ window: 3, answers: false });
    await assign('a', kept('x', '1'));
    await assign('a', kept('x', '2'));
    expect(said()).toEqual(['x=1']);
    publisher.assign(
      'b',
      ['1', '2', '3', '4', '5'].map((n) => kept(`b${n}`, n)),
    );
    await settled();
    expect(said()).toEqual(['x=1', 'b1=1', 'b2=2']);
    await ack(0);
    expect(said()).toEqual(['x=1', 'b1=1', 'b2=2', 'x=2']);
    for (let i = 1; i < sent.length; i += 1) {
      await ack(i);
    }
    expect(said().slice(4).sort()).toEqual(['b3=3', 'b4=4', 'b5=5']);
  });

  test('a value that comes and goes while the same topic is under way ends as it was last', async () => {
    const { publisher, said, assign, ack } = setUpConnected({ answers: false });
    await assign('a', kept('x', '1'));
    publisher.assign('a', []);
    publisher.assign('a', [kept('x', '1')]);
    await ack(0);
    expect(said()).toEqual(['x=1']);
    await assign('a');
    expect(said()).toEqual(['x=1', 'x=']);
  });

  test('two owners that swap their topics lose none', async () => {
    const publishedTopics = await afterRun({ a: [kept('x', '1')], b: [kept('y', '2')] });
    const { publisher, said } = setUp({ publishedTopics });
    publisher.assign('a', [kept('y', '1')]);
    publisher.assign('b', [kept('x', '2')]);
    publisher.connected(1);
    await settled();
    expect(said().sort()).toEqual(['x=2', 'y=1']);
  });

  test('answers wait for the broker, a thousand of them: those that another one follows are dropped first, then the oldest', async () => {
    const { publisher, said, warned } = setUp({ window: 5000 });
    for (let n = 0; n < 1200; n += 1) publisher.send({ topic: 'result', payload: String(n), retain: false }, { isInterim: n % 12 === 5 });
    publisher.connected(undefined);
    await settled();
    const kept = Array.from({ length: 1200 }, (_, n) => n)
      .filter((n) => n % 12 !== 5)
      .slice(100);
    expect(said()).toEqual(kept.map((n) => `result=${n}`));
    expect(publisher.droppedAnswers).toBe(200);
    expect(warned).toEqual([
      { facts: { waiting: 1001 }, sentence: expect.stringContaining('are dropped, then the oldest') },
      { facts: { dropped: 200 }, sentence: expect.stringContaining('were dropped') },
    ]);
  });

  test('an answer that was under way when the connection fell comes before those given after it', async () => {
    const { publisher, sent, said } = setUpConnected({ window: 2, answers: false });
    for (const payload of ['accepted', 'other', 'applied']) publisher.send({ topic: 'result', payload, retain: false });
    await settled();
    publisher.disconnected();
    for (const { fail } of sent) fail(new Error('Connection closed'));
    await settled();
    publisher.connected(undefined);
    for (let n = 2; n < 5; n += 1) {
      await settled();
      sent[n]?.ack();
    }
    expect(said(2)).toEqual(['result=accepted', 'result=other', 'result=applied']);
  });

  test('a topic that not every broker takes is left out and told once; its clearing is not needed', async () => {
    const { publisher, said, warned, publishedTopics, assign } = setUpConnected();
    const deep = Array(250).fill('a').join('/');
    for (const payload of ['1', '2']) publisher.assign('a', [kept(deep, payload), kept('x', payload)]);
    publisher.send({ topic: `${deep}/result`, payload: '{}', retain: false });
    await settled();
    await assign('a');
    expect(said()).toEqual(['x=2', 'x=']);
    expect([...publishedTopics.held.keys()]).toEqual([]);
    expect(warned).toEqual([
      {
        facts: { topic: `${deep.slice(0, 200)}…`, why: 'it has 250 levels; 200 are allowed' },
        sentence: expect.stringContaining('left out'),
      },
      {
        facts: { topic: `${deep.slice(0, 200)}…`, why: 'it has 251 levels; 200 are allowed' },
        sentence: expect.stringContaining('left out'),
      },
    ]);
  });
});

describe('a connection that falls', () => {
  test('what was not acknowledged goes out again, answers included; what was is not repeated where the broker remembers', async () => {
    const { publisher, sent, said, publishedTopics, ack } = setUpConnected({ answers: false });
    publisher.assign('a', [kept('x', '1'), kept('y', '2')]);
    publisher.send({ topic: 'result', payload: 'yes', retain: false });
    await settled();
    await ack(0);
    const beat = publisher.beat('b/health', String);
    sent[3]?.ack();
    await beat;
    publisher.disconnected();
    for (const { fail } of sent.slice(1, 3)) fail(new Error('Connection closed'));
    await settled();
    publisher.connected(publishedTopics.beat);
    await settled();
    // One after the other: it may have been one of them at which the connection fell.
    expect(said(4)).toEqual(['y=2']);
    await ack(4);
    expect(said(5)).toEqual(['result=yes']);
  });

  test('a broker that shows no beat gets everything', async () => {
    const { publisher, said, assign } = setUpConnected();
    await assign('a', kept('x', '1'));
    publisher.disconnected();
    publisher.connected(undefined);
    await settled();
    expect(said()).toEqual(['x=1', 'x=1']);
  });

  test('that ends with an error before it is told is no refusal', async () => {
    const { publisher, sent, said, warned, assign, ack } = setUpConnected({ answers: false });
    await assign('a', kept('x', '1'), kept('y', '2'));
    for (const { fail } of sent) fail(new Error('client disconnecting'));
    await settled();
    expect(said()).toHaveLength(2);
    publisher.disconnected();
    publisher.connected(undefined);
    await settled();
    await ack(2);
    expect(said(2)).toEqual(['x=1', 'y=2']);
    expect(warned).toEqual([]);
  });
});

describe('a message that the broker does not take', () => {
  test('is told once and left out until it changes', async () => {
    const { sent, said, warned, assign } = setUpConnected({ answers: false });
    await assign('a', kept('x', 'ä'));
    sent[0]?.fail(refusal('not authorised'));
    await settled();
    await assign('a', kept('x', 'ä'));
    expect(said()).toEqual(['x=ä']);
    expect(warned).toEqual([
      { facts: { topic: 'x', bytes: 2, cause: 'not authorised' }, sentence: expect.stringContaining('does not take') },
    ]);
    await assign('a', kept('x', 'b'));
    expect(said(1)).toEqual(['x=b']);
  });

  /** A broker that closes the connection at some messages, and takes all others. */
  const setUpDropping = (drops: (message: Outgoing) => boolean) => {
    const world = setUp({ answers: false });
    const { publisher, sent } = world;
    let falls = 0;
    let seen = 0;
    /** Lets the broker answer until nothing comes any more; gives how often the connection fell. */
    const run = async (): Promise<number> => {
      const before = falls;
      for (await settled(); seen < sent.length; await settled()) {
        const open = sent.slice(seen);
        seen = sent.length;
        const bad = open.findIndex(drops);
        for (const { ack } of bad < 0 ? open : open.slice(0, bad)) ack();
        if (bad < 0) continue;
        // The acknowledgements that were on the way are heard first.
        await new Promise((resolve) => process.nextTick(resolve));
        publisher.disconnected();
        for (const { fail } of open.slice(bad)) fail(new Error('Connection closed'));
        await settled();
        falls += 1;
        publisher.connected(undefined);
      }
      return falls - before;
    };
    publisher.connected(undefined);
    return { ...world, run };
  };

  test.each([1, 9, 10_000])('and at which it drops the connection is found, told, and left out, with %i bytes', async (length) => {
    const bad = 'l'.repeat(length);
    const { publisher, said, warned, run, sent } = setUpDropping(({ payload }) => payload === bad);
    publisher.assign('a', [kept('x', '1234'), kept('bad', bad), kept('y', '5678')]);
    expect(await run()).toBe(3);
    expect(warned).toEqual([{ facts: { topic: 'bad', bytes: length }, sentence: expect.stringContaining('until it changes') }]);
    const from = sent.length;
    publisher.disconnected();
    publisher.connected(undefined);
    expect(await run()).toBe(0);
    expect(said(from).sort()).toEqual(['x=1234', 'y=5678']);
    publisher.assign('a', [kept('x', '1234'), kept('bad', 'good'), kept('y', '5678')]);
    expect(await run()).toBe(0);
    expect(said(from)).toContain('bad=good');
    expect(warned).toHaveLength(1);
  });

  test('and at which it drops the connection whatever is on its topic is told once, with one fall for each new value', async () => {
    const { publisher, warned, run } = setUpDropping(({ topic }) => topic === 'bad');
    publisher.assign('a', [kept('x', '1'), kept('bad', '1')]);
    await run();
    for (const value of ['2', '3', '4']) {
      publisher.assign('a', [kept('x', '1'), kept('bad', value)]);
      expect(await run()).toBe(1);
    }
    expect(warned).toHaveLength(1);
  });

  test('and at which it drops the connection, where it is an answer: later ones that are no shorter are given up at once', async () => {
    const { publisher, warned, run, said, sent } = setUpDropping(({ topic }) => topic === 'bad');
    const answer = async (payload: string): Promise<[falls: number, heard: number]> => {
      const heard: string[] = [];
      publisher.send({ topic: 'good', payload, retain: false }, { onDelivered: () => heard.push('good') });
      publisher.send({ topic: 'bad', payload, retain: false }, { onDelivered: () => heard.push('bad') });
      return [await run(), heard.length];
    };
    expect(await answer('12345')).toEqual([2, 2]);
    const from = sent.length;
    expect(await answer('12345')).toEqual([0, 2]);
    expect(await answer('123456')).toEqual([0, 2]);
    expect(said(from)).toEqual(['good=12345', 'good=123456']);
    expect(await answer('1')).toEqual([1, 2]);
    expect(warned).toEqual([{ facts: { topic: 'bad', bytes: 5 }, sentence: expect.stringContaining('it is left out') }]);
    expect(publisher.droppedAnswers).toBe(4);
  });

  test('and that was left out since the broker fell for another reason is tried once more when the connection has proved good', async () => {
    const { publisher, said, run, sent } = setUpDropping(({ topic }) => topic === 'x' && sent.length < 4);
    publisher.assign('a', [kept('x', '1')]);
    expect(await run()).toBe(2);
    const beat = async (): Promise<void> => {
      const done = publisher.beat('b/health', String);
      await run();
      await done;
    };
    await beat();
    const from = sent.length;
    await run();
    expect(said(from)).toEqual([]);
    await beat();
    await run();
    expect(said(from)).toEqual(['b/health=2', 'x=1']);
  });

  test('a long one that was under way when the broker was restarted comes through', async () => {
    const { publisher, sent, said, warned, assign, ack } = setUp({ answers: false });
    const long = 'l'.repeat(10_000);
    publisher.connected(undefined);
    await assign('a', kept('long', long));
    publisher.disconnected();
    sent[0]?.fail(new Error('Connection closed'));
    publisher.connected(undefined);
    await settled();
    await ack(1);
    expect(said()).toHaveLength(2);
    expect(warned).toEqual([]);
  });
});

describe('a start', () => {
  test('against a broker that remembers publishes nothing', async () => {
    const publishedTopics = await afterRun({ a: [kept('x', '1'), kept('y', '2')] });
    const { publisher, said, assign } = setUp({ publishedTopics });
    publisher.connected(publishedTopics.beat);
    await assign('a', kept('x', '1'), kept('y', '2'));
    expect(said()).toEqual([]);
  });

  test('publishes what was not sealed by the beat that the broker shows', async () => {
    const publishedTopics = await afterRun({ a: [kept('x', '1')] });
    const first = setUp({ publishedTopics });
    first.publisher.connected(1);
    first.publisher.assign('b', [kept('y', '2')]);
    await settled();
    expect(first.publisher.unsealed()).toBe(true);
    const second = setUp({ publishedTopics });
    second.publisher.assign('a', [kept('x', '1')]);
    second.publisher.assign('b', [kept('y', '2')]);
    second.publisher.connected(1);
    await settled();
    expect(second.said()).toEqual(['y=2']);
  });

  test('believes a beat that was sent and not acknowledged, where the broker shows it', async () => {
    const publishedTopics = await afterRun({ a: [kept('x', '1')] });
    publishedTopics.write([{ kind: 'beat', beat: 2, acknowledged: false }]);
    const { publisher, said } = setUp({ publishedTopics });
    publisher.assign('a', [kept('x', '1')]);
    publisher.connected(2);
    await settled();
    expect(said()).toEqual([]);
  });

  test.each([undefined, 0, 7, 1e308, 2 ** 53, -1, 0.5])('against a broker that shows beat %s publishes everything', async (shown) => {
    const publishedTopics = await afterRun({ a: [kept('x', '1'), kept('y', '2')] });
    const { publisher, said } = setUp({ publishedTopics });
    publisher.assign('a', [kept('x', '1'), kept('y', '2')]);
    publisher.connected(shown);
    await settled();
    expect(said()).toEqual(['x=1', 'y=2']);
  });

  test.each([1e308, 2 ** 53 - 1, Number.POSITIVE_INFINITY])(
    'counts on where the broker, or a publishedTopics of before, has beat %s',
    async (beat) => {
      for (const publishedTopics of [await afterRun({ a: [kept('x', '1')] }), memory({ beat })]) {
        const { publisher, said } = setUp({ publishedTopics });
        publisher.assign('a', [kept('x', '1')]);
        publisher.connected(beat);
        await settled();
        for (const _ of [1, 2]) await publisher.beat('b/health', String);
        const [, first, second] = said();
        expect([first, second]).toEqual([expect.stringMatching(/^b\/health=[12]$/), expect.stringMatching(/^b\/health=[23]$/)]);
        publisher.disconnected();
        publisher.connected(publishedTopics.beat);
        await settled();
        expect(said(3)).toEqual([]);
        publisher.connected(beat);
        await settled();
        expect(said(3)).toEqual(['x=1']);
      }
    },
  );

  test('uses no beat twice, also where the broker shows one that the database does not know yet', async () => {
    const publishedTopics = await afterRun({ a: [kept('x', '1')] });
    const { publisher, said } = setUp({ publishedTopics });
    publisher.connected(7);
    await publisher.beat('b/health', String);
    expect(said()).toEqual(['b/health=8']);
  });

  test('clears what its owner no longer has, and leaves alone what waits for its owner', async () => {
    const publishedTopics = await afterRun({ a: [kept('x', '1'), kept('y', '2')], b: [kept('z', '3')] });
    const { publisher, said, assign } = setUp({ publishedTopics });
    expect(publisher.topics.owners()).toEqual(['a', 'b']);
    publisher.assign('a', [kept('x', '1')]);
    publisher.connected(1);
    await settled();
    expect(said()).toEqual(['y=']);
    await assign('b');
    expect(said()).toEqual(['y=', 'z=']);
    expect(publisher.topics.owners()).toEqual(['a']);
  });

  test('clears again what a broker that fell back to an older state holds once more', async () => {
    const publishedTopics = await afterRun({ a: [kept('x', '1'), kept('y', '2')] });
    const first = setUp({ publishedTopics });
    first.publisher.connected(1);
    first.publisher.assign('a', [kept('x', '1')]);
    await settled();
    expect(first.publisher.unsealed()).toBe(true);
    await first.publisher.beat('b/health', String);
    expect(first.publisher.unsealed()).toBe(false);
    for (const [shown, wanted] of [
      [2, []],
      [undefined, ['x=1']],
      [1, ['x=1', 'y=']],
    ] as const) {
      const { publisher, said } = setUp({ publishedTopics });
      publisher.assign('a', [kept('x', '1')]);
      publisher.connected(shown);
      await settled();
      expect([shown, said().sort()]).toEqual([shown, wanted]);
    }
  });

  test('keeps what is published past it in the database, and clears it where it has moved', async () => {
    const publishedTopics = memory();
    const first = setUp({ publishedTopics });
    first.publisher.adopt('bridge state', 'old/bridge/state');
    first.publisher.connected(undefined);
    await settled();
    expect([...publishedTopics.held.keys()]).toEqual(['old/bridge/state']);
    const second = setUp({ publishedTopics });
    second.publisher.adopt('bridge state', 'new/bridge/state');
    second.publisher.connected(undefined);
    await settled();
    expect(second.said()).toEqual(['old/bridge/state=']);
    expect([...publishedTopics.held.keys()]).toEqual(['new/bridge/state']);
  });
});

test('each publish is in the database before it goes out', async () => {
  const { publishedTopics, assign, ack } = setUpConnected({ answers: false });
  await assign('a', kept('x', '1'));
  expect(publishedTopics.lines).toEqual([{ kind: 'held', topic: 'x', owner: 'a', hash: expect.any(String), seal: 1 }]);
  await ack(0);
  await assign('a');
  await ack(1);
  expect(publishedTopics.lines.slice(1)).toEqual([
    { kind: 'sending', topic: 'x', owner: 'a' },
    { kind: 'gone', topic: 'x', seal: 1 },
  ]);
});

describe('a beat', () => {
  test('does not seal what is still under way, whatever is wanted by now', async () => {
    const { publisher, sent, publishedTopics, assign, ack } = setUpConnected({ answers: false });
    await assign('a', kept('x', '1'), kept('y', '1'));
    publisher.assign('a', [kept('x', '2'), kept('y', '1')]);
    await ack(1);
    const beaten = publisher.beat('b/health', String);
    sent.find(({ topic }) => topic === 'b/health')?.ack();
    await beaten;
    expect([...publishedTopics.held].map(([topic, { seal }]) => [topic, seal])).toEqual([
      ['x', 2],
      ['y', 1],
    ]);
    const certain = setUp({ publishedTopics });
    certain.publisher.connected(publishedTopics.beat);
    certain.publisher.assign('a', [kept('x', '1'), kept('y', '1')]);
    await settled();
    expect(certain.said()).toEqual(['x=1']);
  });

  test('and what is under way then are written in one step: a kill between two would leave as sealed what never arrived', async () => {
    const published = memory();
    const steps: string[][] = [];
    const write = (lines: Parameters<typeof published.write>[0]): void => {
      steps.push(lines.map((line) => (line.kind === 'held' ? `${line.topic} ${line.seal}` : line.kind)));
      published.write(lines);
    };
    const { publisher, assign } = setUpConnected({ answers: false, publishedTopics: { ...published, write } });
    await assign('a', kept('x', '1'));
    void publisher.beat('b/health', String);
    expect(steps).toEqual([['x 1'], ['beat', 'x 2']]);
  });

  test.each([
    ['refused', refusal('too long')],
    ['not acknowledged before the connection ended', new Error('closed')],
  ])('does not seal what was %s', async (_, why) => {
    const { sent, publishedTopics, assign } = setUpConnected({ answers: false });
    await assign('a', kept('x', '1'));
    sent[0]?.fail(why);
    await settled();
    expect(publishedTopics.held.get('x')).toEqual({ owner: 'a', hash: undefined, seal: 0 });
  });
});
