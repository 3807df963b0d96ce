import type { MqttSession } from './publish/broker/mqttSession.ts';
import type { RetainedMonitor } from './publish/broker/retainedMonitor.ts';
import type { RetainedPublisher } from './publish/broker/retainedPublisher.ts';
import { documentOwner } from './publish/broker/topicOwnership.ts';
import type { DiscoveryPublisher } from './publish/discovery/discoveryPublisher.ts';
import type { StatusPublisher } from './publish/status/statusPublisher.ts';
import type { BridgeCommands } from './writes/intake/bridgeCommands.ts';
import type { DeepFeatureSubscriptions } from './writes/intake/deepFeatureSubscriptions.ts';
import type { RetainedCommands } from './writes/intake/retainedCommands.ts';

export type SessionFollowers = {
  /** `bridge/state`, which is published past the publisher. */
  readonly stateTopic: string;
  readonly session: MqttSession;
  readonly publisher: RetainedPublisher;
  readonly monitor: RetainedMonitor;
  readonly deepFeatures: DeepFeatureSubscriptions;
  readonly statusPublisher: StatusPublisher;
  readonly retained: RetainedCommands;
  readonly offers: DiscoveryPublisher;
  readonly bridgeCommands: BridgeCommands;
};

/** Connects what happens at the broker to the parts that follow it: begin and end of a session and of the hub behind it, and topics that are not as they were published. */
export const connectSessionEvents = (followers: SessionFollowers): void => {
  const { stateTopic, session, publisher, monitor, deepFeatures, statusPublisher, retained, offers, bridgeCommands } = followers;
  const announce = (): void => void session.announce().catch(() => undefined);
  session.on('begun', () => retained.reconnected());
  session.on('ready', (beat) => {
    statusPublisher.show('info');
    publisher.connected(beat);
    monitor.connected();
    deepFeatures.connected();
    statusPublisher.connected();
  });
  session.on('ended', () => {
    publisher.disconnected();
    monitor.disconnected();
    deepFeatures.disconnected();
    offers.hubLost();
  });
  session.on('hubBorn', () => offers.hubBorn());
  session.on('hubLost', () => offers.hubLost());
  publisher.on('held', (topic, owner) => {
    monitor.held(topic, owner);
    offers.others.published(topic);
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
