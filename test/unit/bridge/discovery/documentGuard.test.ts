import { describe, expect, test } from 'vitest';
import { DocumentGuard } from '../../../../src/bridge/discovery/documentGuard.ts';
import { RetainedPublisher } from '../../../../src/bridge/publishing/retainedPublisher.ts';
import { digest } from '../../../../src/bridge/publishing/topicOwnership.ts';
import type { Outgoing } from '../../../../src/shared/message.ts';
import { memory } from '../../../support/system/memoryTopics.ts';
import { recordingLog } from '../../../support/system/testSystem.ts';
import { fakeClock, settled } from '../../../support/time/fakeClock.ts';

const DEVICE = 'homeassistant/device/heating2mqtt_7_0/config';
const SINGLE = 'homeassistant/sensor/heating2mqtt_7_0/outside/config';
const PART = 'homeassistant/device/heating2mqtt_7_0_part_heating_dhw/config';
const SINGLE_OF_PART = 'homeassistant/sensor/heating2mqtt_7_0_part_heating_dhw/outside/config';
const BRIDGE = 'homeassistant/device/heating2mqtt_bridge/config';
const OWN_BRIDGE = 'homeassistant/device/heating2mqtt_bridge_base_b/config';

const documentOf = (base: string): string =>
  JSON.stringify({
    origin: { name: 'heating2mqtt' },
    availability: [{ topic: `${base}/bridge/state` }, { topic: `${base}/home/availability` }],
  });

type Options = Parameters<typeof memory>[0] & {
  readonly kept?: Readonly<Record<string, string>>;
  readonly read?: () => Promise<Map<string, string>>;
};

/** A bridge with base `b` and a broker with what others keep there. */
const setUp = ({ kept = {}, read, ...start }: Options = {}) => {
  const clock = fakeClock();
  const publishedTopics = memory(start);
  const looks: (readonly string[])[] = [];
  const retained = new Map(Object.entries(kept));
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const log = recordingLog(logged);
  const look = async (filters: readonly string[]) => {
    looks.push(filters);
    return new Map(retained);
  };
  const guard = new DocumentGuard({ base: 'b', publishedTopics, read: read ?? look, clock, log });
  const broker = {
    window: 16,
    publish: async ({ topic, payload }: Outgoing) => void (payload === '' ? retained.delete(topic) : retained.set(topic, payload)),
  };
  const publisher = new RetainedPublisher(broker, publishedTopics, log, guard);
  publisher.connected(undefined);
  const own = async (owner: string, ...topics: readonly string[]): Promise<void> => {
    publisher.assign(
      owner,
      topics.map((topic) => ({ topic, payload: documentOf('b'), retain: true })),
    );
    await settled();
  };
  return { clock, publishedTopics, looks, retained, logged, publisher, own };
};

const held = (topic: string, owner: string, hash?: string) => [topic, { owner, hash, seal: 0 }] as const;

describe('a document of a device', () => {
  test('is published where nobody else has one, after one look for all that come together', async () => {
    const { own, looks, retained } = setUp();
    await own('document 7/0', DEVICE);
    await own('document 7/0', DEVICE, SINGLE);
    expect(retained.get(DEVICE)).toBe(documentOf('b'));
    expect(retained.get(SINGLE)).toBe(documentOf('b'));
    expect(looks).toEqual([[DEVICE, 'homeassistant/+/heating2mqtt_7_0/+/config']]);
  });

  test.each([
    ['the document of its device', DEVICE],
    ['a single document of its device', SINGLE],
  ])('of a part stays unpublished where another bridge has %s', async (_, topic) => {
    const { own, retained, looks, logged } = setUp({ kept: { [topic]: documentOf('other') } });
    await own('document 7/0', PART, SINGLE_OF_PART);
    expect(retained).toEqual(new Map([[topic, documentOf('other')]]));
    expect(looks).toEqual([[DEVICE, 'homeassistant/+/heating2mqtt_7_0/+/config']]);
    expect(logged.map(({ facts }) => facts)).toEqual([{ device: '7/0', topic: DEVICE, other_base: 'other' }]);
  });

  test.each([
    ['in the same form', DEVICE],
    ['in the other form', SINGLE],
  ])('of a bridge with another base %s stays: nothing is published or cleared, and it is told once', async (_, topic) => {
    const { own, retained, logged, clock, publisher } = setUp({ kept: { [topic]: documentOf('other') } });
    await own('document 7/0', DEVICE);
    await clock.pass(10_000);
    publisher.showAll();
    await settled();
    await own('document 7/0');
    expect([...retained]).toEqual([[topic, documentOf('other')]]);
    expect(logged.map(({ level, facts }) => [level, facts])).toEqual([['warn', { device: '7/0', topic: DEVICE, other_base: 'other' }]]);
  });

  test('that another bridge has taken over meanwhile is neither cleared nor claimed any more', async () => {
    const { own, retained, publishedTopics, clock } = setUp();
    await own('document 7/0', DEVICE);
    expect(publishedTopics.held.has(DEVICE)).toBe(true);
    await clock.pass(10_000);
    retained.set(DEVICE, documentOf('other'));
    await own('document 7/0');
    expect(retained.get(DEVICE)).toBe(documentOf('other'));
    expect(publishedTopics.held.has(DEVICE)).toBe(false);
  });

  test('that another bridge has written over is left to it when it is to be published again', async () => {
    const { own, retained, publisher, logged } = setUp();
    await own('document 7/0', DEVICE);
    retained.set(DEVICE, documentOf('other'));
    publisher.showAll('document 7/0');
    await settled();
    expect(retained.get(DEVICE)).toBe(documentOf('other'));
    expect(publisher.holds(DEVICE)).toBeUndefined();
    expect(logged).toHaveLength(1);
  });

  test('that this bridge has published with another base is its own', async () => {
    const old = documentOf('before');
    const { own, retained, logged } = setUp({ kept: { [DEVICE]: old }, held: [held(DEVICE, 'document 7/0', digest(old))] });
    await own('document 7/0', DEVICE);
    expect([retained.get(DEVICE), logged]).toEqual([documentOf('b'), []]);
  });

  test('of somebody else altogether is none of another bridge', async () => {
    const { own, retained } = setUp({ kept: { [DEVICE]: '{"origin":{"name":"zigbee2mqtt"}}' } });
    await own('document 7/0', DEVICE);
    expect(retained.get(DEVICE)).toBe(documentOf('b'));
  });

  test('is published where the broker takes no second connection', async () => {
    const { own, retained } = setUp({ read: () => Promise.reject(new Error('no')) });
    await own('document 7/0', DEVICE);
    expect(retained.get(DEVICE)).toBe(documentOf('b'));
  });

  test('is looked for once more where the look failed', async () => {
    let looks = 0;
    const { own, retained } = setUp({
      read: async () => {
        looks += 1;
        if (looks === 1) throw new Error('no');
        return new Map([[DEVICE, documentOf('other')]]);
      },
    });
    await own('document 7/0', DEVICE);
    expect([looks, retained.has(DEVICE)]).toEqual([2, false]);
  });

  test('that a broker shows again is not cleared where it is another one now', async () => {
    const { retained } = setUp({ kept: { [DEVICE]: documentOf('other') }, beat: 3, cleared: [[DEVICE, 3]] });
    await settled();
    expect(retained.has(DEVICE)).toBe(true);
  });
});

describe("the bridge's own document", () => {
  test('is looked for by nobody', async () => {
    const { own, looks, retained } = setUp();
    await own('document bridge', OWN_BRIDGE);
    expect([looks, retained.get(OWN_BRIDGE)]).toEqual([[], documentOf('b')]);
  });

  test.each([
    ['default', 'heating2mqtt', true],
    ['own', 'b', false],
  ])('of an earlier version leaves where it is of the %s base: %s, stays %s', async (_, base, stays) => {
    const { own, retained } = setUp({ kept: { [BRIDGE]: documentOf(base) }, held: [held(BRIDGE, 'document bridge')] });
    await own('document bridge', OWN_BRIDGE);
    expect([retained.has(BRIDGE), retained.has(OWN_BRIDGE)]).toEqual([stays, true]);
  });
});

test('other topics are looked for by nobody, whatever they are called', async () => {
  const { own, looks, retained } = setUp();
  await own('feature 7/0 heating.config', 'b/home/heating/circuits/0/config');
  expect([looks, retained.size]).toEqual([[], 1]);
});
