import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Aedes, type Client } from 'aedes';
import { expect, onTestFinished, test } from 'vitest';
import { requestClient } from '../../../src/mqtt/requestClient.ts';

/** Longer than the pause after which all is taken to have come. */
const SLOW_MS = 600;

test('what a slow broker has retained is waited for, however long its pause is', async () => {
  let shown = Promise.resolve();
  // As on a machine with much else to do: the broker acknowledges, and goes on after a pause.
  const broker = await Aedes.createBroker({
    authorizeSubscribe: (_, subscription, done) => void shown.then(() => done(null, subscription)),
  });
  const server = createServer(broker.handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    broker.close();
  });
  broker.on('subscribe', (subscriptions, subscriber: Client) => {
    if (subscriptions.some(({ topic }) => topic === 'h/b'))
      shown = new Promise((resolve) => {
        setTimeout(() => {
          const message = { cmd: 'publish', topic: 'h/b', payload: Buffer.from('1'), qos: 0, retain: true, dup: false } as const;
          subscriber.publish(message, () => resolve());
        }, SLOW_MS);
      });
  });
  const client = await requestClient({
    url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clientId: 'asking',
    version: '3.1.1',
  });
  onTestFinished(() => client.close());
  await client.readRetained(['h/a', 'h/b'], []);
  expect([...client.payloads]).toEqual([['h/b', '1']]);
});
