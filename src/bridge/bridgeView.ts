import { EventEmitter } from 'node:events';
import type { Answer } from '../topics/resultPayload.ts';
import { bridgeTopic } from '../topics/topicNames.ts';
import type { RetainedPublisher } from './publish/broker/retainedPublisher.ts';
import type { Sources } from './publish/status/statusPublisher.ts';
import type { PastStore } from './state/energy/past.ts';
import type { FaultStore } from './state/faults/faultStore.ts';
import type { Performance } from './state/performance/performance.ts';
import type { ValueSeries } from './state/valueSeries.ts';
import type { BridgeCommands } from './writes/intake/bridgeCommands.ts';
import type { CommandReceiver } from './writes/intake/commandReceiver.ts';
import type { ChangeHistory } from './writes/undo/history.ts';

export type BridgeViewEvents = {
  /** These retained topics of the bridge changed, or were cleared. */
  topics: [topics: readonly string[]];
  /** An answer was published. */
  answer: [answer: Answer];
};

/**
 * The bridge as another part of this process sees it, such as its web page: what its retained topics say, the answers that it gives, and the
 * entrance for commands that messages of the broker take too.
 */
export class BridgeView extends EventEmitter<BridgeViewEvents> {
  readonly base: string;
  readonly version: string;
  /** The reports behind `bridge/…`, as things stand now. */
  readonly reports: Sources;
  /** Resolves when the broker has everything that was known at the start. */
  readonly settled: Promise<void>;
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
  readonly past: Pick<PastStore, 'series'>;
  readonly #publisher: RetainedPublisher;
  /** Topics that are published past the publisher. */
  readonly #past = new Map<string, string>();
  readonly #settled = Promise.withResolvers<void>();

  constructor(
    { base, version }: { readonly base: string; readonly version: string },
    publisher: RetainedPublisher,
    reports: Sources,
    receiver: CommandReceiver,
    series: ValueSeries,
    bridgeCommands: Pick<BridgeCommands, 'pollNow'>,
    changes: ChangeHistory,
    faults: Pick<FaultStore, 'devices'>,
    performance: Pick<Performance, 'named' | 'prices'>,
    past: Pick<PastStore, 'series'>,
  ) {
    super();
    this.base = base;
    this.version = version;
    this.reports = reports;
    this.submit = receiver.submit;
    this.series = series;
    this.pollNow = () => bridgeCommands.pollNow();
    this.changes = changes;
    this.faults = faults;
    this.performance = performance;
    this.past = past;
    this.#publisher = publisher;
    this.settled = this.#settled.promise;
    this.#past.set(bridgeTopic(base, 'state'), 'offline');
  }

  /** A connection to the broker has begun or ended. */
  connected(state: 'online' | 'offline'): void {
    this.#showPast(bridgeTopic(this.base, 'state'), state);
  }

  /** The broker has everything that was published before this report. */
  checkpoint(topic: string, report: string): void {
    this.#showPast(topic, report);
    this.#settled.resolve();
  }

  /** Something else is wanted on these topics than before. */
  wanted(topics: readonly string[]): void {
    if (this.listenerCount('topics') === 0) return;
    const ours = topics.filter((topic) => this.#isOurs(topic));
    if (ours.length > 0) this.emit('topics', ours);
  }

  #showPast(topic: string, payload: string): void {
    if (this.#past.get(topic) === payload) return;
    this.#past.set(topic, payload);
    this.emit('topics', [topic]);
  }

  /** What each retained topic below the base says, documents for hubs left out. */
  topics(): Map<string, string> {
    const all = new Map(this.#past);
    for (const [topic, { payload }] of this.#publisher.topics.wanted) if (this.#isOurs(topic)) all.set(topic, payload);
    return all;
  }

  /** What one of these topics says; undefined where it is cleared. */
  payloadOf(topic: string): string | undefined {
    return this.#publisher.topics.wanted.get(topic)?.payload ?? this.#past.get(topic);
  }

  #isOurs(topic: string): boolean {
    return topic.startsWith(`${this.base}/`);
  }
}
