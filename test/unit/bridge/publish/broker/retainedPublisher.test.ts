import { describe, expect, test } from 'vitest';
import { type RetainedPublisher, retainedPublisher } from '../../../../../src/bridge/publish/broker/retainedPublisher.ts';
import type { Log } from '../../../../../src/shared/log.ts';
import type { Message, Outgoing } from '../../../../../src/shared/message.ts';
import { type Steps, type Story, storiesIn, tellBy } from '../../../../support/story.ts';
import { memory } from '../../../../support/system/memoryTopics.ts';
import { recordingLog } from '../../../../support/system/testSystem.ts';
import { settled } from '../../../../support/time/fakeClock.ts';

type Sent = Outgoing & { readonly ack: () => void; readonly fail: (cause: Error) => void };

/** A publisher whose broker answers when the test says so, or at once. */
const setUp = (options: { window?: number; answers?: boolean; publishedTopics?: ReturnType<typeof memory> } = {}) => {
  const { window = 16, answers = true, publishedTopics = memory() } = options;
  const sent: Sent[] = [];
  const warned: { readonly facts: object; readonly sentence: string }[] = [];
  const log: Log = { ...recordingLog([]), warn: (facts, sentence) => void warned.push({ facts, sentence }) };
  const broker = {
    window,
    publish: (message: Outgoing): Promise<void> =>
      new Promise((resolve, reject) => {
        sent.push({ ...message, ack: resolve, fail: reject });
        if (answers) resolve();
      }),
  };
  const publisher = retainedPublisher(broker, publishedTopics, log);
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

/** What can happen in a story: a word and what belongs to it; `; ` between steps. The broker answers at once, or when the story says so. */
const tellStory = async (...parts: readonly string[]): Promise<void> => {
  const publishedTopics = memory();
  let world = setUp({ publishedTopics });
  let seen = 0;
  const news = (): string[] => {
    const all = world.said(seen);
    seen = world.sent.length;
    return all;
  };
  const messagesIn = (rest: readonly string[]): readonly Message[] =>
    rest.flatMap((one) => (one.includes('=') ? [kept(one.replace(/=.*/, ''), one.replace(/^[^=]*=/, ''))] : []));
  const steps: Steps = {
    // The next process with the same database.
    run: () => {
      world = setUp({ publishedTopics });
      seen = 0;
    },
    silent: ([window]) => {
      world = setUp({ publishedTopics, answers: false, window: Number(window ?? 16) });
    },
    give: ([owner = '', ...messages]) => world.publisher.assign(owner, messagesIn(messages)),
    send: (messages) => messagesIn(messages).map((message) => world.publisher.send({ ...message, retain: false })),
    adopt: ([topic = '']) => world.publisher.adopt('bridge state', topic),
    interrupt: (all) => messagesIn(all).map(({ topic, payload }) => world.publisher.interrupt(topic, payload, () => undefined)),
    show: (topics) => topics.map((topic) => world.publisher.show(topic)),
    // Somebody else has retained something there.
    clear: (topics) => topics.map((topic) => world.publisher.clear(topic)),
    beat: () => void world.publisher.setCheckpoint('b/health', String),
    pending: ([beat]) => publishedTopics.write([{ kind: 'nextCheckpoint', id: Number(beat) }]),
    // With the beat that the broker shows: `same` is the newest of the database.
    up: ([beat = 'undefined']) =>
      world.publisher.connected(beat === 'undefined' ? undefined : beat === 'same' ? publishedTopics.lastCheckpointId : Number(beat)),
    down: () => world.publisher.disconnected(),
    ack: async (indexes) => {
      for (const index of indexes) await world.ack(Number(index));
    },
    closed: (indexes) => indexes.map((index) => world.sent[Number(index)]?.fail(new Error('Connection closed'))),
    refused: ([index]) => world.sent[Number(index)]?.fail(refusal('not authorised')),
    forbidden: (indexes) => indexes.map((index) => world.sent[Number(index)]?.fail(refusal('Publish error: Not authorized'))),
    // What was published since the last look, in this order or in any.
    said: (all) => expect(news()).toEqual(all),
    all: (all) => expect(news().sort()).toEqual(all),
    told: (facts) => expect(world.warned.map((one) => JSON.stringify(one.facts)).join(' ')).toBe(facts.join(' ')),
    outdated: ([is]) => expect(world.publisher.isCheckpointOutdated()).toBe(is === 'yes'),
    owners: (all) => expect(world.publisher.topics.owners()).toEqual(all),
    held: (topics) =>
      expect([...publishedTopics.held].map(([topic, { hash }]) => `${topic}${hash === undefined ? '?' : ''}`)).toEqual(topics),
    checkpoint: ([beat]) => expect(String(publishedTopics.checkpointId)).toBe(beat),
    // The broker is to be searched for topics that the database does not name.
    behind: ([is]) => expect(publishedTopics.lines.some(({ kind }) => kind === 'behind') ? 'yes' : 'no').toBe(is),
  };
  await tellBy(steps, parts);
};

const LONG = 'l'.repeat(10_000);
const AFTER_CHECKPOINT = 'up; give a x=1 y=2; beat; run';

test.each<Story>([
  ...storiesIn(`
    what is published is what differs, once :: up; give a x=1 y=2; give a x=1 y=3; said x=1 y=2 y=3
    what its owner no longer names is cleared, and shown again when asked
      up; give a x=1 y=2; said x=1 y=2; give a x=1; show x y; said y= x=1
    waits while there is no broker, and only the last value goes out :: give a x=1; give a x=2; said; up; said x=2
    never two of one topic under way, and never more at a time than the window
      silent 3; up; give a x=1; give a x=2; said x=1; give b b1=1 b2=2 b3=3 b4=4 b5=5; said b1=1 b2=2; ack 0; said x=2
      ack 1 2 3 4 5; all b3=3 b4=4 b5=5
    a value that comes and goes while the same topic is under way ends as it was last
      silent; up; give a x=1; give a; give a x=1; ack 0; said x=1; give a; said x=
    two owners that swap their topics lose none :: up; give a x=1; give b y=2; beat; run; give a y=1; give b x=2; up 1; all x=2 y=1
    an answer that was under way when the connection fell comes before those given after it
      silent 2; up; send result=accepted result=other result=applied; said result=accepted result=other; down; closed 0 1; up
      ack 2 3 4; said result=accepted result=other result=applied
    # One after the other: it may have been one of them at which the connection ended.
    what was not acknowledged goes out again, answers included; what was is not repeated where the broker remembers
      silent; up; give a x=1 y=2; send result=yes; said x=1 y=2 result=yes; ack 0; beat; ack 3; said b/health=1; down; closed 1 2
      up same; said y=2; ack 4; said result=yes
    a broker that shows no beat gets everything :: up; give a x=1; down; up; said x=1 x=1
    a connection that ends with an error before it is told is no refusal
      silent; up; give a x=1 y=2; closed 0 1; said x=1 y=2; down; up; ack 2; said x=1 y=2; told
    a message that the broker does not take is told once and left out until it changes
      silent; up; give a x=ä; refused 0; held x?; give a x=ä; said x=ä; told {"topic":"x","bytes":2,"cause":"not authorised"}
      give a x=b; said x=b
    a right that is missing is told of the first topic, and the others are left out as it is
      silent; up; give a x=1 y=2; forbidden 0 1; said x=1 y=2; told {"topic":"x","cause":"Publish error: Not authorized"}
    a long message that was under way when the broker was restarted comes through
      silent; up; give a long=${LONG}; down; closed 0; up; ack 1; said long=${LONG} long=${LONG}; told
    a start against a broker that remembers publishes nothing :: ${AFTER_CHECKPOINT}; up same; give a x=1 y=2; said
    a new connection publishes what the broker may not have kept since the beat that it shows
      ${AFTER_CHECKPOINT}; give a x=1 y=2; up 1; give b z=2; outdated yes; said z=2; down; up 1; said z=2; beat; said b/health=2; down; up 2; said
    a new connection clears once more what the broker may hold again
      ${AFTER_CHECKPOINT}; give a x=1 y=2; up 1; give a x=1; said y=; down; up 1; said y=; beat; down; up 2; said b/health=2
    a start after a run that was killed after something was published publishes everything
      ${AFTER_CHECKPOINT}; up 1; give a x=1 y=2; give b z=2; outdated yes; checkpoint undefined; run; give a x=1 y=2; give b z=2; up 1; said x=1 y=2 z=2
    what is not retained on a topic for a moment is followed by its value, in the next run where this one is killed or stopped before
      ${AFTER_CHECKPOINT}; give a x=1 y=2; up 1; interrupt x=; said x=; checkpoint undefined; show x; said x=1; beat; said b/health=2
      interrupt x=; said x=; run; give a x=1 y=2; up 2; said x=1 y=2; beat; said b/health=3
      interrupt x=; beat; said x= b/health=4; run; give a x=1 y=2; up 4; said x=1
    a start after everything was published again believes the next beat, also of what still waits for its owner
      ${AFTER_CHECKPOINT}; give a x=1 y=3; up 7; beat; checkpoint 8; run; give a x=1 y=3; up 8; said
      run; give b z=1; up; beat; said z=1 b/health=9; run; give a x=1 y=3; give b z=1; up 9; said x=1 y=3
    a start believes a beat that was sent and not acknowledged, where the broker shows it
      up; give a x=1; beat; pending 2; run; give a x=1; up 1; said; run; give a x=1; up 2; said
    a start finds that the database is an older copy, by a later beat on the broker
      ${AFTER_CHECKPOINT}; behind no; run; up; behind no; run; up 1; behind no; run; up 7; behind yes
    a start uses no beat twice, also where the broker shows one that the database does not know yet
      ${AFTER_CHECKPOINT}; up 7; beat; said b/health=8
    a start clears what its owner no longer has, and leaves alone what waits for its owner
      up; give a x=1 y=2; give b z=3; beat; run; owners a b; give a x=1; up 1; said y=; give b; said z=; owners a
    a start clears again what a broker that fell back to an older state holds once more
      ${AFTER_CHECKPOINT}; up 1; give a x=1; outdated yes; beat; outdated no; run; give a x=1; up 2; said
      run; give a x=1; up; said x=1; run; give a x=1; up 1; all x=1 y=
    what somebody else has retained is cleared, and the next start publishes nothing for that
      ${AFTER_CHECKPOINT}; give a x=1 y=2; up 1; clear z; said z=; outdated no; checkpoint 1; run; give a x=1 y=2; up 1; said
    what is published past it is kept in the database, and cleared where it has moved
      adopt old/state; up; held old/state?; run; adopt new/state; up; said old/state=; beat; held new/state?
    a checkpoint does not tell what is still under way, whatever is wanted by now
      silent; up; give a x=1 y=1; give a x=2 y=1; ack 1; beat; ack 2; held x? y; checkpoint undefined; outdated yes; down; closed 0; up 1
      all b/health=1 x=1 x=2 y=1; ack 3; beat; ack 4; held x y; checkpoint 2; run; give a x=2 y=1; up 2; said
    a checkpoint does not tell what is published before its acknowledgement
      silent; up; give a x=1 y=1; ack 0 1; beat; give a x=2 y=1; ack 2; held x? y; checkpoint undefined; ack 3; beat; ack 4; held x y; checkpoint 2
    a checkpoint does not tell what was not acknowledged before the connection ended :: silent; up; give a x=1; closed 0; held x?; checkpoint undefined
    a beat that was not acknowledged before the connection ended counts where the broker shows it, and the one before it too
      silent; up; give a x=1; ack 0; beat; ack 1; beat; down; up 1; said x=1 b/health=1 b/health=2; give a x=2; ack 3; beat; down; up 3
      said x=2 b/health=3; checkpoint 3; run; give a x=2; up 3; said
  `),
  ...[undefined, 0, 7, 1e308, 2 ** 53, -1, 0.5].flatMap((beat) =>
    storiesIn(
      `a start against a broker that shows beat ${beat} publishes everything :: ${AFTER_CHECKPOINT}; give a x=1 y=2; up ${beat}; said x=1 y=2`,
    ),
  ),
])('%s', (_, ...story) => tellStory(...story));

test('answers wait for the broker, a thousand of them: those that another one follows are dropped first, then the oldest', async () => {
  const { publisher, said, warned } = setUp({ window: 5000 });
  for (let n = 0; n < 1200; n += 1) publisher.send({ topic: 'result', payload: String(n), retain: false }, { isInterim: n % 12 === 5 });
  publisher.connected(undefined);
  await settled();
  const kept = Array.from({ length: 1200 }, (_, n) => n)
    .filter((n) => n % 12 !== 5)
    .slice(100);
  expect(said()).toEqual(kept.map((n) => `result=${n}`));
  expect(publisher.droppedAnswers()).toBe(200);
  expect(warned).toEqual([
    { facts: { waiting: 1000 }, sentence: expect.stringContaining('are dropped first, then the oldest') },
    { facts: { dropped: 200 }, sentence: expect.stringContaining('were dropped') },
  ]);
});

test('answers that refuse a message have half of the room: rubbish does not push out the answers to writes', async () => {
  const { publisher, said, warned } = setUp({ window: 5000 });
  const send = (payload: string, isRejection: boolean) => publisher.send({ topic: 'result', payload, retain: false }, { isRejection });
  send('applied', false);
  let taken = 0;
  while (publisher.takesRejection()) {
    send('rejected', true);
    taken += 1;
  }
  expect([taken, publisher.takesRejection(), publisher.droppedAnswers()]).toEqual([500, false, 2]);
  expect(warned).toEqual([{ facts: { waiting: 501 }, sentence: expect.stringContaining('further ones get no answer') }]);
  publisher.connected(undefined);
  await settled();
  expect([said()[0], publisher.takesRejection()]).toEqual(['result=applied', true]);
});

test('a topic on which somebody else retained something is cleared, also where that is known before the connection is ready', async () => {
  const { publisher, said } = setUp({ window: 5000 });
  for (let n = 0; n < 1500; n += 1) publisher.clear(`x/${n}/set`);
  publisher.connected(undefined);
  await settled();
  expect(said()).toEqual(Array.from({ length: 1500 }, (_, n) => `x/${n}/set=`));
});

test('a topic that not every broker takes is left out and told once; its clearing is not needed', async () => {
  const { publisher, said, warned, publishedTopics, assign } = setUpConnected();
  const deep = Array(250).fill('a').join('/');
  for (const payload of ['1', '2']) publisher.assign('a', [kept(deep, payload), kept('x', payload)]);
  publisher.send({ topic: `${deep}/result`, payload: '{}', retain: false });
  await settled();
  await assign('a');
  expect(said()).toEqual(['x=2', 'x=']);
  expect([...publishedTopics.held.keys()]).toEqual(['x']);
  expect(warned).toEqual([
    {
      facts: { topic: `${deep.slice(0, 200)}…`, why: 'it has 250 levels; at most 200 are allowed' },
      sentence: expect.stringContaining('not published'),
    },
    {
      facts: { topic: `${deep.slice(0, 200)}…`, why: 'it has 251 levels; at most 200 are allowed' },
      sentence: expect.stringContaining('not published'),
    },
  ]);
});

describe('a message at which the broker drops the connection', () => {
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

  test.each([1, 9, 10_000])('is found, told, and left out, with %i bytes', async (length) => {
    const bad = 'l'.repeat(length);
    const { publisher, said, warned, run, sent } = setUpDropping(({ payload }) => payload === bad);
    publisher.assign('a', [kept('x', '1234'), kept('bad', bad), kept('y', '5678')]);
    expect(await run()).toBe(2);
    expect(warned).toEqual([{ facts: { topic: 'bad', bytes: length }, sentence: expect.stringContaining('until it changes') }]);
    const from = sent.length;
    publisher.disconnected();
    publisher.connected(undefined);
    expect(await run()).toBe(1);
    expect([...new Set(said(from))].sort()).toEqual([`bad=${bad}`, 'x=1234', 'y=5678']);
    publisher.assign('a', [kept('x', '1234'), kept('bad', 'good'), kept('y', '5678')]);
    expect(await run()).toBe(0);
    expect(said(from)).toContain('bad=good');
    expect(warned).toHaveLength(1);
  });

  test('whatever is on its topic is told once, with one fall for each new value', async () => {
    const { publisher, warned, run } = setUpDropping(({ topic }) => topic === 'bad');
    publisher.assign('a', [kept('x', '1'), kept('bad', '1')]);
    await run();
    for (const value of ['2', '3', '4']) {
      publisher.assign('a', [kept('x', '1'), kept('bad', value)]);
      expect(await run()).toBe(1);
    }
    expect(warned).toHaveLength(1);
  });

  test('where it is an answer: later ones that are no shorter are given up at once', async () => {
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
    expect(warned).toEqual([{ facts: { topic: 'bad', bytes: 5 }, sentence: expect.stringContaining('it is not published') }]);
    expect(publisher.droppedAnswers()).toBe(4);
  });

  test.each([
    ['everything is published again', (publisher: RetainedPublisher) => publisher.showAll()],
    [
      'the connection has ended with nothing under way',
      (publisher: RetainedPublisher) => {
        publisher.disconnected();
        publisher.connected(undefined);
      },
    ],
  ])('is tried again when %s', async (_, happens) => {
    const { publisher, said, run, sent } = setUpDropping(({ topic }) => topic === 'x' && sent.length < 4);
    publisher.assign('a', [kept('x', '1')]);
    expect(await run()).toBe(2);
    const from = sent.length;
    publisher.send({ topic: 'result', payload: '{}', retain: false });
    await run();
    expect(said(from)).toEqual(['result={}']);
    happens(publisher);
    expect(await run()).toBe(0);
    expect(said(from)).toEqual(['result={}', 'x=1']);
  });

  test('is found among all that were under way, which are sent one after the other and lose nothing', async () => {
    const { publisher, said, run } = setUpDropping(({ topic }) => topic === 'm7');
    publisher.assign(
      'a',
      Array.from({ length: 16 }, (_, n) => kept(`m${n}`, '1')),
    );
    expect(await run()).toBe(2);
    expect(said().filter((one) => one === 'm7=1')).toHaveLength(2);
    expect(new Set(said()).size).toBe(16);
  });
});

/** Runs once to its end against a broker that takes everything, and leaves its database. */
const afterRun = async () => {
  const { publisher, assign, publishedTopics } = setUpConnected();
  await assign('a', kept('x', '1'));
  await publisher.setCheckpoint('b/health', String);
  return publishedTopics;
};

test.each([1e308, 2 ** 53 - 1, Number.POSITIVE_INFINITY])(
  'a start counts on where the broker, or a publishedTopics of before, has beat %s',
  async (beat) => {
    for (const publishedTopics of [await afterRun(), memory({ beat })]) {
      const { publisher, said } = setUp({ publishedTopics });
      publisher.assign('a', [kept('x', '1')]);
      publisher.connected(beat);
      await settled();
      for (const _ of [1, 2]) await publisher.setCheckpoint('b/health', String);
      const [, first, second] = said();
      expect([first, second]).toEqual([expect.stringMatching(/^b\/health=[12]$/), expect.stringMatching(/^b\/health=[23]$/)]);
      publisher.disconnected();
      publisher.connected(publishedTopics.lastCheckpointId);
      await settled();
      expect(said(3)).toEqual([]);
      publisher.connected(beat);
      await settled();
      expect(said(3)).toEqual(['x=1']);
    }
  },
);

test('before it is published the database names a topic and has no checkpoint; what the broker got is told by the next one', async () => {
  const { publisher, publishedTopics, assign, ack } = setUpConnected({ answers: false });
  const beat = async (index: number): Promise<void> => {
    const done = publisher.setCheckpoint('b/health', String);
    await ack(index);
    await done;
  };
  const lines = () => publishedTopics.lines.splice(0);
  await assign('a', kept('x', '1'));
  expect(lines()).toEqual([{ kind: 'sending', topic: 'x', owner: 'a' }]);
  await ack(0);
  await beat(1);
  expect(lines()).toEqual([
    { kind: 'nextCheckpoint', id: 1 },
    { kind: 'held', topic: 'x', owner: 'a', hash: expect.any(String) },
    { kind: 'checkpoint', id: 1 },
  ]);
  await assign('a', kept('x', '2'));
  expect(lines()).toEqual([{ kind: 'checkpoint', id: undefined }]);
  await assign('a');
  await ack(2);
  await ack(3);
  await beat(4);
  expect(lines()).toEqual([
    { kind: 'nextCheckpoint', id: 2 },
    { kind: 'gone', topic: 'x' },
    { kind: 'checkpoint', id: 2 },
  ]);
});

test('what waits for the window is named together with what goes out first, in one step', async () => {
  const { publishedTopics, assign, ack, said } = setUpConnected({ answers: false, window: 1 });
  await assign('a', kept('x', '1'), kept('y', '1'), kept('z', '1'));
  for (const index of [0, 1, 2]) await ack(index);
  expect(said()).toEqual(['x=1', 'y=1', 'z=1']);
  expect(publishedTopics.lines).toEqual(['x', 'y', 'z'].map((topic) => ({ kind: 'sending', topic, owner: 'a' })));
});
