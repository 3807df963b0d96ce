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

/** Parts of the bridge that the view exposes unchanged. */
type ShownParts = {
  /** The current reports of `bridge/…`. */
  readonly reports: Sources;
  readonly submit: CommandReceiver['submit'];
  /** The past values of topics. */
  readonly series: ValueSeries;
  /** Reads everything now, for example after a login. */
  readonly pollNow: () => void;
  /** All changes made through the bridge, from any client. */
  readonly changes: ChangeHistory;
  /** Faults reported by the devices. */
  readonly faults: Pick<FaultStore, 'devices'>;
  /** Performance data of the devices. */
  readonly performance: Pick<Performance, 'named' | 'prices'>;
  /** The devices' consumption before the bridge counted it. */
  readonly past: Pick<PastStore, 'series' | 'ids'>;
};

export type BridgeView = ReturnType<typeof bridgeViewOf>;

/**
 * The bridge as seen by another part of this process, such as its web page: its retained topics, its answers,
 * and the same command input that broker messages use.
 */
export const bridgeViewOf = (
  { base, version }: { readonly base: string; readonly version: string },
  publisher: RetainedPublisher,
  parts: ShownParts,
) => {
  const events = new EventEmitter<BridgeViewEvents>();
  const stateTopic = bridgeTopic(base, 'state');
  const contestedTopic = bridgeTopic(base, 'contested');
  /** Topics that bypass the publisher. */
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
    /** Resolves when the broker has everything known at the start. */
    settled: settled.promise,
    /** The connection to the broker began or ended. */
    connected: (state: 'online' | 'offline'): void => {
      showPast(stateTopic, state);
      if (state === 'online' && past.delete(contestedTopic)) events.emit('topic', contestedTopic);
    },
    /** Another client repeatedly takes over the connection. Not published: that client uses the topic too */
    contested: (): void => showPast(contestedTopic, 'true'),
    /** The broker has everything published before this report. */
    checkpoint: (topic: string, report: string): void => {
      showPast(topic, report);
      settled.resolve();
    },
    /** The wanted content of these topics has changed. */
    wanted: (topics: readonly string[]): void => {
      for (const topic of topics) if (isOurs(topic)) events.emit('topic', topic);
    },
    /** The payloads of all retained topics below the base, without hub documents. */
    topics: (): Map<string, string> => {
      const all = new Map(past);
      for (const [topic, { payload }] of wanted) if (isOurs(topic)) all.set(topic, payload);
      return all;
    },
    /** The payload of one of these topics; undefined if cleared. */
    payloadOf: (topic: string): string | undefined => wanted.get(topic)?.payload ?? past.get(topic),
  });
};
