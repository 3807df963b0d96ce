import { expect, test } from 'vitest';
import { FakeView } from '../../support/web/fakeView.ts';
import { type ProxyStyle, startReverseProxy } from '../../support/web/reverseProxy.ts';
import { cookieOf, follow, webClient } from '../../support/web/webClient.ts';
import { HASHED_PASSWORD, PASSWORD, type PageOptions, startPage } from '../../support/web/webSystem.ts';

const PREFIX = '/heating';

const begin = async (style: ProxyStyle, settings: PageOptions['settings'] = {}) => {
  const probe = await startPage();
  await probe.web.close();
  const ingress = style === 'ingress' ? { ingress: probe.port } : {};
  const page = await startPage({
    settings: { password: HASHED_PASSWORD, trusted_proxies: ['127.0.0.1'], hosts: ['heating.example.com'], ...ingress, ...settings },
    supervisor: ['127.0.0.1'],
  });
  const view = new FakeView();
  view.say(['base/a', '1']);
  page.web.attach(view.asBridge);
  const proxy = await startReverseProxy(style);
  proxy.leadTo(style === 'ingress' ? probe.port : page.port);
  return { ...page, view, proxy, front: webClient(proxy.port) };
};

/** What a browser loads, by the addresses in the page. */
const loadedFiles = async (front: ReturnType<typeof webClient>, host: string, prefix = PREFIX) => {
  const page = await front.get(`${prefix}/`, { host });
  const names = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name = '']) => name);
  const files = await Promise.all(
    names.map((name) => front.get(new URL(name, `http://${host}${prefix}/`).pathname, { host, 'accept-encoding': 'gzip, br, zstd' })),
  );
  return { page, names, statuses: files.map(({ status }) => status), encodings: files.map(({ headers }) => headers['content-encoding']) };
};

test.each([
  ['keeps the prefix', 'keeps', { base_path: PREFIX }],
  ['takes the prefix off', 'strips', {}],
  ['takes the prefix off, where it could keep it', 'strips', { base_path: PREFIX }],
] as const)('behind a proxy that %s the page loads, and a login works', async (_, style, settings) => {
  const { proxy, front, view } = await begin(style, settings);
  const host = 'heating.example.com';
  const { names, statuses, encodings } = await loadedFiles(front, host);
  expect(names.length).toBeGreaterThanOrEqual(3);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(new Set(encodings)).toEqual(new Set(['gzip']));
  expect((await front.get(`${PREFIX}/api/state`, { host })).status).toBe(401);
  const login = await front.post(`${PREFIX}/api/login`, { password: PASSWORD }, { host, origin: `http://${host}` });
  expect(login.status).toBe(204);
  // The browser takes the folder of this request: the prefix with /api.
  expect(login.headers['set-cookie']?.[0]).not.toMatch(/path=/i);
  const cookie = cookieOf(login);
  expect((await front.get(`${PREFIX}/api/state`, { host, cookie })).json()).toMatchObject({ topics: { 'base/a': '1' } });
  const stream = await follow(proxy.port, `${PREFIX}/api/stream`, { host, cookie });
  view.say(['base/a', '2']);
  await stream.until(({ data }) => data.payload === '2');
  // Another site that leads here by its name.
  expect((await front.get(`${PREFIX}/`, { host: 'evil.example' })).status).toBe(421);
});

test('by the ingress of Home Assistant the page loads without encodings, and writes with the name of the user', async () => {
  const { proxy, front, view, logged } = await begin('ingress');
  const host = 'homeassistant.example.net';
  const { page, statuses, encodings } = await loadedFiles(front, host, proxy.prefix);
  expect(page.headers['content-type']).toBe('text/html');
  expect(page.text.toLowerCase()).toMatch(/<head>\s*<meta charset="utf-8">/);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(new Set(encodings)).toEqual(new Set(['gzip']));
  const session = (await front.get(`${proxy.prefix}/api/session`, { host })).json();
  expect(session).toEqual({ mode: 'run', login: 'none', ingress: true, user: 'Änna B.' });
  const stream = await follow(proxy.port, `${proxy.prefix}/api/stream`, { host });
  view.say(['base/a', '2']);
  await stream.until(({ data }) => data.payload === '2');
  Object.assign(view, {
    submit: ({ topic, onAnswer }: { topic: string; onAnswer: (answer: object) => void }) => onAnswer({ topic, status: 'unchanged' }),
  });
  const write = await front.post(`${proxy.prefix}/api/write`, { topic: 'base/a/set', payload: '1' }, { host, origin: `https://${host}` });
  expect([write.status, write.json()]).toEqual([200, { topic: 'base/a/set', status: 'unchanged' }]);
  expect(write.headers).not.toHaveProperty('set-cookie');
  expect(logged).toContainEqual({
    level: 'debug',
    facts: { topic: 'base/a/set', user: 'Änna B.', client: expect.any(String) },
    sentence: 'a command from the page',
  });
});
