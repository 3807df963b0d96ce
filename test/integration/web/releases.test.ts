import { createServer, type RequestListener } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/shared/clock.ts';
import { VERSION } from '../../../src/shared/version.ts';
import { isNewer, makeReleases } from '../../../src/web/api/releases.ts';
import { recordingLog } from '../../support/system/testSystem.ts';
import { startPage, startWebSystem } from '../../support/web/webSystem.ts';

/** What is asked like GitHub; gives its address and the headers of what was asked. */
const gitHub = async (answer: RequestListener) => {
  const asked: object[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const place = server.address();
  return { asked, address: `http://127.0.0.1:${typeof place === 'object' && place ? place.port : 0}/latest` };
};

const RELEASE = { tag_name: 'v99.1.0', body: '- **New** <b>things</b>', html_url: 'https://elsewhere.example/' };

test.each([
  ['1.2.1', '1.2.0', true],
  ['1.10.0', '1.9.9', true],
  ['2.0.0', '1.9.9', true],
  ['1.2.0', '1.2.0-beta.1', true],
  ['1.2.0', '1.2.0', false],
  ['1.2.0', '1.3.0-beta.1', false],
  ['0.9.9', '1.0.0', false],
])('%s after %s: %s', (version, other, newer) => expect(isNewer(version, other)).toBe(newer));

test('by default nobody is asked, nor in the app of Home Assistant', async () => {
  const { asked, address } = await gitHub((_, response) => response.end(JSON.stringify(RELEASE)));
  const { client } = await startPage({ releases: address });
  expect((await client.get('/api/release')).json()).toEqual({ version: VERSION, asks: 'off' });
  const app = await startPage({ releases: address, settings: { update_check: true, ingress: 1 }, supervisor: [] });
  expect((await app.client.get('/api/release')).json()).toEqual({ version: VERSION, asks: 'hub' });
  await Promise.all([client.get('/api/state'), app.client.get('/api/state')]);
  expect(asked).toEqual([]);
});

test('where it is allowed, it is asked once a day at most, without a cookie, and told with its notes', async () => {
  const { asked, address } = await gitHub((_, response) => response.end(JSON.stringify(RELEASE)));
  const { client } = await startWebSystem({}, { releases: address, settings: { update_check: true } });
  const newer = {
    version: '99.1.0',
    notes: RELEASE.body,
    address: 'https://github.com/heating2mqtt/heating2mqtt/releases/tag/v99.1.0',
  };
  expect((await client.get('/api/release', { cookie: 'a=b' })).json()).toEqual({ version: VERSION, asks: 'on', newer });
  expect((await client.get('/api/state')).json()).toMatchObject({ newer: '99.1.0' });
  await client.get('/api/release');
  expect(asked).toHaveLength(1);
  expect(Object.keys(asked[0] ?? {}).toSorted()).toEqual(['accept', 'connection', 'host', 'user-agent']);
  expect(JSON.stringify(asked)).not.toContain(VERSION);
});

test.each([
  [200, 'a day', 86_400_000],
  [503, 'an hour', 3_600_000],
])('after an answer %i it is asked again in %s', async (status, _, afterMs) => {
  const { asked, address } = await gitHub((_, response) => response.writeHead(status).end(JSON.stringify(RELEASE)));
  let elapsedMs = 0;
  const releases = makeReleases({ ...systemClock, elapsedMs: () => elapsedMs }, recordingLog([]), address);
  for (const at of [0, afterMs - 1, afterMs]) {
    elapsedMs = at;
    await releases.look();
  }
  expect(asked).toHaveLength(2);
});

test.each<[string, RequestListener]>([
  ['a refusal', (_, response) => response.writeHead(403).end(JSON.stringify(RELEASE))],
  ['something else', (_, response) => response.end('<html>')],
  ['a tag that is no version', (_, response) => response.end(JSON.stringify({ ...RELEASE, tag_name: '../../evil' }))],
  ['too much', (_, response) => response.end(JSON.stringify({ ...RELEASE, more: 'x'.repeat(300_000) }))],
  ['no answer', (request) => request.destroy()],
])('%s tells nothing, and is a line of the debug log alone', async (_, answer) => {
  const { address } = await gitHub(answer);
  const { client, logged } = await startPage({ releases: address, settings: { update_check: true } });
  expect((await client.get('/api/release')).json()).toEqual({ version: VERSION, asks: 'on' });
  expect(logged.filter(({ sentence }) => sentence.includes('newer version')).map(({ level }) => level)).toEqual(['debug']);
});
