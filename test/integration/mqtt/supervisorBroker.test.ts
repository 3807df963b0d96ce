import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConnectError, connectCode } from '../../../src/mqtt/connect.ts';
import { supervisorBroker } from '../../../src/mqtt/supervisorBroker.ts';

const TOKEN = 'the-token';

/** Asks a Supervisor that answers so; `asked` are the tokens that it got. */
const supervisor = async (answer: (response: ServerResponse) => void) => {
  const asked: (string | undefined)[] = [];
  const server = createServer(({ headers, url }, response) => {
    asked.push(`${url} ${headers.authorization}`);
    answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { asked, port, server, locate: supervisorBroker(() => TOKEN, { host: '127.0.0.1', port }) };
};

const json = (status: number, body: unknown) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

const service = (data: object) => json(200, { result: 'ok', data });

const failure = async (locate: () => Promise<unknown>): Promise<ConnectError> => {
  const error = await locate().catch((cause: unknown) => cause);
  if (!(error instanceof ConnectError)) throw new Error(`no ConnectError: ${String(error)}`);
  expect(error.why).toBe('network');
  expect(`${error.message} ${String(error.cause)}`).not.toContain(TOKEN);
  return error;
};

describe('the broker that the Supervisor names', () => {
  test.each<[string, object, object]>([
    [
      'with user and password',
      { addon: 'core_mosquitto', host: 'core-mosquitto', port: 1883, ssl: false, username: 'addons', password: 'p', protocol: '3.1.1' },
      { url: 'mqtt://core-mosquitto:1883', username: 'addons', password: 'p' },
    ],
    ['without a user', { host: '192.168.1.2', port: 1884 }, { url: 'mqtt://192.168.1.2:1884' }],
    ['with TLS', { host: 'h', port: 8883, ssl: true, username: null, password: null }, { url: 'mqtts://h:8883' }],
    ['at an IPv6 address', { host: 'fd00::2', port: 1883 }, { url: 'mqtt://[fd00::2]:1883' }],
    ['with a password and no user, which MQTT forbids', { host: 'h', port: 1, username: '', password: 'p' }, { url: 'mqtt://h:1' }],
  ])('%s', async (_, data, expected) => {
    const { locate, asked } = await supervisor(service(data));
    expect(await locate()).toEqual(expected);
    expect(asked).toEqual([`/services/mqtt Bearer ${TOKEN}`]);
  });

  test('is asked for anew each time', async () => {
    let password = 'first';
    const { locate } = await supervisor((response) => service({ host: 'h', port: 1883, username: 'u', password })(response));
    expect(await locate()).toMatchObject({ password: 'first' });
    password = 'second';
    expect(await locate()).toMatchObject({ password: 'second' });
  });

  test('stays what it was while the Supervisor is away, and is none where it says that there is none', async () => {
    let answer: (response: ServerResponse) => void = service({ host: 'h', port: 1883 });
    const { locate } = await supervisor((response) => answer(response));
    await locate();
    answer = (response) => void response.destroy();
    expect(await locate()).toEqual({ url: 'mqtt://h:1883' });
    const inItsPlace = [json(502, {}), json(302, {}), service({ host: '', port: 0 }), (r: ServerResponse) => void r.end('<html>')];
    for (answer of inItsPlace) expect(await locate()).toEqual({ url: 'mqtt://h:1883' });
    for (const status of [401, 403]) {
      answer = json(status, {});
      expect((await failure(locate)).message).toContain(`status ${status}`);
    }
    answer = json(400, { result: 'error', message: 'Service not enabled' });
    expect((await failure(locate)).message).toContain('Mosquitto broker');
  });
});

describe('where it names none', () => {
  test('no broker has registered yet', async () => {
    const { locate } = await supervisor(json(400, { result: 'error', message: 'Service not enabled' }));
    expect(connectCode(await failure(locate))).toBe('no_broker');
  });

  test.each<[string, (response: ServerResponse) => void, string]>([
    ['it refuses the token', json(401, {}), 'status 401'],
    ['the app may not ask', json(403, { result: 'error', message: 'No access to mqtt service!' }), 'status 403'],
    ['it has a fault', json(500, {}), 'status 500'],
    ['it says something else', json(200, { result: 'ok', data: { host: 1 } }), 'unknown format'],
    ['a host that is none', service({ host: 'a b/c?d@e', port: 1883 }), 'unknown format'],
    ['no host', service({ host: '', port: 1883 }), 'unknown format'],
    ['a port that is none', service({ host: 'h', port: 99_999 }), 'unknown format'],
    ['it says no JSON', (response) => void response.end('<html>'), 'unknown format'],
    ['it cuts the line', (response) => void response.destroy(), 'does not answer'],
  ])('%s', async (_, answer, sentence) => {
    const { locate } = await supervisor(answer);
    expect((await failure(locate)).message).toContain(sentence);
  });

  test('it sends the client elsewhere: the token does not go there', async () => {
    const elsewhere = await supervisor(service({ host: 'evil', port: 1883 }));
    const { locate } = await supervisor((response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${elsewhere.port}/services/mqtt` }).end(),
    );
    expect((await failure(locate)).message).toContain('status 302');
    expect(elsewhere.asked).toEqual([]);
  });

  test('a stop does not wait for its answer', async () => {
    const { locate } = await supervisor(() => undefined);
    const stopping = new AbortController();
    const asked = locate(stopping.signal);
    stopping.abort();
    await expect(asked).rejects.toThrow(ConnectError);
  });
});
