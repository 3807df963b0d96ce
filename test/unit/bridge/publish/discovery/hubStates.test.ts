import { expect, onTestFinished, test } from 'vitest';
import { retainedPublisher } from '../../../../../src/bridge/publish/broker/retainedPublisher.ts';
import { hubStatesOf } from '../../../../../src/bridge/publish/discovery/hubStates.ts';
import type { Outgoing } from '../../../../../src/shared/message.ts';
import { memory } from '../../../../support/system/memoryTopics.ts';
import { recordingLog } from '../../../../support/system/testSystem.ts';
import { fakeClock } from '../../../../support/time/fakeClock.ts';

const DOCUMENT = 'homeassistant/device/x/config';

type Repeated = {
  /** What is published again, by topic with its time. */
  readonly sent: readonly (readonly [topic: string, atMs: number])[];
  /** The topics that the next run takes for held. */
  readonly held: ReadonlySet<string>;
};

/** After a document with this many states was taken; the state `gone` is cleared before they are repeated. */
const repeated = async (states: number, gone?: string): Promise<Repeated> => {
  const clock = fakeClock();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const sent: (readonly [string, number])[] = [];
  const publish = async ({ topic }: Pick<Outgoing, 'topic'>): Promise<void> => void sent.push([topic, clock.elapsedMs()]);
  const stored = memory();
  const publisher = retainedPublisher({ window: 20, publish }, stored, recordingLog([]));
  const announce = () => publish({ topic: 'b/bridge/state' });
  const hubStates = hubStatesOf(publisher, { announce }, clock, stop.signal);
  const topics = Array.from({ length: states }, (_, n) => `b/${n}`);
  const components = topics.map((topic, n) => [
    `c${n}`,
    { platform: 'sensor', state_topic: topic, command_topic: `${topic}/set`, enabled_by_default: n === states - 1 },
  ]);
  const payload = JSON.stringify({ availability: [{ topic: 'b/availability' }], components: Object.fromEntries(components) });
  publisher.connected(undefined);
  const all = ['b/availability', 'b/other', ...topics].map((topic) => ({ topic, payload: '1', retain: true }));
  publisher.assign('states', all);
  publisher.assign('document', [{ topic: DOCUMENT, payload, retain: true }]);
  await publisher.flushed();
  sent.length = 0;
  hubStates.documentTaken(DOCUMENT);
  await clock.pass(6000);
  publisher.assign(
    'states',
    all.filter(({ topic }) => topic !== gone),
  );
  await clock.pass(60_000);
  await publisher.setCheckpoint('b/bridge/health', String);
  return { sent: sent.filter(([topic]) => topic !== 'b/bridge/health'), held: new Set(stored.held.keys()) };
};

test('states are published again after many were announced, slowly, first those that a hub shows', async () => {
  const { sent } = await repeated(999);
  expect(sent.slice(0, 3).map(([topic]) => topic)).toEqual(['b/bridge/state', 'b/availability', 'b/998']);
  expect(sent.map(([topic]) => topic)).not.toContain('b/other');
  expect(sent).toHaveLength(1001);
  expect(sent[0]?.[1]).toBeGreaterThanOrEqual(15_000);
  const busiest = Math.max(...[...Map.groupBy(sent, ([, atMs]) => Math.floor(atMs / 1000)).values()].map(({ length }) => length));
  expect(busiest).toBeLessThanOrEqual(201);
});

test('nothing is published again where the queue of a hub surely holds it all', async () => expect((await repeated(498)).sent).toEqual([]));

test('a state that is cleared meanwhile is not cleared again by the next run', async () => {
  const { held } = await repeated(999, 'b/7');
  expect(held).toContain('b/8');
  expect(held).not.toContain('b/7');
});
