import type { Parts } from './parts.ts';
import { documentOwner } from './publish/broker/topicOwnership.ts';

/**
 * Connects broker events to the parts that follow them: start and end of a session and of the hub, messages,
 * and topics that differ from what was published.
 */
export const connectSessionEvents = (parts: Parts): void => {
  const { connection, stateTopic, session, publisher, view, series, monitor, statusPublisher, offers, hubStates } = parts;
  const { reading, retained, copies, receiver, bridgeCommands, price } = parts;
  const announce = (): void => void session.announce().catch(() => undefined);
  session.on('begun', () => retained.reconnected());
  session.on('online', () => view.connected('online'));
  session.on('ready', (checkpointId) => {
    statusPublisher.show('info');
    publisher.connected(checkpointId);
    offers.connected();
    monitor.connected();
    reading.connected();
    if (connection.refusesDots) statusPublisher.show('problems');
    statusPublisher.connected();
  });
  session.on('ended', () => {
    view.connected('offline');
    publisher.disconnected();
    monitor.disconnected();
    reading.disconnected();
    offers.hubLost();
  });
  session.on('message', (message) => {
    if (price?.takes(message) || monitor.received(message) || copies.isCopy(message)) return;
    // A feature part `call` makes state topics look like commands; a retained message there is our state.
    if (message.retain && publisher.isOurs(message.topic)) return;
    receiver.receive(message);
    session.lookForRetained(message);
  });
  session.on('hubStarted', () => offers.hubStarted());
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
  monitor.on('shown', (topic, payload) => {
    // A retained `offline` does not prove that the broker keeps our `online`.
    if (topic === stateTopic && payload === 'online') reading.shown();
    else offers.shown(topic, payload);
  });
  reading.on('changed', () => statusPublisher.show('problems'));
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
