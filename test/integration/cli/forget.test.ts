import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../support/cli/inProcess.ts';

const [CONNECT, SUBSCRIBE, UNSUBSCRIBE] = [0x10, 0x82, 0xa2];

/** A broker of MQTT 3.1.1 that lets nobody subscribe. */
const closedBroker = async (): Promise<string> => {
  const broker = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      for (let at = 0; at < bytes.length; at += 2 + (bytes[at + 1] ?? 0)) {
        const [kind, , high = 0, low = 0] = bytes.subarray(at);
        if (kind === CONNECT) socket.write(Buffer.from([0x20, 2, 0, 0]));
        if (kind === SUBSCRIBE) socket.write(Buffer.from([0x90, 3, high, low, 0x80]));
        if (kind === UNSUBSCRIBE) socket.write(Buffer.from([0xb0, 2, high, low]));
      }
    });
  });
  onTestFinished(() => void broker.close());
  await once(broker.listen(0, '127.0.0.1'), 'listening');
  const address = broker.address();
  return `mqtt://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
};

test('a broker that lets nobody read is not said to be empty', async () => {
  const env = { HEATING2MQTT_MQTT_URL: await closedBroker(), HEATING2MQTT_MQTT_VERSION: '3.1.1', HEATING2MQTT_PLATFORM_CLIENT_ID: 'x' };
  const { code, out, err } = await runCommand(['forget'], { env });
  expect([code, out]).toEqual([1, '']);
  expect(err.match(/does not let this user read \S+/g)).toEqual([
    'does not let this user read homeassistant/device/+/config',
    'does not let this user read heating2mqtt/#',
  ]);
});
