import { EventEmitter } from 'node:events';
import type { Answer } from '../topics/resultPayload.ts';
import { bridgeTopic } from '../topics/topicNames.ts';
import type { RetainedPublisher } from './publish/broker/retainedPublisher.ts';
import type { Sources } from './publish/status/reportSources.ts';
import type { PastStore } from './state/energy/past.ts';
import type { FaultStore } from './state/faults/faultStore.ts';
import type { Performance } from './state/performance/performance.ts';
import type { ValueSeries } from './state/valueSeries.ts';
import type { CommandReceiver } from './writes/intake/commandReceiver.ts';
import type { ChangeHistory } from './writes/undo/history.ts';

type BridgeViewEvents = {
  /** This retained topic of the bridge changed, or was cleared. */
  topic: [topic: string];
  /** An answer was published. */
  answer: [answer: Answer];
};

/** Parts of the bridge that are shown as they are. */
type ShownParts = {
  /** The reports behind `bridge/…`, as things stand now. */
  readonly reports: Sources;
  readonly submit: CommandReceiver['submit'];
  /** The values that topics had. */
  readonly series: ValueSeries;
  /** Reads everything now, as after a login. */
  readonly pollNow: () => void;
  /** What the bridge has changed, of whoever asked for it. */
  readonly changes: ChangeHistory;
  /** What the devices have told of faults. */
  readonly faults: Pick<FaultStore, 'devices'>;
  /** How the devices ran. */
  readonly performance: Pick<Performance, 'named' | 'prices'>;
  /** What the devices had used before the bridge counted. */
  readonly past: Pick<PastStore, 'series' | 'ids'>;
};

export type BridgeView = ReturnType<typeof bridgeViewOf>;

/**
 * The bridge as another part of this process sees it, such as its web page: what its retained topics say, the answers that it gives, and the
 * entrance for commands that messages of the broker take too.
 */
export const bridgeViewOf = (
  { base, version }: { readonly base: string; readonly version: string },
  publisher: RetainedPublisher,
  parts: ShownParts,
) => {
  const events = new EventEmitter<BridgeViewEvents>();
  const stateTopic = bridgeTopic(base, 'state');
  const contestedTopic = bridgeTopic(base, 'contested');
  /** Topics that are published past the publisher. */
  const past = new Map([[stateTopic, 'offline']]);
  const settled = Promise.withResolvers<void>();
  const { wanted } = publisher.topics;
  const isOurs = (topic: string): boolean => topic.startsWith(`${base}/`);
  const showPast = (topic: string, payload: string): void => {
    if (past.get(topic) === payload) return;
    past.set(topic, payload);
    events.emit('topic', topic);
  };

  return Object.assign(events, parts, {
    base,
    version,
    /** Resolves when the broker has everything that was known at the start. */
    settled: settled.promise,
    /** A connection to the broker has begun or ended. */
    connected: (state: 'online' | 'offline'): void => {
      showPast(stateTopic, state);
      if (state === 'online' && past.delete(contestedTopic)) events.emit('topic', contestedTopic);
    },
    /** Another client takes the connection away again and again. It is told here alone: the topic is that client's, too. */
    contested: (): void => showPast(contestedTopic, 'true'),
    /** The broker has everything that was published before this report. */
    checkpoint: (topic: string, report: string): void => {
      showPast(topic, report);
      settled.resolve();
    },
    /** Something else is wanted on these topics than before. */
    wanted: (topics: readonly string[]): void => {
      for (const topic of topics) if (isOurs(topic)) events.emit('topic', topic);
    },
    /** What each retained topic below the base says, documents for hubs left out. */
    topics: (): Map<string, string> => {
      const all = new Map(past);
      for (const [topic, { payload }] of wanted) if (isOurs(topic)) all.set(topic, payload);
      return all;
    },
    /** What one of these topics says; undefined where it is cleared. */
    payloadOf: (topic: string): string | undefined => wanted.get(topic)?.payload ?? past.get(topic),
  });
};
