import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Aedes, type AedesOptions } from 'aedes';
import { onTestFinished } from 'vitest';

/** A broker (MQTT 3.1.1) with such rules; gives its address. It ends with the test. */
export const brokerThat = async (rules: AedesOptions): Promise<string> => {
  const broker = await Aedes.createBroker(rules);
  const server = createServer(broker.handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    broker.close();
  });
  return `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** As NATS before 2.10 (seen with 2.9.10): ends the connection at publications, and refuses subscriptions. */
export const endsAtDot: AedesOptions = {
  authorizePublish: (_, { topic }, done) => done(topic.includes('.') ? new Error('no dots') : null),
  authorizeSubscribe: (_, subscription, done) => done(null, subscription.topic.includes('.') ? null : subscription),
};

/** As RabbitMQ 3. */
export const turnsDots: AedesOptions = {
  authorizePublish: (_, packet, done) => {
    packet.topic = packet.topic.replaceAll('.', '/');
    done(null);
  },
};
