import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/shared/clock.ts';
import { runs } from '../../support/chance.ts';
import { cookieOf, follow, webClient } from '../../support/web/webClient.ts';
import { HASHED_PASSWORD, PASSWORD, startPage } from '../../support/web/webSystem.ts';

const CSP = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none';",
  "require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors 'self'",
].join(' ');

describe('the host of a request', () => {
  test('is checked first, at each address', async () => {
    const { client, port } = await startPage({ settings: { hosts: ['heating.example.com'] } });
    for (const path of ['/', '/api/session', '/api/state', '/api/stream', '/health', '/metrics', '/nothing']) {
      const reply = await client.get(path, { host: `evil.example:${port}` });
      expect([reply.status, reply.json()]).toEqual([421, { error: 'wrong_host', message: expect.stringContaining('web.hosts') }]);
      if (!path.includes('stream')) expect((await client.get(path, { host: 'heating.example.com' })).status).not.toBe(421);
    }
  });

  test.each([
    ['en', 'en', 'This name is not known here', 'IP address'],
    ['de-DE,de;q=0.9', 'de', 'Dieser Name ist hier nicht bekannt', 'IP-Adresse'],
    ['fr-CH, de;q=0.8', 'de', 'Dieser Name ist hier nicht bekannt', 'IP-Adresse'],
    ['fr', 'en', 'This name is not known here', 'IP address'],
  ])('that is not known is told in words to a browser of %s, in %s', async (accepted, language, title, way) => {
    const { client, port } = await startPage({ mode: 'setup' });
    const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'accept-language': `${accepted},en;q=0.5` };
    const { status, headers, text: page } = await client.get('/', { ...browser, host: 'heating.example' });
    expect([status, headers['content-type']]).toEqual([421, 'text/html; charset=utf-8']);
    for (const part of [`<html lang="${language}">`, `<h1>${title}</h1>`, way, '.local', 'HEATING2MQTT_WEB_HOSTS'])
      expect(page).toContain(part);
    expect(page).not.toContain('heating.example');
    // So is what a proxy on this machine brings while there is no password.
    const far = await client.get('/', { ...browser, 'x-forwarded-for': '192.168.1.7' });
    expect([far.status, far.text]).toEqual([403, expect.stringMatching(/<h1>.*(?:password|Passwort)/)]);
    expect(far.text).toContain(`http://127.0.0.1:${port}/`);
  });

  test('without one nothing is answered', async () => {
    const { port } = await startPage();
    const socket = connect(port, '127.0.0.1');
    socket.end('GET /api/state HTTP/1.0\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 421 /);
  });
});

describe('a request from another site', () => {
  test.each<[what: string, headers: Record<string, string>]>([
    ['names it', { origin: 'http://evil.example' }],
    ['is from a page without a name', { origin: 'null' }],
    ['does not say where it comes from', {}],
    ['is from another port of this machine', { origin: 'http://127.0.0.1:8123' }],
    ['says that it is from another site', { origin: 'http://127.0.0.1:PORT', 'sec-fetch-site': 'cross-site' }],
    ['is typed into a browser', { 'sec-fetch-site': 'none' }],
    ['claims a proxy', { origin: 'http://evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-for': '127.0.0.1' }],
  ])('that %s changes nothing', async (_, { origin, ...headers }) => {
    const { client, port } = await startPage();
    const sent = origin === undefined ? headers : { ...headers, origin: origin.replace('PORT', String(port)) };
    for (const path of ['/api/login', '/api/logout', '/api/write']) {
      const reply = await client.ask(path, { body: {}, headers: sent });
      expect([reply.status, reply.json().error]).toEqual([403, 'foreign_origin']);
    }
  });

  test('reads nothing, but may link to the page', async () => {
    const { client } = await startPage();
    for (const site of ['cross-site', 'same-site']) {
      expect((await client.get('/api/state', { 'sec-fetch-site': site })).status).toBe(403);
      expect((await client.get('/api/stream', { 'sec-fetch-site': site })).status).toBe(403);
      expect((await client.get('/', { 'sec-fetch-site': site })).status).toBe(200);
    }
    expect((await client.get('/api/state', { 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  test('gets no word that would let it read, whatever it asks', async () => {
    const { client } = await startPage();
    for (const method of ['GET', 'OPTIONS', 'POST']) {
      const { headers, status } = await client.ask('/api/state', { method, headers: { origin: 'http://evil.example' } });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(status).toBe(method === 'GET' ? 200 : 405);
    }
  });

  test('cannot post a form', async () => {
    const { client, port } = await startPage();
    const headers = { origin: `http://127.0.0.1:${port}`, 'content-type': 'application/x-www-form-urlencoded' };
    expect((await client.ask('/api/write', { raw: 'topic=x', headers })).status).toBe(415);
  });
});

describe('the headers of answers', () => {
  test('forbid all that the page does not need', async () => {
    const { client } = await startPage();
    const page = await client.get('/');
    const always = { 'content-security-policy': CSP, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
    expect(page.headers).toMatchObject({
      ...always,
      'referrer-policy': 'no-referrer',
      'permissions-policy': expect.stringContaining('camera=()'),
      'content-type': 'text/html; charset=utf-8',
    });
    expect(page.headers).not.toHaveProperty('cross-origin-opener-policy');
    expect(page.text.toLowerCase()).toMatch(/^<!doctype html>\s*<html[^>]*>\s*<head>\s*<meta charset="utf-8">/);
    // No inline script or style.
    expect(page.text).not.toMatch(/<style|<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=/i);
    for (const path of ['/nothing', '/api/session', '/health']) expect((await client.get(path)).headers).toMatchObject(always);
    const [script = ''] = /\.\/[\w-]+\.js/.exec(page.text) ?? [];
    const cached = { 'cache-control': 'public, max-age=31536000, immutable', 'content-type': 'text/javascript; charset=utf-8' };
    expect((await client.get(script.slice(1))).headers).toMatchObject(cached);
  });

  test('may allow other sites to frame the page, whatever letters their names have', async () => {
    const { client } = await startPage({ settings: { frame_ancestors: ['http://hub.local:8123', 'https://müller.example'] } });
    expect((await client.get('/')).headers['content-security-policy']).toBe(`${CSP} http://hub.local:8123 https://xn--mller-kva.example`);
  });

  test('gzip alone is spoken, and only where it is asked for', async () => {
    const { client } = await startPage();
    const plain = await client.get('/');
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect((await client.get('/', { 'accept-encoding': 'br, zstd, deflate' })).headers).not.toHaveProperty('content-encoding');
    const packed = await client.get('/', { 'accept-encoding': 'gzip, br' });
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    const head = await client.ask('/', { method: 'HEAD' });
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', plain.headers['content-length']]);
    expect((await client.ask('/api/stream', { method: 'HEAD' })).status).toBe(200);
  });
});

describe('what is not there', () => {
  test('is not found, and not repeated', async () => {
    const { client } = await startPage();
    const odd = ['/nothing/<script>', '/..%2f..%2fetc/passwd', '/../package.json', '//evil.example/x'];
    for (const path of [...odd, '/api/nothing', '/api/state/', '/API/state', '/%61pi/state']) {
      const reply = await client.get(path);
      expect([path, reply.status, reply.text]).toEqual([path, 404, '{"error":"not_found","message":"There is nothing at this address."}']);
      expect(reply.headers).not.toHaveProperty('location');
    }
  });

  test('is not told by versions or servers either', async () => {
    const { client } = await startPage({ settings: { password: HASHED_PASSWORD } });
    for (const path of ['/', '/api/session', '/api/state', '/health', '/metrics', '/nothing']) {
      const { headers, text: body } = await client.get(path);
      expect(`${JSON.stringify(headers)}${body}`).not.toMatch(/node|0\.1\.0|server:/i);
    }
  });

  test('other methods are refused with those that there are', async () => {
    const { client } = await startPage();
    const reply = await client.ask('/api/state', { method: 'DELETE' });
    expect([reply.status, reply.headers.allow]).toEqual([405, 'GET, HEAD']);
    expect((await client.get('/api/write')).headers.allow).toBe('POST');
  });
});

describe('with a password', () => {
  test('everything but the page itself waits for the login', async () => {
    const { client } = await startPage({ settings: { password: HASHED_PASSWORD } });
    expect((await client.get('/')).status).toBe(200);
    expect((await client.get('/api/session')).json()).toEqual({ mode: 'run', login: 'needed', ingress: false });
    for (const path of ['/api/state', '/api/stream', '/metrics']) expect((await client.get(path)).status, path).toBe(401);
    expect((await client.post('/api/write', { topic: 'heating2mqtt/home/x/set', payload: '1' })).status).toBe(401);
    expect((await client.get('/health')).json()).toEqual({ status: 'ok' });
  });

  test('a login gives a cookie that scripts and other sites cannot use, and logout ends it', async () => {
    const { client, port } = await startPage({ settings: { password: HASHED_PASSWORD } });
    const login = await client.post('/api/login', { password: PASSWORD });
    expect([login.status, login.text]).toEqual([204, '']);
    expect(login.headers['set-cookie']).toEqual([
      expect.stringMatching(/^heating2mqtt_session=[\w-]{43}; HttpOnly; SameSite=Strict; Max-Age=7776000$/),
    ]);
    const cookie = cookieOf(login);
    const session = await client.get('/api/session', { cookie });
    expect(session.json()).toMatchObject({ login: 'done' });
    // The cookie goes on with the session.
    expect(session.headers['set-cookie']).toEqual(login.headers['set-cookie']);
    expect((await client.get('/api/session')).headers).not.toHaveProperty('set-cookie');
    expect((await client.get('/api/state', { cookie: `other=1; ${cookie}` })).status).toBe(200);
    // Nothing in the address.
    expect((await client.get(`/api/state?${cookie}`)).status).toBe(401);
    const stream = await follow(port, '/api/stream', { cookie });
    const again = cookieOf(await client.post('/api/login', { password: PASSWORD }, { cookie }));
    expect(again).not.toBe(cookie);
    // The session before ends with the new login.
    expect((await client.get('/api/state', { cookie })).status).toBe(401);
    stream.close();
    const second = await follow(port, '/api/stream', { cookie: again });
    const out = await client.post('/api/logout', {}, { cookie: again });
    expect([out.status, out.headers['set-cookie']]).toEqual([204, ['heating2mqtt_session=; HttpOnly; SameSite=Strict; Max-Age=0']]);
    await second.ended;
    expect((await client.get('/api/state', { cookie: again })).status).toBe(401);
  });

  test('the password with a space behind it is wrong, and what is no text is no login', async () => {
    const { client } = await startPage({ settings: { password: HASHED_PASSWORD } });
    const reply = await client.post('/api/login', { password: `${PASSWORD} ` });
    expect([reply.status, reply.json().error, reply.headers['set-cookie']]).toEqual([401, 'wrong_password', undefined]);
    for (const body of [{}, { password: 1 }, { password: [PASSWORD] }, [], null, 'x'])
      expect((await client.post('/api/login', body)).status).toBe(422);
  });

  test('many wrong passwords, whoever is said to send them: five are looked at, the log says it once, and the right one waits too', async () => {
    let elapsedMs = 0;
    // Each request is a tenth of a second after the one before.
    const clock = { ...systemClock, elapsedMs: () => (elapsedMs += 100) };
    const { client, logged } = await startPage({ settings: { password: HASHED_PASSWORD }, clock });
    const statuses: number[] = [];
    for (let i = 0; i < 20; i += 1)
      statuses.push((await client.post('/api/login', { password: `guess ${i}` }, { 'x-forwarded-for': `203.0.113.${i}` })).status);
    expect(statuses).toEqual([...Array(5).fill(401), ...Array(15).fill(429)]);
    const right = await client.post('/api/login', { password: PASSWORD });
    expect([right.status, Number(right.headers['retry-after']) > 0]).toEqual([429, true]);
    const sentence = 'too many wrong passwords for the page; further tries must wait';
    const facts = { client: expect.stringContaining('127.0.0.1') };
    expect(logged.filter(({ level }) => level === 'warn')).toEqual([{ level: 'warn', facts, sentence }]);
    expect(JSON.stringify(logged)).not.toContain('guess');
  });

  test('sessions outlive the page', async () => {
    const first = await startPage({ settings: { password: HASHED_PASSWORD } });
    const cookie = cookieOf(await first.client.post('/api/login', { password: PASSWORD }));
    await first.web.close();
    const second = await startPage({ settings: { password: HASHED_PASSWORD }, dataDir: first.dataDir });
    expect((await second.client.get('/api/state', { cookie })).status).toBe(200);
  });

  test('the metrics have a token of their own', async () => {
    const { client, web } = await startPage({ settings: { password: HASHED_PASSWORD, metrics_token: 'for prometheus' } });
    web.attach(undefined);
    for (const authorization of ['Bearer x', 'Bearer ', 'Basic for prometheus', `Bearer ${PASSWORD}`])
      expect((await client.get('/metrics', { authorization })).status).toBe(401);
    // There is no bridge in this test.
    expect((await client.get('/metrics', { authorization: 'Bearer for prometheus' })).status).toBe(503);
    expect((await client.get('/api/state', { authorization: 'Bearer for prometheus' })).status).toBe(401);
  });
});

describe('headers that only a proxy or Home Assistant may send', () => {
  const FORGED = {
    'x-ingress-path': '/api/hassio_ingress/x',
    'x-hass-source': 'core.ingress',
    'x-remote-user-id': '1',
    'x-remote-user-name': 'admin',
    'x-remote-user-display-name': 'Admin',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'evil.example',
  };

  test('let nobody in by the open port', async () => {
    const { client } = await startPage({ settings: { password: HASHED_PASSWORD } });
    expect((await client.get('/api/session', FORGED)).json()).toEqual({ mode: 'run', login: 'needed', ingress: false });
    expect((await client.get('/api/state', { ...FORGED, 'x-forwarded-for': '127.0.0.1, 172.30.32.2' })).status).toBe(401);
    const login = await client.post('/api/login', { password: PASSWORD }, FORGED);
    expect(login.headers['set-cookie']?.[0]).not.toContain('Secure');
    expect(login.headers).not.toHaveProperty('cross-origin-opener-policy');
  });

  test('show that a browser is elsewhere: then nothing goes without a password', async () => {
    const { client } = await startPage();
    const reply = await client.get('/api/state', { 'x-forwarded-for': '203.0.113.5' });
    expect([reply.status, reply.json().message]).toEqual([403, expect.stringContaining('web.password')]);
    expect((await client.get('/api/state', { 'x-forwarded-for': '127.0.0.1' })).status).toBe(200);
  });

  test('are believed of a trusted proxy', async () => {
    const { client } = await startPage({
      settings: { password: HASHED_PASSWORD, trusted_proxies: ['127.0.0.1'], hosts: ['heating.example.com'] },
    });
    const headers = { 'x-forwarded-for': '203.0.113.5', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'heating.example.com' };
    const login = await client.post('/api/login', { password: PASSWORD }, { ...headers, origin: 'https://heating.example.com' });
    expect(login.status).toBe(204);
    expect(login.headers['set-cookie']?.[0]).toMatch(/^__Secure-heating2mqtt_session=.*; Secure$/);
    expect(login.headers).toMatchObject({ 'cross-origin-opener-policy': 'same-origin' });
    expect((await client.get('/', { ...headers, 'x-forwarded-host': 'evil.example' })).status).toBe(421);
  });
});

describe('ingress of Home Assistant', () => {
  const begin = async (supervisor: readonly string[]) => {
    const probe = await startPage();
    await probe.web.close();
    // A port that was free a moment ago.
    const page = await startPage({ settings: { password: HASHED_PASSWORD, ingress: probe.port }, supervisor });
    return { ...page, ingress: webClient(probe.port) };
  };
  const HA = {
    host: 'homeassistant.example.com',
    'x-ingress-path': '/api/hassio_ingress/x',
    'x-remote-user-id': 'abc',
    'x-remote-user-name': 'paula',
    'x-remote-user-display-name': Buffer.from('Paula Müller <b>').toString('latin1'),
  };

  test('needs no password and sets no cookie, and has the name of the user', async () => {
    const { ingress, client } = await begin(['127.0.0.1']);
    expect((await ingress.get('/api/session', HA)).json()).toEqual({ mode: 'run', login: 'none', ingress: true, user: 'Paula Müller <b>' });
    const login = await ingress.post('/api/login', { password: 'x' }, { ...HA, origin: 'https://homeassistant.example.com' });
    expect([login.status, login.headers['set-cookie']]).toEqual([204, undefined]);
    expect((await ingress.get('/api/state', HA)).headers).not.toHaveProperty('set-cookie');
    expect((await ingress.post('/api/write', {}, { ...HA, origin: 'https://evil.example' })).status).toBe(403);
    expect((await client.get('/api/state', { 'x-remote-user-id': 'abc' })).status).toBe(401);
  });

  test('has one peer: others are cut before they say a word', async () => {
    const { ingress } = await begin(['172.30.32.2']);
    await expect(ingress.get('/api/session', HA)).rejects.toThrow(/socket hang up|ECONNRESET|EPIPE/);
  });
});

describe('below a prefix of a proxy', () => {
  test.each(['/heating', '/heating/'])('%s that the proxy keeps, or takes off', async (base) => {
    const { client, web } = await startPage({ settings: { base_path: base } });
    expect(web.addresses()[0]).toMatch(/\/heating\/$/);
    for (const path of ['/heating/', '/']) expect((await client.get(path)).text).toContain('./app-');
    for (const path of ['/heating/api/session', '/api/session']) expect((await client.get(path)).status).toBe(200);
    const moved = await client.get('/heating');
    expect([moved.status, moved.headers.location]).toEqual([308, 'heating/']);
    expect((await client.get('/heatingx/api/session')).status).toBe(404);
  });
});

describe('requests that are too much', () => {
  test('of 3 MB, named or not, are refused and cost nothing', async () => {
    const { client, port } = await startPage();
    const origin = `http://127.0.0.1:${port}`;
    const big = await client.post('/api/write', { topic: 'x', payload: 'y'.repeat(3_000_000) }).catch(({ code }) => ({ status: code }));
    expect([413, 'EPIPE', 'ECONNRESET']).toContain(big.status);
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `POST /api/write HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: ${origin}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    for (let i = 0; i < 48; i += 1) socket.write(`10000\r\n${'z'.repeat(65_536)}\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 /);
    expect((await client.get('/health')).status).toBe(200);
  });

  test.each([
    ['no JSON', '{"topic":', 400],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400],
    ['nothing', '', 422],
  ])('with %s as JSON are refused', async (_, raw, status) => {
    const { client, port } = await startPage();
    expect((await client.ask('/api/write', { method: 'POST', raw, headers: { origin: `http://127.0.0.1:${port}` } })).status).toBe(status);
  });

  test('with headers of 20 kB, or no HTTP at all, are refused', async () => {
    const { client, port } = await startPage();
    expect((await client.get('/', { 'x-long': 'x'.repeat(20_000) })).status).toBe(431);
    const socket = connect(port, '127.0.0.1');
    socket.end('\x16\x03\x01 this is TLS\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\n\r\n$/);
    expect((await client.get(`/${'x'.repeat(5000)}`)).status).toBe(414);
  });

  test('more than a hundred at once and ten a second of one client wait', async () => {
    let elapsedMs = 1000;
    const { client } = await startPage({ clock: { ...systemClock, elapsedMs: () => elapsedMs } });
    const served = async (): Promise<number> => {
      const statuses = await Promise.all(Array.from({ length: 40 }, async () => (await client.get('/health')).status));
      expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
      return statuses.filter((status) => status === 200).length;
    };
    expect([await served(), await served(), await served()]).toEqual([40, 40, 20]);
    elapsedMs += 1500;
    expect(await served()).toBe(15);
  });

  test('that come slowly are cut, and hold up nobody', async () => {
    const { client, port } = await startPage({ timeouts: { headersMs: 200, requestMs: 400, checkMs: 50 } });
    const slow = connect(port, '127.0.0.1');
    onTestFinished(() => void slow.destroy());
    slow.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
    const drip = setInterval(() => slow.write('x'), 20);
    onTestFinished(() => clearInterval(drip));
    slow.on('error', () => undefined);
    const cut = text(slow).catch(() => '');
    expect((await client.get('/health')).status).toBe(200);
    expect(await cut).toMatch(/^HTTP\/1\.1 408 /);
    const body = connect(port, '127.0.0.1');
    onTestFinished(() => void body.destroy());
    body.on('error', () => undefined);
    body.write(
      'POST /api/write HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    expect(await text(body).catch(() => '')).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });

  test('that are no requests, or half of one, end nothing but themselves', async () => {
    const { client, port, logged } = await startPage();
    const post = 'POST /api/write HTTP/1.1\r\nHost: a\r\nSec-Fetch-Site: same-origin\r\n';
    const head = fc.constantFrom('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n', post, '');
    const header = fc.constantFrom(
      ...['Content-Length: -1', 'Content-Length: 9e9', 'Transfer-Encoding: chunked', 'Content-Type: application/json'],
      ...['Expect: 100-continue', 'Upgrade: websocket', 'Connection: upgrade', 'Host: evil.example', 'Range: bytes=0-'],
      ...['Cookie: heating2mqtt_session=', 'X-Forwarded-For: ,,,'],
    );
    const junk = fc.tuple(head, fc.array(header, { maxLength: 4 }), fc.uint8Array({ maxLength: 200 }));
    await fc.assert(
      fc.asyncProperty(junk, async ([start, headers, rest]) => {
        const socket = connect(port, '127.0.0.1');
        socket.on('error', () => undefined);
        socket.end(Buffer.concat([Buffer.from(`${start}${headers.map((one) => `${one}\r\n`).join('')}\r\n`), rest]));
        const answer = await text(socket).catch(() => '');
        expect(answer === '' || answer.startsWith('HTTP/1.1 ')).toBe(true);
        expect(answer).not.toMatch(/HTTP\/1\.1 500|\.ts:\d+|node:internal/);
      }),
      { numRuns: runs(300) },
    );
    expect((await client.get('/health')).status).toBe(200);
    expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
