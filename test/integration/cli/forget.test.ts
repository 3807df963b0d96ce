import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { Aedes } from 'aedes';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../support/cli/inProcess.ts';

const [CONNECT, SUBSCRIBE, UNSUBSCRIBE] = [0x10, 0x82, 0xa2];

/** A broker of MQTT 3.1.1 that lets nobody subscribe. */
const closedBroker = (): Promise<string> =>
  broker((socket, kind, id) => {
    if (kind === SUBSCRIBE) socket.write(Buffer.from([0x90, 3, ...id, 0x80]));
    if (kind === UNSUBSCRIBE) socket.write(Buffer.from([0xb0, 2, ...id]));
  });

/** A broker of MQTT 3.1.1 that accepts each connection. */
const broker = async (answer: (socket: Socket, kind: number | undefined, id: readonly number[]) => void): Promise<string> => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      for (let at = 0; at < bytes.length; at += 2 + (bytes[at + 1] ?? 0)) {
        const [kind, , high = 0, low = 0] = bytes.subarray(at);
        if (kind === CONNECT) socket.write(Buffer.from([0x20, 2, 0, 0]));
        else answer(socket, kind, [high, low]);
      }
    });
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return `mqtt://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
};

const forget = (url: string) =>
  runCommand(['forget'], {
    env: { HEATING2MQTT_MQTT_URL: url, HEATING2MQTT_MQTT_VERSION: '3.1.1', HEATING2MQTT_PLATFORM_CLIENT_ID: 'x' },
  });

test('a broker that lets nobody read is not said to be empty', async () => {
  const { code, out, err } = await forget(await closedBroker());
  expect([code, out]).toEqual([1, '']);
  expect(err.match(/does not let this user read \S+/g)).toEqual([
    'does not let this user read homeassistant/device/+/config',
    'does not let this user read heating2mqtt/#',
  ]);
});

test('nor one that grants each subscription and shows nothing, as Mosquitto without the right to read', async () => {
  const mute = await Aedes.createBroker({ authorizeForward: () => undefined as never });
  const server = createServer(mute.handle).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    mute.close();
  });
  await once(server, 'listening');
  const address = server.address();
  const { code, out, err } = await forget(`mqtt://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`);
  expect([code, out, err]).toEqual([1, '', expect.stringContaining('shows this user nothing below heating2mqtt')]);
}, 20_000);

test('a connection that ends while the topics are read is no missing right', async () => {
  const url = await broker((socket, kind) => void (kind === SUBSCRIBE && socket.end()));
  const { code, out, err } = await forget(url);
  expect([code, out, err.trim()]).toEqual([
    1,
    '',
    `${url}: the connection to the broker was lost. Not everything was withdrawn; run \`heating2mqtt forget\` again.`,
  ]);
});
