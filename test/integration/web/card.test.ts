import { expect, test } from 'vitest';
import { HASHED_PASSWORD, startPage } from '../../support/web/webSystem.ts';

const CARD = '/heating2mqtt-card.js';

test('the card is for every site, without login and cookies, and is asked for again only where it is another one', async () => {
  const { client } = await startPage({ settings: { password: HASHED_PASSWORD } });
  expect((await client.get('/api/state')).status).toBe(401);
  const first = await client.get(CARD, { origin: 'https://ha.example', 'sec-fetch-site': 'cross-site', cookie: 'heating2mqtt_session=x' });
  expect(first.status).toBe(200);
  expect(first.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'no-cache',
    etag: expect.stringMatching(/^W\/"[\w-]{16}"$/),
  });
  expect(first.headers).not.toHaveProperty('set-cookie');
  expect(first.headers).not.toHaveProperty('access-control-allow-credentials');
  expect(first.text).toContain('heating2mqtt-card-editor');

  const { etag = '' } = first.headers;
  for (const tag of [etag, `"old", ${etag}`, etag.slice('W/'.length), '*']) {
    const again = await client.get(CARD, { 'if-none-match': tag });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
    expect(again.headers).toMatchObject({ 'access-control-allow-origin': '*' });
    expect(again.headers).not.toHaveProperty('content-length');
  }
  expect((await client.get(CARD, { 'if-none-match': '"old"' })).status).toBe(200);
});

test('the card is read only, by GET and HEAD; no other file may be read by other sites', async () => {
  const { client, port } = await startPage();
  const head = await client.ask(CARD, { method: 'HEAD' });
  expect([head.status, head.text]).toEqual([200, '']);
  expect(Number(head.headers['content-length'])).toBeGreaterThan(50_000);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const reply = await client.ask(CARD, { method });
    expect([reply.status, reply.headers.allow]).toEqual([405, 'GET, HEAD']);
  }
  for (const path of ['/', '/api/session', '/api/state', '/health', '/nothing'])
    expect((await client.get(path)).headers, path).not.toHaveProperty('access-control-allow-origin');
  expect((await client.get(CARD, { host: `evil.example:${port}` })).status).toBe(421);
});

test('it is there during the first set-up too', async () => {
  const { client } = await startPage({ mode: 'setup' });
  expect((await client.get(CARD)).status).toBe(200);
});
