import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { type PlatformClient, type PlatformClientOptions, platformClient, type Tokens } from '../../../src/platform/client.ts';
import { PlatformError } from '../../../src/platform/errors.ts';
import { V1_PATHS, V2_PATHS } from '../../../src/platform/paths.ts';
import { weekOf } from '../../../src/schedule/week.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { freePort } from '../../support/network/freePort.ts';
import { recordingLog } from '../../support/system/testSystem.ts';

const LOG = recordingLog([]);
const FEATURE = 'heating.circuits.0.heating.schedule';
const SECRET = 'a-secret-token';
const STEADY: Tokens = { accessToken: async () => SECRET, renew: async () => SECRET };

const clientFor = (baseUrl: string, options: Partial<PlatformClientOptions> = {}): PlatformClient => {
  const client = platformClient({
    baseUrl,
    paths: V1_PATHS,
    timeoutMs: 5000,
    tokens: STEADY,
    log: LOG,
    onCall: () => undefined,
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
};

/** The client of a simulated platform, with tokens of its own and the calls it says it made. */
const connected = async (options: Partial<PlatformClientOptions> = {}) => {
  const platform = await startSimulator();
  onTestFinished(() => platform.close());
  let token = platform.issueTokens().access_token;
  const counted: string[] = [];
  const tokens: Tokens = {
    accessToken: async () => token,
    renew: async () => {
      token = platform.issueTokens().access_token;
      return token;
    },
  };
  const client = clientFor(platform.url, { tokens, onCall: (kind) => counted.push(kind), ...options });
  const target = { installation: String(platform.installation), gateway: platform.gateway, device: platform.devices[0] ?? '' };
  return { platform, client, counted, target, schedule: { ...target, feature: FEATURE } };
};

/** A server of the test's own, for what the simulated platform cannot do. */
const serve = async (listener: RequestListener): Promise<{ readonly url: string; readonly sockets: ReadonlySet<Socket> }> => {
  const server = createServer(listener);
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
};

const WEEK = weekOf(() => [{ start: '06:00', end: '22:00', mode: 'normal', position: 0 }]);

const anyTarget = { installation: '1', gateway: '2', device: '0', feature: 'a.b' };

const failure = async (call: Promise<unknown>): Promise<PlatformError> => {
  const error = await call.catch((thrown: unknown) => thrown);
  if (!(error instanceof PlatformError)) throw new Error(`This should have failed with a PlatformError: ${String(error)}`);
  expect(error.message).not.toContain(SECRET);
  return error;
};

describe('the simulated platform', () => {
  it('gives one feature, all of a device, and who is logged in', async () => {
    const offsets: number[] = [];
    const { client, target, schedule, counted } = await connected({ onClock: (offsetMs) => offsets.push(offsetMs) });
    expect(await client.readFeatures(schedule)).toMatchObject({ feature: FEATURE });
    expect(await client.readFeatures(target)).toMatchObject({ data: expect.any(Array) });
    expect(await client.identity()).toMatchObject({ properties: { loginId: expect.any(String) } });
    expect(counted).toEqual(['read', 'read', 'identity']);
    expect(Math.abs(offsets.at(-1) ?? Number.NaN)).toBeLessThan(5000);
  });

  it.each(['Sat, 13 Sep 275760 00:00:00 GMT', 'Fri, 01 Jan 1960 00:00:00 GMT', 'x'])(
    'does not know the time by the date %s',
    async (date) => {
      const offsets: number[] = [];
      const { url } = await serve((_, response) =>
        response.writeHead(200, { date, 'content-type': 'application/json' }).end('{"data":[]}'),
      );
      await clientFor(url, { onClock: (offsetMs) => offsets.push(offsetMs) }).readFeatures(anyTarget);
      expect(offsets).toEqual([]);
    },
  );

  it('takes a week, and a refused one is told with the platform’s words', async () => {
    const { client, schedule, counted } = await connected();
    expect(await client.execute(schedule, 'setSchedule', { newSchedule: WEEK })).toEqual({ adapted: false });
    expect(await client.readFeatures(schedule)).toMatchObject({ properties: { entries: { value: WEEK } } });
    const error = await failure(client.execute(schedule, 'setSchedule', { newSchedule: { ...WEEK, mon: [{ start: '06:03' }] } }));
    expect(error).toMatchObject({
      code: 'validation',
      arrived: 'yes',
      executed: 'no',
      errorType: 'VALIDATION_ERROR',
      viErrorId: expect.any(String),
    });
    expect(counted).toEqual(['command', 'read', 'command']);
  });

  test.each([
    ['html502', 'server_error', 'yes', 'unknown'],
    ['html200', 'bad_answer', 'yes', 'unknown'],
    ['rate_limited', 'rate_limited', 'yes', 'no'],
    ['gateway_offline', 'gateway_offline', 'yes', 'no'],
    ['communication_error', 'device_error', 'yes', 'unknown'],
    ['timeout504', 'server_error', 'yes', 'unknown'],
    ['rubbish', 'bad_answer', 'yes', 'unknown'],
    ['cut_before', 'cut', 'maybe', 'unknown'],
    ['cut_after_effect', 'cut', 'maybe', 'unknown'],
    ['cut_headers', 'cut', 'yes', 'unknown'],
    ['cut_middle', 'cut', 'yes', 'unknown'],
    ['huge', 'too_large', 'yes', 'unknown'],
  ] as const)('a command that meets %s is sent once and fails with %s', async (kind, code, arrived, executed) => {
    const { client, schedule, platform, counted } = await connected();
    // On a connection that was in use before, so that it is tempting to try again.
    await client.readFeatures(schedule);
    platform.control({ command: 'fault', kind });
    expect(await failure(client.execute(schedule, 'setSchedule', { newSchedule: WEEK }))).toMatchObject({ code, arrived, executed });
    expect(counted).toEqual(['read', 'command']);
    expect(platform.calls()).toHaveLength(2);
  });

  test.each([
    ['html200', 'bad_answer'],
    ['empty', 'bad_answer'],
    ['cut_middle', 'cut'],
    ['huge', 'too_large'],
  ] as const)('a read that meets %s fails with %s, and the next one works', async (kind, code) => {
    const { client, schedule, platform } = await connected();
    platform.control({ command: 'fault', kind, times: 1 });
    expect(await failure(client.readFeatures(schedule))).toMatchObject({ code });
    expect(await client.readFeatures(schedule)).toMatchObject({ feature: FEATURE });
  });

  it('does not take a page for the JSON answer that has the same bytes', async () => {
    const types = ['application/json', 'text/html', 'application/json'];
    const { url } = await serve((_, response) => response.writeHead(200, { 'content-type': types.shift() }).end('[]'));
    const client = clientFor(url);
    const target = { installation: '1', gateway: '2', device: '0' };
    const digest = async () => (await client.fetchFeatures(target)).digest;
    const json = await digest();
    expect(await digest()).not.toBe(json);
    expect(await digest()).toBe(json);
  });

  it('a read whose kept connection was cut is asked once more, and only once', async () => {
    const { client, schedule, platform, counted } = await connected();
    platform.control({ command: 'fault', kind: 'cut_before', times: 1 });
    expect(await failure(client.readFeatures(schedule))).toMatchObject({ code: 'cut' });
    await client.readFeatures(schedule);
    platform.control({ command: 'fault', kind: 'cut_before', times: 1 });
    expect(await client.readFeatures(schedule)).toMatchObject({ feature: FEATURE });
    expect(counted).toEqual(['read', 'read', 'read', 'read']);
    expect(platform.calls()).toHaveLength(4);
  });

  it('a read whose kept connection was cut is not asked once more where no call is left for it', async () => {
    const { client, schedule, platform, counted } = await connected({ mayRepeat: () => false });
    await client.readFeatures(schedule);
    platform.control({ command: 'fault', kind: 'cut_before', times: 1 });
    expect(await failure(client.readFeatures(schedule))).toMatchObject({ code: 'cut' });
    expect(counted).toEqual(['read', 'read']);
  });

  it('a command does not wait behind a read that hangs', async () => {
    const { client, schedule, platform } = await connected();
    platform.control({ command: 'fault', kind: 'hang', match: { method: 'GET' } });
    const given = new AbortController();
    const hanging = failure(client.readFeatures(schedule, given.signal));
    expect(await client.execute(schedule, 'setSchedule', { newSchedule: WEEK })).toEqual({ adapted: false });
    given.abort();
    expect(await hanging).toMatchObject({ code: 'aborted' });
  });
});

describe('tokens', () => {
  it('a refused token is renewed once and the call repeated, commands too', async () => {
    const { client, schedule, platform, counted } = await connected();
    await client.readFeatures(schedule);
    platform.control({ command: 'expire_tokens' });
    expect(await client.execute(schedule, 'setSchedule', { newSchedule: WEEK })).toEqual({ adapted: false });
    expect(platform.calls().map(({ status }) => status)).toEqual([200, 401, 200]);
    expect(counted).toEqual(['read', 'command', 'command']);
  });

  it('a token that is refused straight after its renewal is told, and not renewed for every call', async () => {
    const { url } = await serve((_, response) =>
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"EXPIRED TOKEN"}'),
    );
    let renewals = 0;
    const client = clientFor(url, {
      tokens: {
        accessToken: async () => `token-${renewals}`,
        renew: async () => {
          renewals += 1;
          return `token-${renewals}`;
        },
      },
    });
    for (let i = 0; i < 3; i += 1)
      expect(await failure(client.readFeatures(anyTarget))).toMatchObject({ code: 'token_expired', status: 401 });
    expect(renewals).toBe(1);
  });

  it('a token that is renewed by the same one is not sent twice', async () => {
    const { client, schedule, counted, platform } = await connected({ tokens: STEADY });
    for (let i = 0; i < 2; i += 1) expect(await failure(client.readFeatures(schedule))).toMatchObject({ code: 'token_expired' });
    expect(platform.calls()).toHaveLength(2);
    expect(counted).toEqual(['read', 'read']);
  });

  it('a renewal that needs a person ends the call with that', async () => {
    const { client, schedule, platform } = await connected({
      tokens: {
        accessToken: async () => 'stale',
        renew: async () => {
          throw new PlatformError('login_needed', 'Run `heating2mqtt login`.', { arrived: 'no' });
        },
      },
    });
    expect(await failure(client.execute(schedule, 'setSchedule', { newSchedule: WEEK }))).toMatchObject({
      code: 'login_needed',
      executed: 'no',
    });
    expect(platform.calls()).toHaveLength(1);
  });

  it('go to the configured origin alone: no redirect is followed', async () => {
    const seen: (string | undefined)[] = [];
    const elsewhere = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.end('{}');
    });
    for (const status of [301, 302, 303, 307, 308]) {
      const { url } = await serve((_, response) => response.writeHead(status, { location: `${elsewhere.url}/x` }).end());
      const client = clientFor(url);
      expect(await failure(client.readFeatures(anyTarget))).toMatchObject({ code: 'bad_answer', status });
      expect(await failure(client.execute(anyTarget, 'set', {}))).toMatchObject({ code: 'bad_answer', status });
    }
    expect(seen).toEqual([]);
  });

  it('go to the configured origin alone: a cursor that is an address is sent as a cursor', async () => {
    const seen: (string | undefined)[] = [];
    const elsewhere = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.end('{"data":[]}');
    });
    const asked: (string | undefined)[] = [];
    const { url } = await serve((request, response) => {
      asked.push(request.url);
      const next = [`${elsewhere.url}/next?a=1`, `//${new URL(elsewhere.url).host}/`, `@${new URL(elsewhere.url).host}`][asked.length - 1];
      response.end(JSON.stringify({ data: [], cursor: { next }, links: { next: `${elsewhere.url}/next` } }));
    });
    expect(await clientFor(url, { paths: V2_PATHS }).readInstallations()).toHaveLength(4);
    expect(asked.every((path) => path?.startsWith('/iot/v2/equipment/installations?'))).toBe(true);
    expect(seen).toEqual([]);
  });

  it('are not shown when the platform echoes them', async () => {
    const { url } = await serve((request, response) =>
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ errorType: 'VALIDATION_ERROR', message: request.headers.authorization })),
    );
    expect((await failure(clientFor(url).readFeatures(anyTarget))).message).toContain('Bearer …');
  });
});

describe('the wire', () => {
  it('is one kept connection for twenty reads at once', async () => {
    const { url, sockets } = await serve((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}'),
    );
    const client = clientFor(url);
    await Promise.all(Array.from({ length: 20 }, () => client.readFeatures(anyTarget)));
    expect(sockets.size).toBe(1);
  });

  it('sends what the platform needs to see', async () => {
    const requests: object[] = [];
    const { url } = await serve((request, response) => {
      const { method, url: path, headers } = request;
      request
        .setEncoding('utf8')
        .on('data', (body) => requests.push({ method, path, type: headers['content-type'], bearer: headers.authorization, body }));
      request.on('end', () => response.end());
    });
    await clientFor(`${url}/proxy/`).execute({ ...anyTarget, device: 'a/b c' }, 'activate', {});
    expect(requests).toEqual([
      {
        method: 'POST',
        path: '/proxy/iot/v1/equipment/installations/1/gateways/2/devices/a%2Fb%20c/features/a.b/commands/activate',
        type: 'application/json',
        bearer: `Bearer ${SECRET}`,
        body: '{}',
      },
    ]);
  });

  it('gives each of several reads its own time', async () => {
    const { url } = await serve((_, response) => void setTimeout(() => response.end('{"data":[]}'), 200));
    const client = clientFor(url, { timeoutMs: 600 });
    expect(await Promise.all(Array.from({ length: 4 }, () => client.readFeatures(anyTarget)))).toHaveLength(4);
  });

  it('takes JSON without a content type, and wrapped records as they come', async () => {
    const { url } = await serve((_, response) => response.end('{"data":{"feature":"a.b"}}'));
    expect(await clientFor(url).readFeatures(anyTarget)).toEqual({ data: { feature: 'a.b' } });
  });

  it('stops reading at the size limit', async () => {
    let written = 0;
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384, 'x'))) written += 16_384;
      };
      response.on('drain', more);
      more();
    });
    expect(await failure(clientFor(url, { maxBytes: 100_000 }).readFeatures(anyTarget))).toMatchObject({ code: 'too_large' });
    expect(written).toBeLessThan(50_000_000);
  });

  test.each([
    ['no answer', () => undefined],
    ['headers and no body', (response) => response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()],
    [
      'a body that trickles',
      (response) => {
        const timer = setInterval(() => response.write(' '), 5);
        response.on('close', () => clearInterval(timer));
      },
    ],
  ] as const satisfies readonly (readonly [string, (response: Parameters<RequestListener>[1]) => unknown])[])(
    '%s ends with the timeout',
    async (_, behave) => {
      const { url } = await serve((_request, response) => void behave(response));
      const read = await failure(clientFor(url, { timeoutMs: 100 }).readFeatures(anyTarget));
      expect(read).toMatchObject({ code: 'timeout', message: expect.stringContaining('0.1 s') });
      // The command has to be on its way by then, also on a busy machine.
      const sent = await failure(clientFor(url, { timeoutMs: 1500 }).execute(anyTarget, 'set', {}));
      expect(sent).toMatchObject({ code: 'timeout', executed: 'unknown' });
    },
  );

  it('tells that nothing arrived when nobody listens', async () => {
    const counted: string[] = [];
    const client = clientFor(`http://127.0.0.1:${await freePort()}`, { onCall: (kind) => counted.push(kind) });
    expect(await failure(client.execute(anyTarget, 'set', {}))).toMatchObject({
      code: 'unreachable',
      arrived: 'no',
      executed: 'no',
      message: expect.stringContaining('nothing listens there'),
    });
    expect(counted).toEqual([]);
  });

  it('tells that nothing arrived when the command never left the queue', async () => {
    const asked: unknown[] = [];
    const { url } = await serve((request) => void asked.push(request));
    const client = clientFor(url, { timeoutMs: 2000 });
    const calls = ['a', 'b'].map((command) => failure(client.execute(anyTarget, command, {})));
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    const queued = failure(client.execute(anyTarget, 'c', {}, AbortSignal.timeout(50)));
    expect((await Promise.all([...calls, queued])).map(({ arrived }) => arrived)).toEqual(['maybe', 'maybe', 'no']);
  });

  it('tells when the other side speaks no HTTP', async () => {
    const server = createTcpServer((socket) => socket.on('error', () => undefined).once('data', () => socket.end('SSH-2.0-OpenSSH\r\n')));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const client = clientFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(await failure(client.readFeatures(anyTarget))).toMatchObject({ code: 'bad_answer' });
  });

  it('a caller that gives up ends its call, whether it runs, waits, or has not begun', async () => {
    const { url } = await serve(() => undefined);
    const client = clientFor(url);
    const given = new AbortController();
    const running = failure(client.readFeatures(anyTarget, given.signal));
    const waiting = failure(client.readFeatures(anyTarget, given.signal));
    given.abort();
    expect(await running).toMatchObject({ code: 'aborted' });
    expect(await waiting).toMatchObject({ code: 'aborted', arrived: 'no' });
    expect(await failure(client.execute(anyTarget, 'set', {}, given.signal))).toMatchObject({ code: 'aborted', arrived: 'no' });
  });

  it('a close ends what is under way', async () => {
    const { url } = await serve(() => undefined);
    const client = clientFor(url);
    const running = failure(client.readFeatures(anyTarget));
    await client.close();
    expect(['aborted', 'cut']).toContain((await running).code);
    expect(await failure(client.execute(anyTarget, 'set', {}))).toMatchObject({ code: 'aborted', arrived: 'no' });
  });
});

test('a list of installations whose cursor comes again costs no call more', async () => {
  const asked: (string | undefined)[] = [];
  const { url } = await serve((request, response) => {
    asked.push(request.url);
    response.setHeader('content-type', 'application/json').end('{"data":[],"cursor":{"next":"7"}}');
  });
  await expect(clientFor(url, { paths: V2_PATHS }).readInstallations()).rejects.toMatchObject({ code: 'bad_answer' });
  expect(asked).toEqual(['', '&cursor=7'].map((more) => `/iot/v2/equipment/installations?includeGateways=true${more}`));
});

test('a command that may not leave when its connection stands is not sent and costs no call; a read goes', async () => {
  let isOurs = true;
  const { platform, client, counted, schedule, target } = await connected({
    permit: async () => {
      // As in a process that is paused after it was permitted.
      isOurs = false;
    },
    mayLeave: () => isOurs,
  });
  const refused = await failure(client.execute(schedule, 'setSchedule', { newSchedule: WEEK }));
  expect(refused).toMatchObject({ code: 'aborted', arrived: 'no' });
  await client.readFeatures(target);
  expect([platform.calls().map(({ method }) => method), counted]).toEqual([['GET'], ['read']]);
});
