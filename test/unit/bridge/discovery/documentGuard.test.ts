import { expect, test, vi } from 'vitest';
import { DocumentGuard } from '../../../../src/bridge/discovery/documentGuard.ts';
import { RetainedPublisher } from '../../../../src/bridge/publishing/retainedPublisher.ts';
import { digest } from '../../../../src/bridge/publishing/topicOwnership.ts';
import type { Outgoing } from '../../../../src/shared/message.ts';
import { storiesIn, tellBy } from '../../../support/story.ts';
import { memory } from '../../../support/system/memoryTopics.ts';
import { recordingLog } from '../../../support/system/testSystem.ts';
import { fakeClock, settled } from '../../../support/time/fakeClock.ts';

const DEVICE = 'homeassistant/device/heating2mqtt_7_0/config';
const BRIDGE = 'homeassistant/device/heating2mqtt_bridge/config';
/** By the names that they have here. */
const TOPICS: Readonly<Record<string, string>> = {
  device: DEVICE,
  single: 'homeassistant/sensor/heating2mqtt_7_0/outside/config',
  part: 'homeassistant/device/heating2mqtt_7_0_part_heating_dhw/config',
  'single-of-part': 'homeassistant/sensor/heating2mqtt_7_0_part_heating_dhw/outside/config',
  bridge: BRIDGE,
  'own-bridge': 'homeassistant/device/heating2mqtt_bridge_base_b/config',
  state: 'b/home/heating/circuits/0/config',
};
const OWNERS: Readonly<Record<string, string>> = {
  home: 'document 7/0',
  bridge: 'document bridge',
  feature: 'feature 7/0 heating.config',
};

const documentOf = (base: string): string =>
  JSON.stringify({
    origin: { name: 'heating2mqtt' },
    availability: [{ topic: `${base}/bridge/state` }, { topic: `${base}/home/availability` }],
  });

const ZIGBEE = '{"origin":{"name":"zigbee2mqtt"}}';

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

const tellStory = async (options: Options, ...parts: readonly string[]): Promise<void> => {
  const { clock, publishedTopics, looks, retained, logged, publisher, own } = setUp(options);
  const named = (topics: Iterable<string>): string[] =>
    [...topics].map((topic) => Object.keys(TOPICS).find((name) => TOPICS[name] === topic) ?? topic);
  const baseOf = (payload = ''): string => /"topic":"(\w+)/.exec(payload)?.[1] ?? 'nobody';
  await tellBy(
    {
      // What an owner has to publish from now on.
      own: ([owner = '', ...names]) => own(OWNERS[owner] ?? '', ...names.map((name) => TOPICS[name] ?? '')),
      // Somebody else publishes a document.
      other: ([name = '', base = '']) => retained.set(TOPICS[name] ?? '', documentOf(base)),
      again: ([owner = '']) => publisher.showAll(OWNERS[owner]),
      pass: ([seconds]) => clock.pass(1000 * Number(seconds)),
      // What lies on the broker, and of which base it is.
      lies: (rest) => expect(named(retained.keys()).map((name) => `${name}=${baseOf(retained.get(TOPICS[name] ?? ''))}`)).toEqual(rest),
      held: (rest) => expect(named(publishedTopics.held.keys())).toEqual(rest),
      looks: ([count]) => expect(looks).toEqual(Array(Number(count)).fill([DEVICE, 'homeassistant/+/heating2mqtt_7_0/+/config'])),
      told: ([count]) => {
        const told = { level: 'warn', facts: { device: '7/0', topic: DEVICE, other_base: 'other' }, sentence: expect.anything() };
        expect(logged).toEqual(Array(Number(count)).fill(told));
      },
    },
    parts,
  );
};

test.each(
  storiesIn(`
    is published where nobody else has one, after one look for all that come together
      own home device; own home device single; lies device=b single=b; looks 1
    of a part stays unpublished where another bridge has the document of its device
      other device other; own home part single-of-part; lies device=other; looks 1; told 1
    of a part stays unpublished where another bridge has a single document of its device
      other single other; own home part single-of-part; lies single=other; looks 1; told 1
    of a bridge with another base stays: nothing is published or cleared, and it is told once
      other device other; own home device; pass 10; again; own home; lies device=other; told 1
    of a bridge with another base stays likewise in the other form
      other single other; own home device; pass 10; again; own home; lies single=other; told 1
    that another bridge has taken over meanwhile is neither cleared nor claimed any more
      own home device; held device; pass 10; other device other; own home; lies device=other; held
    that another bridge has written over is left to it when it is to be published again
      own home device; other device other; again home; lies device=other; told 1; held
  `),
)('a document of a device %s', (_, ...story) => tellStory({}, ...story));

const OLD = documentOf('before');

test.each<[promise: string, options: Options, story: string]>([
  [
    'that this bridge has published with another base is its own',
    { kept: { [DEVICE]: OLD }, held: [held(DEVICE, 'document 7/0', digest(OLD))] },
    'own home device; lies device=b; told 0',
  ],
  ['of somebody else altogether is none of another bridge', { kept: { [DEVICE]: ZIGBEE } }, 'own home device; lies device=b'],
  [
    'is published where the broker takes no second connection',
    { read: () => Promise.reject(new Error('no')) },
    'own home device; lies device=b',
  ],
  [
    'that a broker shows again is not cleared where it is another one now',
    { kept: { [DEVICE]: documentOf('other') }, beat: 3, cleared: [[DEVICE, 3]] },
    'pass 0; lies device=other',
  ],
])('a document of a device %s', (_, options, story) => tellStory(options, story));

test('a document of a device is looked for once more where the look failed', async () => {
  const read = vi.fn(async () => new Map([[DEVICE, documentOf('other')]])).mockRejectedValueOnce(new Error('no'));
  await tellStory({ read }, 'own home device; lies');
  expect(read).toHaveBeenCalledTimes(2);
});

test("the bridge's own document, and other topics whatever they are called, are looked for by nobody", () =>
  tellStory({}, 'own bridge own-bridge; own feature state; looks 0; lies own-bridge=b state=b'));

test.each([
  ['default', 'heating2mqtt', 'bridge=heating2mqtt own-bridge=b'],
  ['own', 'b', 'own-bridge=b'],
])("the bridge's document of an earlier version leaves only where it is of its own base: of the %s base", (_, base, left) =>
  tellStory({ kept: { [BRIDGE]: documentOf(base) }, held: [held(BRIDGE, 'document bridge')] }, `own bridge own-bridge; lies ${left}`),
);
