import type { Incoming } from '../shared/message.ts';
import type { BridgeView } from './bridgeView.ts';
import type { MqttSession } from './publish/broker/mqttSession.ts';
import type { RetainedMonitor } from './publish/broker/retainedMonitor.ts';
import type { RetainedPublisher } from './publish/broker/retainedPublisher.ts';
import { documentOwner } from './publish/broker/topicOwnership.ts';
import type { DiscoveryPublisher } from './publish/discovery/discoveryPublisher.ts';
import type { HubStates } from './publish/discovery/hubStates.ts';
import type { StatusPublisher } from './publish/status/statusPublisher.ts';
import type { ValueSeries } from './state/valueSeries.ts';
import type { BridgeCommands } from './writes/intake/bridgeCommands.ts';
import type { CommandReceiver } from './writes/intake/commandReceiver.ts';
import type { DeepFeatureSubscriptions } from './writes/intake/deepFeatureSubscriptions.ts';
import type { DuplicateMessages } from './writes/intake/duplicateMessages.ts';
import type { RetainedCommands } from './writes/intake/retainedCommands.ts';

export type SessionFollowers = {
  /** `bridge/state`, which is published past the publisher. */
  readonly stateTopic: string;
  readonly session: MqttSession;
  readonly publisher: RetainedPublisher;
  readonly view: BridgeView;
  readonly series: ValueSeries;
  readonly monitor: RetainedMonitor;
  readonly deepFeatures: DeepFeatureSubscriptions;
  readonly statusPublisher: StatusPublisher;
  readonly offers: DiscoveryPublisher;
  readonly hubStates: HubStates;
};

/** What takes commands of the broker's clients. */
export type CommandEntrance = {
  readonly retained: RetainedCommands;
  readonly copies: DuplicateMessages;
  readonly receiver: CommandReceiver;
  readonly bridgeCommands: BridgeCommands;
  /** Absent where no prices come. */
  readonly price: { takes(message: Incoming): boolean } | undefined;
};

/**
 * Connects what happens at the broker to the parts that follow it: begin and end of a session and of the hub behind it, messages, and topics
 * that are not as they were published.
 */
export const connectSessionEvents = (
  { stateTopic, session, publisher, view, series, monitor, deepFeatures, statusPublisher, offers, hubStates }: SessionFollowers,
  { retained, copies, receiver, bridgeCommands, price }: CommandEntrance,
): void => {
  const announce = (): void => void session.announce().catch(() => undefined);
  session.on('begun', () => retained.reconnected());
  session.on('online', () => view.connected('online'));
  session.on('ready', (checkpointId) => {
    statusPublisher.show('info');
    publisher.connected(checkpointId);
    monitor.connected();
    deepFeatures.connected();
    statusPublisher.connected();
  });
  session.on('ended', () => {
    view.connected('offline');
    publisher.disconnected();
    monitor.disconnected();
    deepFeatures.disconnected();
    offers.hubLost();
  });
  session.on('message', (message) => {
    if (price?.takes(message) || monitor.received(message) || copies.isCopy(message)) return;
    // A feature with a part called `call` has state topics that look like commands; what lies retained there is its state.
    if (message.retain && publisher.isOurs(message.topic)) return;
    receiver.receive(message);
    session.lookForRetained(message);
  });
  session.on('hubBorn', () => offers.hubBorn());
  session.on('hubLost', () => offers.hubLost());
  publisher.on('wanted', (topics) => {
    view.wanted(topics);
    series.note(topics);
  });
  publisher.on('checkpoint', (topic, report) => view.checkpoint(topic, report));
  publisher.on('held', (topic, owner) => {
    monitor.held(topic, owner);
    offers.others.published(topic);
    if (owner.startsWith(documentOwner(''))) hubStates.documentTaken(topic);
  });
  monitor.on('shown', (topic, payload) => offers.others.shown(topic, payload));
  monitor.on('lost', (topic, owner) => {
    if (topic === stateTopic) announce();
    else if (owner.startsWith(documentOwner(''))) offers.lost(owner, topic);
    else publisher.show(topic);
  });
  bridgeCommands.on('republish', () => {
    publisher.showAll();
    offers.offerAll();
    announce();
    statusPublisher.again();
  });
};
