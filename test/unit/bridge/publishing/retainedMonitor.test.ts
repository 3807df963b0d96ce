import { describe, expect, onTestFinished, test } from 'vitest';
import { RetainedMonitor } from '../../../../src/bridge/publishing/retainedMonitor.ts';
import { digest } from '../../../../src/bridge/publishing/topicOwnership.ts';
import type { Incoming } from '../../../../src/shared/message.ts';
import { recordingLog } from '../../../support/system/testSystem.ts';
import { fakeClock, settled } from '../../../support/time/fakeClock.ts';

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

/** A watch over what a publisher believes to lie on the broker. */
const setUp = (held: Readonly<Record<string, string>> = { [DOCUMENT]: 'doc', [AVAILABILITY]: 'online', [VALUE]: '1' }) => {
  const clock = fakeClock();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const certain = new Map(Object.entries(held));
  const subscribed: string[] = [];
  const repaired: string[] = [];
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const watch = new RetainedMonitor({
    connection: { subscribe: async (filters) => void subscribed.push(...filters) },
    ledger: { held: new Map([...certain].map(([topic]) => [topic, { owner: OWNERS[topic] ?? '', hash: 'x', seal: 1 }])) },
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

describe('a connection', () => {
  test('shows that all is well: nothing is published', async () => {
    const { clock, connect, subscribed, showAll, repaired } = setUp();
    await connect();
    expect(subscribed.sort()).toEqual([STATE, AVAILABILITY, DOCUMENT].sort());
    showAll();
    await clock.pass(600_000);
    expect(repaired).toEqual([]);
  });

  test.each<[what: string, topic: string, payload: string | undefined, repair: string]>([
    ['a document that is gone', DOCUMENT, undefined, 'document 7/0'],
    ['another document', DOCUMENT, 'other', 'document 7/0'],
    ['another availability', AVAILABILITY, 'offline', AVAILABILITY],
  ])('shows %s: it is published again', async (_what, topic, payload, repair) => {
    const { clock, connect, hears, certain, repaired, logged } = setUp();
    await connect();
    for (const [other, own] of certain) if (other !== topic) hears(other, own);
    if (payload !== undefined) hears(topic, payload);
    await clock.pass(5000);
    expect(repaired).toEqual([repair]);
    expect(logged).toMatchObject([{ level: 'warn', facts: { topic } }]);
  });

  test('shows nothing of what the bridge may not read: that is repaired once, not at every connection', async () => {
    const { clock, connect, watch, repaired } = setUp();
    for (let n = 0; n < 5; n += 1) {
      await connect();
      await clock.pass(100_000);
      watch.disconnected();
    }
    expect(repaired.sort()).toEqual([AVAILABILITY, 'document 7/0'].sort());
  });

  test('that ends before it has shown all says nothing', async () => {
    const { clock, connect, watch, repaired, showAll } = setUp();
    await connect();
    await clock.pass(4900);
    watch.disconnected();
    await connect();
    await clock.pass(4900);
    showAll();
    await clock.pass(100_000);
    expect(repaired).toEqual([]);
  });

  test('what the broker has forgotten and gets anew is not looked at', async () => {
    const { clock, connect, certain, subscribed, repaired } = setUp();
    certain.clear();
    await connect();
    expect(subscribed).toEqual([STATE]);
    await clock.pass(100_000);
    expect(repaired).toEqual([]);
  });
});

describe('a message of somebody else', () => {
  test('on a watched topic, cleared or changed, is set right once a minute at most', async () => {
    const { clock, connect, showAll, hears, repaired, logged } = setUp();
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

  test('on any other topic is not ours', async () => {
    const { connect, hears, clock, repaired } = setUp();
    await connect();
    expect(hears(VALUE, '7')).toBe(false);
    expect(hears('h/home/x/set', '7')).toBe(false);
    await clock.pass(1000);
    expect(repaired).toEqual([]);
  });

  test('after the bridge was told to stop changes nothing', async () => {
    const { connect, showAll, hears, clock, repaired, stop } = setUp();
    await connect();
    showAll();
    stop.abort();
    expect(hears(STATE, 'offline')).toBe(true);
    await clock.pass(100_000);
    expect(repaired).toEqual([]);
  });
});

describe('what the bridge publishes', () => {
  test('is watched from then on, each topic subscribed to once, features not at all', async () => {
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

  test('comes back to it with MQTT 3.1.1, also late: that is nobody else', async () => {
    const { connect, publishes, hears, clock, repaired } = setUp({});
    await connect();
    publishes(AVAILABILITY, 'offline');
    await settled();
    publishes(AVAILABILITY, 'online');
    await clock.pass(10_000);
    for (const echo of ['offline', 'online']) hears(AVAILABILITY, echo);
    await clock.pass(100_000);
    expect(repaired).toEqual([]);
  });

  test('after a message of somebody else is what lies there', async () => {
    const { connect, publishes, hears, clock, repaired } = setUp({});
    await connect();
    publishes(AVAILABILITY, 'online');
    await clock.pass(10_000);
    hears(AVAILABILITY, 'nonsense');
    publishes(AVAILABILITY, 'offline');
    await clock.pass(100_000);
    expect(repaired).toEqual([]);
  });
});
