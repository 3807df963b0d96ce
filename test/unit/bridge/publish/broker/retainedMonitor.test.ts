import { expect, onTestFinished, test } from 'vitest';
import { digest } from '../../../../../src/bridge/publish/broker/largeText.ts';
import { retainedMonitor } from '../../../../../src/bridge/publish/broker/retainedMonitor.ts';
import type { Incoming } from '../../../../../src/shared/message.ts';
import { type Steps, storiesIn, tellBy } from '../../../../support/story.ts';
import { recordingLog } from '../../../../support/system/testSystem.ts';
import { fakeClock, settled } from '../../../../support/time/fakeClock.ts';

const STATE = 'h/bridge/state';
const DOCUMENT = 'ha/device/h_7_0/config';
const AVAILABILITY = 'h/home/availability';
const VALUE = 'h/home/value';
const OWNERS: Readonly<Record<string, string>> = {
  [DOCUMENT]: 'document 7/0',
  [AVAILABILITY]: 'availability 7/0',
  [VALUE]: 'feature 7/0 x',
  'h/bridge/info': 'bridge info',
};

const TOPICS: Readonly<Record<string, string>> = {
  state: STATE,
  document: DOCUMENT,
  home: AVAILABILITY,
  value: VALUE,
  info: 'h/bridge/info',
};
const HELD = { [DOCUMENT]: 'doc', [AVAILABILITY]: 'online', [VALUE]: '1' };

/** A watch over what a publisher believes to lie on the broker. */
const setUp = (held: Readonly<Record<string, string>>) => {
  const clock = fakeClock();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const certain = new Map(Object.entries(held));
  const subscribed: string[] = [];
  const repaired: string[] = [];
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const watch = retainedMonitor({
    connection: { subscribe: async (filters) => void subscribed.push(...filters) },
    publishedTopics: { held: new Map([...certain].map(([topic]) => [topic, { owner: OWNERS[topic] ?? '', hash: 'x' }])) },
    publisher: {
      holds: (topic) => {
        const payload = certain.get(topic);
        return payload === undefined ? undefined : digest(payload);
      },
    },
    stateTopic: STATE,
    clock,
    log: recordingLog(logged),
    signal: stop.signal,
  });
  watch.on('lost', (topic, owner) => void repaired.push(owner.startsWith('document ') ? owner : topic));
  const hears = (topic: string, payload: string): boolean => {
    const message: Incoming = { topic, payload: Buffer.from(payload), retain: true };
    return watch.received(message);
  };
  const connect = async (): Promise<void> => {
    subscribed.splice(0);
    watch.connected();
    await settled();
  };
  /** The broker shows what lies there, as we believe. */
  const showAll = (): void => {
    hears(STATE, 'online');
    for (const [topic, payload] of certain) hears(topic, payload);
  };
  const publishes = (topic: string, payload: string): void => {
    certain.set(topic, payload);
    watch.held(topic, OWNERS[topic] ?? '');
  };
  return { clock, watch, stop, certain, subscribed, repaired, logged, hears, connect, showAll, publishes };
};

/** What can happen in a story: a word and what belongs to it; `; ` between steps. Topics go by their short names. */
const tellStory = async (story: readonly string[], held: Readonly<Record<string, string>> = HELD): Promise<void> => {
  const { clock, watch, stop, certain, subscribed, repaired, logged, hears, connect, showAll, publishes } = setUp(held);
  const told: string[] = [];
  watch.on('shown', (topic, payload) => void told.push(`${named([topic])[0]}=${payload}`));
  const named = (topics: readonly string[]): readonly string[] =>
    topics.map((topic) => Object.keys(TOPICS).find((name) => TOPICS[name] === topic) ?? topic.replace(' ', '_')).sort();
  const steps: Steps = {
    connect,
    disconnect: () => watch.disconnected(),
    'all-shown': showAll,
    forgotten: () => certain.clear(),
    stop: () => stop.abort(),
    pass: ([seconds]) => clock.pass(1000 * Number(seconds)),
    // What lies on a topic, or comes to it; `other`: it is not ours.
    hears: ([topic = '', payload = '', whose]) => expect(hears(TOPICS[topic] ?? topic, payload)).toBe(whose !== 'other'),
    publishes: ([topic = '', payload = '']) => publishes(TOPICS[topic] ?? topic, payload),
    // It will be published; what another client has there is told.
    expects: ([topic = '']) => watch.watch(TOPICS[topic] ?? topic, 'document 7/0'),
    tells: (rest) => expect(told).toEqual(rest),
    subscribed: (rest) => expect(named(subscribed)).toEqual(rest),
    repaired: (rest) => expect(named(repaired)).toEqual(rest),
    silent: () => expect(logged.filter(({ level }) => level === 'warn')).toEqual([]),
    warned: ([topic = '']) => expect(logged).toMatchObject([{ level: 'warn', facts: { topic: TOPICS[topic] } }]),
  };
  await tellBy(steps, story);
};

const NEVER = 'connect; pass 100; disconnect';

test.each(
  storiesIn(`
    a connection that shows that all is well: nothing is published
      connect; subscribed document home state; all-shown; pass 600; repaired
    a connection that shows that a document is gone: it is published again
      connect; hears home online; pass 5; repaired document_7/0; warned document
    a connection that shows another document: it is published again
      connect; hears home online; hears document other; pass 5; repaired document_7/0; warned document
    a connection that shows another availability: it is published again
      connect; hears document doc; hears home offline; pass 5; repaired home; warned home
    what lay there and was shown is somebody else's where it comes again
      connect; all-shown; publishes home offline; pass 10; hears home online; pass 5; repaired home
    what lay there and is shown behind what was published since is nobody else's, once
      connect; hears document doc; publishes home offline; hears home offline; hears home online; pass 10; repaired; hears home online; pass 5; repaired home
    what the broker had lost and somebody else retains again later is published again
      connect; hears document doc; pass 5; repaired home; publishes home offline; pass 60; hears home online; pass 60; repaired home home
    what the bridge may not read is repaired once, not at every connection
      ${NEVER}; ${NEVER}; ${NEVER}; ${NEVER}; ${NEVER}; repaired document_7/0 home; silent
    a connection that ends before it has shown all says nothing
      connect; pass 4.9; disconnect; connect; pass 4.9; all-shown; pass 100; repaired
    what the broker has forgotten and gets anew is not looked at :: forgotten; connect; subscribed state; pass 100; repaired
    a message of somebody else on any other topic is not ours
      connect; hears value 7 other; hears h/home/x/set 7 other; pass 1; repaired
    a message of somebody else after the bridge was told to stop changes nothing
      connect; all-shown; stop; hears state offline; pass 100; repaired
  `),
)('%s', (_, ...story) => tellStory(story));

test.each(
  storiesIn(`
    what the bridge publishes comes back with MQTT 3.1.1, also late: that is nobody else
      connect; publishes home offline; publishes home online; pass 10; hears home offline; hears home online; pass 100; repaired
    what the bridge will publish is watched before, at each connection, and what lies there is no loss
      expects document; connect; subscribed document state state; hears document other; pass 600; repaired; disconnect; connect
      subscribed document state state; tells document=other
    what somebody else clears as the broker acknowledges it is published again
      connect; publishes home online; pass 10; hears home; publishes home offline; pass 100; repaired home
    what the bridge publishes after a message of somebody else is what lies there
      connect; publishes home online; pass 10; hears home nonsense; publishes home offline; pass 100; repaired
  `),
)('%s', (_, ...story) => tellStory(story, {}));

test('a message of somebody else on a watched topic, cleared or changed, is set right once a minute at most', async () => {
  const { clock, connect, showAll, hears, repaired, logged } = setUp(HELD);
  await connect();
  showAll();
  await clock.pass(5000);
  for (let second = 0; second < 600; second += 1) {
    expect(hears(STATE, second % 2 === 0 ? 'offline' : '')).toBe(true);
    await clock.pass(1000);
  }
  expect(repaired.length).toBeGreaterThanOrEqual(9);
  expect(repaired.length).toBeLessThanOrEqual(11);
  expect(logged.filter(({ level }) => level === 'warn')).toHaveLength(1);
});

test('what the bridge publishes is watched from then on, each topic subscribed to once, features not at all', async () => {
  const { connect, publishes, subscribed, hears, clock, repaired } = setUp({});
  await connect();
  for (const payload of ['1', '2', '3']) for (const topic of Object.keys(OWNERS)) publishes(topic, payload);
  await settled();
  expect(subscribed.sort()).toEqual([STATE, DOCUMENT, AVAILABILITY, 'h/bridge/info'].sort());
  await clock.pass(10_000);
  hears('h/bridge/info', '{}');
  await clock.pass(1000);
  expect(repaired).toEqual(['h/bridge/info']);
});

test('of a topic that will be published it is known when the broker has shown what was there', async () => {
  const clock = fakeClock();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const asked: { readonly topics: readonly string[]; readonly acknowledge: () => void; readonly refuse: () => void }[] = [];
  const subscribe = (topics: readonly string[]): Promise<void> =>
    new Promise((resolve, reject) => asked.push({ topics, acknowledge: resolve, refuse: () => reject(new Error('refused')) }));
  const monitor = retainedMonitor({
    ...{ stateTopic: STATE, connection: { subscribe }, publishedTopics: { held: new Map() }, publisher: { holds: () => undefined } },
    ...{ clock, log: recordingLog([]), signal: stop.signal },
  });
  const done: string[] = [];
  const looks = (owner: string): void => void monitor.looked(owner).then(() => done.push(owner));
  monitor.connected();
  monitor.watch(DOCUMENT, 'document 7/0');
  looks('document 7/0');
  looks('document of nobody');
  await settled();
  expect(asked.map(({ topics }) => topics)).toEqual([[STATE], [DOCUMENT]]);
  asked[1]?.acknowledge();
  await settled();
  // What lies there comes behind the first acknowledgement, and before the second one.
  expect(done).toEqual(['document of nobody']);
  asked[2]?.acknowledge();
  await settled();
  expect(done).toEqual(['document of nobody', 'document 7/0']);
  // A connection that ends shows nothing, one that refuses has its time.
  monitor.watch(AVAILABILITY, 'availability 7/0');
  looks('availability 7/0');
  await settled();
  monitor.disconnected();
  asked[3]?.refuse();
  await clock.pass(60_000);
  expect(done).toHaveLength(2);
  monitor.connected();
  expect(asked.slice(4).map(({ topics }) => topics)).toEqual([[STATE], [DOCUMENT, AVAILABILITY]]);
  asked[5]?.refuse();
  await clock.pass(4000);
  expect(done).toHaveLength(2);
  await clock.pass(1000);
  expect(done).toEqual(['document of nobody', 'document 7/0', 'availability 7/0']);
  // Another bridge may have published there while this one was not connected; a slow line takes longer than usual.
  monitor.disconnected();
  monitor.connected();
  looks('document 7/0');
  await clock.pass(20_000);
  expect(done).toHaveLength(3);
  asked.at(-1)?.acknowledge();
  await settled();
  asked.at(-1)?.acknowledge();
  await settled();
  expect(done.at(-1)).toBe('document 7/0');
});
