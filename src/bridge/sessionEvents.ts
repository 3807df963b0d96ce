import type { DeepFeatureSubscriptions } from './commands/deepFeatureSubscriptions.ts';
import type { RetainedCommands } from './commands/retainedCommands.ts';
import type { DiscoveryPublisher } from './discovery/discoveryPublisher.ts';
import type { MqttSession } from './publishing/mqttSession.ts';
import type { RetainedMonitor } from './publishing/retainedMonitor.ts';
import type { RetainedPublisher } from './publishing/retainedPublisher.ts';
import type { StatusPublisher } from './status/statusPublisher.ts';

export type SessionFollowers = {
  readonly session: MqttSession;
  readonly publisher: RetainedPublisher;
  readonly monitor: RetainedMonitor;
  readonly deepFeatures: DeepFeatureSubscriptions;
  readonly statusPublisher: StatusPublisher;
  readonly retained: RetainedCommands;
  readonly offers: DiscoveryPublisher;
};

/** Connects the begin and the end of each session with the broker, and of the hub behind it, to the parts that follow them. */
export const connectSessionEvents = (followers: SessionFollowers): void => {
  const { session, publisher, monitor, deepFeatures, statusPublisher, retained, offers } = followers;
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
};
