import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { retainedPublisher } from '../../../../../src/bridge/publish/broker/retainedPublisher.ts';
import { discoveryPublisher } from '../../../../../src/bridge/publish/discovery/discoveryPublisher.ts';
import { otherBridges } from '../../../../../src/bridge/publish/discovery/otherBridges.ts';
import type { Message, Outgoing } from '../../../../../src/shared/message.ts';
import { type Steps, type Story, storiesIn, tellBy } from '../../../../support/story.ts';
import { keyedStore } from '../../../../support/system/keptInMemory.ts';
import { memory } from '../../../../support/system/memoryTopics.ts';
import { recordingLog } from '../../../../support/system/testSystem.ts';
import { fakeClock } from '../../../../support/time/fakeClock.ts';

const OWNER = 'document 7/0';
const TOPIC = 'homeassistant/device/heating2mqtt_7_0/config';
const PART = 'homeassistant/device/heating2mqtt_7_0_part_heating_dhw/config';

/** A device's document with these components, by key their platform. */
const document = (components: Readonly<Record<string, string>>, topic = TOPIC): Message => ({
  topic,
  payload: JSON.stringify({
    device: { identifiers: ['x'] },
    origin: { name: 'heating2mqtt' },
    qos: 1,
    components: Object.fromEntries(
      Object.entries(components).map(([key, platform]) => [key, { platform, unique_id: `x_${key}`, state_topic: `b/${key}` }]),
    ),
  }),
  retain: true,
});

const OF_OTHER = JSON.stringify({ origin: { name: 'heating2mqtt' }, availability: [{ topic: 'other/bridge/state' }] });

/** By key: the platform, with a cross where it is a tombstone. */
const brief = (payload: string): string => {
  if (payload === '') return '-';
  const { components, migrate_discovery } = JSON.parse(payload);
  if (migrate_discovery) return 'migrate';
  return Object.entries<Record<string, unknown>>(components)
    .map(([key, component]) => `${key}:${String(component['platform'])}${Object.keys(component).length === 1 ? '†' : ''}`)
    .sort()
    .join(' ');
};

const setUp = () => {
  let acknowledgedAfterMs = 0;
  const clock = fakeClock();
  const sent: { readonly at: number; readonly message: Outgoing }[] = [];
  const publish = async (message: Outgoing): Promise<void> => {
    sent.push({ at: clock.elapsedMs(), message });
    if (acknowledgedAfterMs > 0) await clock.sleep(acknowledgedAfterMs);
  };
  const broker = { window: 16, publish };
  const publishedTopics = memory();
  const store = keyedStore();
  const run = (isConnected = true, looked = async (): Promise<void> => undefined) => {
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const publisher = retainedPublisher(broker, publishedTopics, recordingLog([]));
    if (isConnected) publisher.connected(undefined);
    const offers = discoveryPublisher(publisher, otherBridges('b', looked, recordingLog([])), store, clock, stop.signal);
    const offer = (...documents: readonly Message[]): void => void offers.offer(OWNER, { make: () => documents });
    return { offers, offer, stop, publisher };
  };
  /** What has been published since the last look, by topic where it is not the device's. */
  let seen = 0;
  const told = (): string[] => {
    const news = sent.slice(seen);
    seen = sent.length;
    return news.map(({ message: { topic, payload } }) => `${topic === TOPIC ? '' : 'part '}${brief(payload)}`);
  };
  const apart = (): boolean =>
    sent.every(({ at, message }, i) => sent.slice(i + 1).every((later) => later.message.topic !== message.topic || later.at - at >= 5000));
  /** Our topics on which something lies. */
  const left = (): string[] => {
    const last = new Map(sent.map(({ message: { topic, payload } }) => [topic, payload]));
    return [...publishedTopics.held.keys()].filter((topic) => last.get(topic) !== '').sort();
  };
  const slow = (ms: number): void => {
    acknowledgedAfterMs = ms;
  };
  return { clock, run, told, apart, left, sent, slow };
};

/** What can happen in a story: a word and what belongs to it; `; ` between steps. */
const tellStory = async (...parts: readonly string[]): Promise<void> => {
  const { run, clock, told, apart, left, slow } = setUp();
  let bridge = run();
  const componentsIn = (rest: readonly string[]) => Object.fromEntries(rest.map((one) => one.split(':')));
  const restart = async (isConnected: boolean): Promise<void> => {
    bridge.stop.abort();
    await clock.pass(1000);
    bridge = run(isConnected);
  };
  const steps: Steps = {
    offer: (rest) => bridge.offer(document(componentsIn(rest))),
    // What is after the bar is a device of its own.
    split: (rest) =>
      bridge.offer(
        document(componentsIn(rest.slice(0, rest.indexOf('|')))),
        document(componentsIn(rest.slice(rest.indexOf('|') + 1)), PART),
      ),
    pass: ([seconds]) => clock.pass(1000 * Number(seconds)),
    restart: () => restart(true),
    unconnected: () => restart(false),
    connected: () => bridge.publisher.connected(undefined),
    slow: ([seconds]) => slow(1000 * Number(seconds)),
    // Another bridge offers the device, or does not any more.
    taken: () => bridge.offers.shown(TOPIC, OF_OTHER),
    'given-up': () => bridge.offers.shown(TOPIC, ''),
    // What is still there is sent right after.
    reconnected: () => bridge.offers.connected(),
    republish: () => bridge.offers.offerAll(),
    lost: () => bridge.offers.lost(OWNER, TOPIC),
    withdraw: () => bridge.offers.withdraw(OWNER),
    born: () => bridge.offers.hubStarted(),
    'has-published': ([is]) => expect(bridge.offers.hasPublished).toBe(is === 'yes'),
    // What was published since the last look; the documents of a topic are seconds apart.
    told: (_, text) => expect(told().join(' | ')).toBe(text),
    apart: () => expect(apart()).toBe(true),
    left: (which) => expect(left()).toEqual(which.map((one) => (one === 'main' ? TOPIC : PART))),
  };
  await tellBy(steps, parts);
};

const A = 'a:sensor b:switch';
const GONE = 'a:sensor b:switch†';

test.each<Story>([
  ...storiesIn(`
    a document that somebody else changed is offered once more, seconds after theirs
      offer ${A}; pass 60; lost; pass 4; told ${A}; pass 4; told ${A}; apart
    a document that somebody else changed is only doubted where it is not offered in this run yet
      offer ${A}; pass 60; restart; told ${A}; lost; pass 60; told; offer ${A}; told ${A}
    a device that another bridge offers is left to it, until the other one is gone for some seconds
      taken; offer ${A}; pass 60; told; republish; pass 60; told; given-up; pass 4; told; taken; pass 60; told; given-up; pass 6; told ${A}
    a device that another bridge offers is left to it after each connection that shows its document
      taken; offer ${A}; pass 60; reconnected; taken; pass 60; told; reconnected; pass 4; told; pass 2; told ${A}
    a document that another bridge has written over is left to it: nothing is published or cleared any more
      offer ${A}; pass 60; taken; lost; pass 60; told ${A}; left; withdraw; born; pass 60; told
    a component that goes is shown as a tombstone once, then left out
      offer ${A}; offer a:sensor; pass 20; told ${A} | ${GONE} | a:sensor; apart
    a component that goes is shown as a tombstone also where the broker is slow to take what was said before
      slow 12; offer ${A}; offer a:sensor; pass 60; told ${A} | ${GONE} | a:sensor; apart
    a component that goes is shown as a tombstone also where the broker is away at first
      offer ${A}; unconnected; offer a:sensor; pass 60; connected; pass 20; told ${A} | ${GONE} | a:sensor; apart
    a component that goes and comes back at once needs none
      offer ${A}; offer a:sensor; offer ${A} c:text; pass 20; told ${A} | ${A} c:text
    a component of another platform under the same key is taken back first
      offer ${A}; offer a:number b:switch; pass 20; told ${A} | a:sensor† b:switch | a:number b:switch
    a component that goes stays open until a birth: then in full, as a tombstone and without; once
      offer ${A}; offer a:sensor; pass 20; restart; offer a:sensor; pass 20; told ${A} | ${GONE} | a:sensor | a:sensor; born; born; born
      pass 30; told ${A} | ${GONE} | a:sensor; apart; born; pass 30; told a:sensor
    a birth before the first offer of a run removes nothing
      offer ${A}; offer a:sensor; pass 20; restart; told ${A} | ${GONE} | a:sensor; born; pass 30; told ${A} | ${GONE} | a:sensor
      offer a:sensor; pass 20; left main
    a birth while a newer version waits brings no version too soon
      offer ${A}; pass 1; offer ${A} c:text; born; pass 60; apart
    a birth just after a version does not repeat it too soon
      offer ${A}; pass 60; told ${A}; offer ${A} c:text; born; pass 60; told ${A} c:text | ${A} c:text; apart
    a device that goes is withdrawn at once, and once more for a hub born later
      offer ${A}; pass 1; withdraw; told ${A} | -; restart; has-published yes; born; pass 30; told ${A} | -; born; pass 30; told; has-published no
    a device that goes and comes back is offered again :: offer ${A}; pass 1; withdraw; offer ${A}; pass 20; told ${A} | - | ${A}
    a device that goes in the midst of its steps takes none of them any more
      offer ${A}; offer a:sensor; pass 6; withdraw; pass 60; told ${A} | ${GONE} | -; left
    a part that becomes a device: its entities are released first, then the new documents come
      offer ${A}; pass 1; restart; told ${A}; split a:sensor | b:switch; pass 1; told migrate; pass 5
      told a:sensor | part b:switch; pass 60; told
    what leaves while entities move is taken back before they are released
      offer ${A} c:text; pass 1; split a:sensor | b:switch; pass 60
      told ${A} c:text | ${A} c:text† | migrate | a:sensor | part b:switch; apart
  `),
  ...[0, 4, 6].map((afterS): [string, string] => [
    `the way of a part to a device of its own, broken off after ${afterS} s, goes to its end after the next start`,
    `offer ${A}; pass 1; restart; split a:sensor | b:switch; pass ${afterS}; restart; split a:sensor | b:switch; pass 60; left main part`,
  ]),
])('%s', (_, ...story) => tellStory(...story));

describe('a sensor whose states are called otherwise, as after a change of the language', () => {
  const VALUE = 'b/mode';
  const enumOf = (value_template: string, ...options: readonly string[]): Message => {
    const mode = { platform: 'sensor', unique_id: 'x_mode', state_topic: VALUE, value_template, options };
    return { topic: TOPIC, payload: JSON.stringify({ components: { mode } }), retain: true };
  };
  const optionsIn = ({ payload }: Outgoing): unknown => JSON.parse(String(payload)).components.mode.options;

  /** A bridge that has shown the English document and the value, then stopped. */
  const shownInEnglish = async () => {
    const world = setUp();
    const { offers, stop, publisher } = world.run();
    publisher.assign('feature', [{ topic: VALUE, payload: 'comfort', retain: true }]);
    void offers.offer(OWNER, { make: () => [enumOf('en', 'comfort')] });
    await world.clock.pass(60_000);
    stop.abort();
    world.sent.splice(0);
    return world;
  };

  const german = ({ run }: ReturnType<typeof setUp>) => {
    const { offers, stop, publisher } = run();
    publisher.assign('feature', [{ topic: VALUE, payload: 'comfort', retain: true }]);
    void offers.offer(OWNER, { make: () => [enumOf('de', 'Komfort')] });
    return stop;
  };

  const story = (sent: readonly { readonly message: Outgoing }[]): readonly unknown[] =>
    sent.map(({ message }) => (message.topic === TOPIC ? optionsIn(message) : message.payload));

  test('keeps its former options until its value was published once more', async () => {
    const world = await shownInEnglish();
    german(world);
    await world.clock.pass(60_000);
    // A start publishes the value too.
    expect(story(world.sent)).toEqual(['comfort', ['Komfort', 'comfort'], 'comfort', ['Komfort']]);
    expect(world.apart()).toBe(true);
    const [, first, value] = world.sent;
    // By then Home Assistant has the document.
    expect((value?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(5000);
  });

  test('broken off on the way it is done after the next start', async () => {
    const world = await shownInEnglish();
    const stop = german(world);
    await world.clock.pass(1000);
    stop.abort();
    await world.clock.pass(1000);
    world.sent.splice(0);
    german(world);
    await world.clock.pass(60_000);
    expect(story(world.sent).slice(-2)).toEqual(['comfort', ['Komfort']]);
  });
});

test('a first document waits until the broker has shown what another bridge has there', async () => {
  const { run, clock, told } = setUp();
  const shown = Promise.withResolvers<void>();
  const { offers, offer } = run(true, () => shown.promise);
  offer(document({ a: 'sensor' }));
  await clock.pass(60_000);
  expect(told()).toEqual([]);
  offers.others.shown(TOPIC, OF_OTHER);
  shown.resolve();
  await clock.pass(1000);
  expect(told()).toEqual([]);
  offers.others.shown(TOPIC, '');
  offers.offerAll();
  await clock.pass(1000);
  expect(told()).toHaveLength(1);
});

test('a large document takes little memory also after a start at which the broker has it', async () => {
  const compressed = vi.spyOn(process.getBuiltinModule('node:zlib'), 'deflateRawSync');
  onTestFinished(() => compressed.mockRestore());
  const { run, clock, told } = setUp();
  const large = document(Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, 'sensor'])));
  const first = run();
  first.offer(large);
  await clock.pass(10_000);
  await first.publisher.setCheckpoint('b/health', () => JSON.stringify({ components: {} }));
  first.stop.abort();
  expect([told().length, compressed.mock.calls.length]).toEqual([2, 1]);
  const second = run(false);
  second.publisher.connected(1);
  second.offer(large);
  await clock.pass(10_000);
  expect([told().length, compressed.mock.calls.length]).toEqual([0, 2]);
  expect(second.publisher.topics.wanted.get(TOPIC)?.payload).toBe(large.payload);
});

test('the preset of a thermostat follows a changed document when hubs have taken it', async () => {
  const { run, clock, sent } = setUp();
  const { offer, publisher } = run();
  const thermostat = (name: string): Message => ({
    topic: TOPIC,
    payload: JSON.stringify({ components: { x: { platform: 'climate', unique_id: 'x', name, preset_mode_state_topic: 'b/preset' } } }),
    retain: true,
  });
  publisher.assign('values', [{ topic: 'b/preset', payload: 'eco', retain: true }]);
  const presets = (): readonly number[] => sent.flatMap(({ at, message: { topic } }) => (topic === 'b/preset' ? [at] : []));
  for (const name of ['Circuit 1', 'Circuit 1', 'Upstairs']) {
    offer(thermostat(name));
    await clock.pass(60_000);
  }
  expect(presets()).toHaveLength(2);
  expect((presets()[1] ?? 0) - (sent.findLast(({ message: { topic } }) => topic === TOPIC)?.at ?? 0)).toBeGreaterThanOrEqual(5000);
});
