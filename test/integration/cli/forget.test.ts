import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { Aedes } from 'aedes';
import { connectAsync } from 'mqtt';
import { expect, onTestFinished, test } from 'vitest';
import { writeTokens } from '../../../src/platform/auth/tokenFile.ts';
import { emptyFolder, runCommand } from '../../support/cli/inProcess.ts';
import { startTestBroker } from '../../support/network/testBroker.ts';

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
    env: {
      ...{ HEATING2MQTT_MQTT_URL: url, HEATING2MQTT_MQTT_VERSION: '3.1.1' },
      ...{ HEATING2MQTT_PLATFORM_CLIENT_ID: 'x', HEATING2MQTT_DATA_DIR: emptyFolder() },
    },
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
  expect([code, out, err]).toEqual([1, '', expect.stringContaining('sends this user no messages below heating2mqtt')]);
}, 20_000);

test('a connection that ends while the topics are read is no missing right', async () => {
  const url = await broker((socket, kind) => void (kind === SUBSCRIBE && socket.end()));
  const { code, out, err } = await forget(url);
  expect([code, out, err.trim()]).toEqual([
    1,
    '',
    `${url}: the connection to the broker was lost. Some topics were not cleared; run \`heating2mqtt forget\` again.`,
  ]);
});

/** A broker that retains this. */
const brokerWith = async (topic: string, payload: string): Promise<string> => {
  const { url, close } = await startTestBroker();
  const client = await connectAsync(url);
  onTestFinished(async () => {
    await client.endAsync(true);
    await close();
  });
  await client.publishAsync(topic, payload, { qos: 1, retain: true });
  return url;
};

test.each([
  ['a folder without a login', false, /^The next `heating2mqtt run` publishes everything again\.$/m],
  ['a folder with one', true, /^The login and the call counters stay in .*\. The next /m],
])('what stays is said of %s as it is', async (_, hasLogin, sentence) => {
  const folder = emptyFolder();
  if (hasLogin) writeTokens(folder, { access_token: 'a', expires_at: 1, consent_at: 1, scope: '' });
  const url = await brokerWith('heating2mqtt/bridge/state', 'offline');
  const env = { HEATING2MQTT_MQTT_URL: url, HEATING2MQTT_PLATFORM_CLIENT_ID: 'x', HEATING2MQTT_DATA_DIR: folder };
  const { code, out } = await runCommand(['forget'], { env });
  expect([code, out]).toEqual([0, expect.stringMatching(sentence)]);
});

test('of a further account the command that it names is for that account alone', async () => {
  const cwd = emptyFolder();
  const url = await brokerWith('heating2mqtt/parents/bridge/state', 'online');
  const settings = { mqtt: { url }, data_dir: join(cwd, 'data'), accounts: [{ name: 'parents', client_id: 'x' }] };
  writeFileSync(join(cwd, 'settings.yaml'), JSON.stringify(settings));
  const { code, err } = await runCommand(['forget', '--config', 'settings.yaml', '--account', 'parents'], { cwd });
  expect([code, err]).toEqual([1, expect.stringContaining('`heating2mqtt forget --account parents --force`')]);
});
