import { describe, expect, onTestFinished, test } from 'vitest';
import { DiscoveryPublisher } from '../../../../src/bridge/discovery/discoveryPublisher.ts';
import { RetainedPublisher } from '../../../../src/bridge/publishing/retainedPublisher.ts';
import { type Form, singleDocuments } from '../../../../src/homeassistant/documents/entityDocuments.ts';
import type { Message, Outgoing } from '../../../../src/shared/message.ts';
import { keyedStore } from '../../../support/system/keptInMemory.ts';
import { memory } from '../../../support/system/memoryTopics.ts';
import { recordingLog } from '../../../support/system/testSystem.ts';
import { fakeClock, settled } from '../../../support/time/fakeClock.ts';

const OWNER = 'document 7/0';
const TOPIC = 'homeassistant/device/heating2mqtt_7_0/config';

/** A device's document with these components, by key their platform. */
const document = (components: Readonly<Record<string, string>>): Message => ({
  topic: TOPIC,
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

/** By key: the platform, with a cross where it is a tombstone. */
const brief = (payload: string): string => {
  if (payload === '') return '-';
  const { components, migrate_discovery } = JSON.parse(payload);
  if (migrate_discovery) return 'migrate';
  if (!components) return 'single';
  return Object.entries<Record<string, unknown>>(components)
    .map(([key, component]) => `${key}:${String(component['platform'])}${Object.keys(component).length === 1 ? '†' : ''}`)
    .sort()
    .join(' ');
};

const setUp = (acknowledgedAfterMs = 0) => {
  const clock = fakeClock();
  const sent: { readonly at: number; readonly message: Outgoing }[] = [];
  const publish = async (message: Outgoing): Promise<void> => {
    sent.push({ at: clock.elapsedMs(), message });
    if (acknowledgedAfterMs > 0) await clock.sleep(acknowledgedAfterMs);
  };
  const broker = { window: 16, publish };
  const publishedTopics = memory();
  const store = keyedStore();
  const run = (isConnected = true) => {
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const publisher = new RetainedPublisher(broker, publishedTopics, recordingLog([]));
    if (isConnected) publisher.connected(undefined);
    const offers = new DiscoveryPublisher(publisher, store, clock, stop.signal);
    const offer = (components: Readonly<Record<string, string>>, form: Form = 'device'): void =>
      offers.offer(OWNER, () => (form === 'device' ? [document(components)] : singleDocuments(document(components))));
    return { offers, offer, stop, publisher };
  };
  /** What has been published since the last look, by topic where it is not the device's. */
  let seen = 0;
  const told = (): string[] => {
    const news = sent.slice(seen);
    seen = sent.length;
    return news.map(
      ({ message: { topic, payload } }) => `${topic === TOPIC ? '' : `${topic.split('/').slice(1, -1).join('/')} `}${brief(payload)}`,
    );
  };
  const apart = (): boolean =>
    sent.every(({ at, message }, i) => sent.slice(i + 1).every((later) => later.message.topic !== message.topic || later.at - at >= 5000));
  /** The topics on which something lies. */
  const left = (): string[] => [...publishedTopics.held.keys()].sort();
  return { clock, run, told, apart, left, sent };
};

const A = { a: 'sensor', b: 'switch' };

describe('a document that somebody else changed', () => {
  test('is offered once more, seconds after theirs', async () => {
    const { run, clock, told, apart } = setUp();
    const { offer, offers } = run();
    offer(A);
    await clock.pass(60_000);
    offers.lost(OWNER, TOPIC);
    await clock.pass(4000);
    expect(told()).toEqual(['a:sensor b:switch']);
    await clock.pass(4000);
    expect(told()).toEqual(['a:sensor b:switch']);
    expect(apart()).toBe(true);
  });

  test('is only doubted where it is not offered in this run yet', async () => {
    const { run, clock, told } = setUp();
    const first = run();
    first.offer(A);
    await clock.pass(60_000);
    first.stop.abort();
    const { offer, offers } = run();
    told();
    offers.lost(OWNER, TOPIC);
    await clock.pass(60_000);
    expect(told()).toEqual([]);
    offer(A);
    await settled();
    expect(told()).toEqual(['a:sensor b:switch']);
  });
});

describe('a component that goes', () => {
  test('is shown as a tombstone once, then left out', async () => {
    const { run, clock, told, apart } = setUp();
    const { offer } = run();
    offer(A);
    await settled();
    offer({ a: 'sensor' });
    await clock.pass(20_000);
    expect(told()).toEqual(['a:sensor b:switch', 'a:sensor b:switch†', 'a:sensor']);
    expect(apart()).toBe(true);
  });

  test('is shown as a tombstone also where the broker is slow to take what was said before', async () => {
    const { run, clock, told, apart } = setUp(12_000);
    const { offer } = run();
    offer(A);
    await settled();
    offer({ a: 'sensor' });
    await clock.pass(60_000);
    expect(told()).toEqual(['a:sensor b:switch', 'a:sensor b:switch†', 'a:sensor']);
    expect(apart()).toBe(true);
  });

  test('is shown as a tombstone also where the broker is away at first', async () => {
    const { run, clock, told, apart } = setUp();
    const first = run();
    first.offer(A);
    await settled();
    first.stop.abort();
    const { offer, publisher } = run(false);
    offer({ a: 'sensor' });
    await clock.pass(60_000);
    publisher.connected(undefined);
    await clock.pass(20_000);
    expect(told()).toEqual(['a:sensor b:switch', 'a:sensor b:switch†', 'a:sensor']);
    expect(apart()).toBe(true);
  });

  test('and comes back at once needs none', async () => {
    const { run, clock, told } = setUp();
    const { offer } = run();
    offer(A);
    await settled();
    offer({ a: 'sensor' });
    offer({ ...A, c: 'text' });
    await clock.pass(20_000);
    expect(told()).toEqual(['a:sensor b:switch', 'a:sensor b:switch c:text']);
  });

  test('by another platform under the same key is taken back first', async () => {
    const { run, clock, told } = setUp();
    const { offer } = run();
    offer(A);
    await settled();
    offer({ a: 'number', b: 'switch' });
    await clock.pass(20_000);
    expect(told()).toEqual(['a:sensor b:switch', 'a:sensor† b:switch', 'a:number b:switch']);
  });

  test('stays open until a birth: then in full, as a tombstone and without; once', async () => {
    const { run, clock, told, apart } = setUp();
    const first = run();
    first.offer(A);
    await settled();
    first.offer({ a: 'sensor' });
    await clock.pass(20_000);
    first.stop.abort();
    const { offers, offer } = run();
    offer({ a: 'sensor' });
    await clock.pass(20_000);
    told();
    for (let n = 0; n < 3; n += 1) offers.hubBorn();
    await clock.pass(30_000);
    expect(told()).toEqual(['a:sensor b:switch', 'a:sensor b:switch†', 'a:sensor']);
    expect(apart()).toBe(true);
    offers.hubBorn();
    await clock.pass(30_000);
    expect(told()).toEqual(['a:sensor']);
  });
});

describe('a device that goes', () => {
  test('is withdrawn at once, and once more for a hub born later', async () => {
    const { run, clock, told } = setUp();
    const first = run();
    first.offer(A);
    await clock.pass(1000);
    first.offers.withdraw(OWNER);
    await settled();
    expect(told()).toEqual(['a:sensor b:switch', '-']);
    first.stop.abort();
    const { offers } = run();
    expect(offers.matters).toBe(true);
    offers.hubBorn();
    await clock.pass(30_000);
    expect(told()).toEqual(['a:sensor b:switch', '-']);
    offers.hubBorn();
    await clock.pass(30_000);
    expect([told(), offers.matters]).toEqual([[], false]);
  });

  test('and comes back is offered again', async () => {
    const { run, clock, told } = setUp();
    const { offers, offer } = run();
    offer(A);
    await clock.pass(1000);
    offers.withdraw(OWNER);
    offer(A);
    await clock.pass(20_000);
    expect(told()).toEqual(['a:sensor b:switch', '-', 'a:sensor b:switch']);
  });
});

test('a device that goes in the midst of its steps takes none of them any more', async () => {
  const { run, clock, told, left } = setUp();
  const { offers, offer } = run();
  offer(A);
  await settled();
  offer({ a: 'sensor' });
  await clock.pass(6000);
  offers.withdraw(OWNER);
  await clock.pass(60_000);
  expect(told()).toEqual(['a:sensor b:switch', 'a:sensor b:switch†', '-']);
  expect(left()).toEqual([]);
});

describe('the way from one form to the other', () => {
  const singles = ['sensor/heating2mqtt_7_0/a', 'switch/heating2mqtt_7_0/b'];

  test.each([
    ['device', 'entity'],
    ['entity', 'device'],
  ] as const)('%s to %s: a word, then the old are gone and the new there', async (from, to) => {
    const { run, clock, told } = setUp();
    const first = run();
    first.offer(A, from);
    await clock.pass(1000);
    first.stop.abort();
    told();
    run().offer(A, to);
    await clock.pass(1000);
    const old = from === 'device' ? [''] : singles.map((topic) => `${topic} `);
    const fresh = to === 'device' ? ['a:sensor b:switch'] : singles.map((topic) => `${topic} single`);
    expect(told()).toEqual(old.map((topic) => `${topic}migrate`));
    await clock.pass(5000);
    expect(told()).toEqual([...old.map((topic) => `${topic}-`), ...fresh]);
    await clock.pass(60_000);
    expect(told()).toEqual([]);
  });

  test('broken off anywhere goes to its end after the next start', async () => {
    for (const afterMs of [0, 4000, 6000]) {
      const { run, clock, left } = setUp();
      const first = run();
      first.offer(A);
      await clock.pass(1000);
      first.stop.abort();
      const second = run();
      second.offer(A, 'entity');
      await clock.pass(afterMs);
      second.stop.abort();
      await clock.pass(1000);
      const third = run();
      third.offer(A, 'entity');
      await clock.pass(60_000);
      expect(left()).toEqual(singles.map((topic) => `homeassistant/${topic}/config`));
    }
  });
});

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
    offers.offer(OWNER, () => [enumOf('en', 'comfort')]);
    await world.clock.pass(60_000);
    stop.abort();
    world.sent.splice(0);
    return world;
  };

  const german = ({ run }: ReturnType<typeof setUp>) => {
    const { offers, stop, publisher } = run();
    publisher.assign('feature', [{ topic: VALUE, payload: 'comfort', retain: true }]);
    offers.offer(OWNER, () => [enumOf('de', 'Komfort')]);
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
