import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { calendarSources, priceSource } from '../../../src/calendar/calendarSources.ts';
import { textReader } from '../../../src/calendar/fetchText.ts';
import { isPublic } from '../../../src/calendar/publicAddress.ts';

const never = new AbortController().signal;
const CALENDAR = 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Away\r\nDTSTART;VALUE=DATE:20261224\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n';
const WINDOW = { fromMs: Date.parse('2026-12-20T00:00:00Z'), toMs: Date.parse('2027-01-03T00:00:00Z') };

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const failure = (address: string, allowPrivate = true): Promise<string> => {
  const read = textReader('calendar', address, allowPrivate);
  return read(never).then(
    () => 'read',
    (cause: Error) => cause.message,
  );
};

test.each([
  '127.0.0.1',
  '10.1.2.3',
  '172.31.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '0.0.0.0',
  '::1',
  '::',
  'fd00::1',
  'fe80::1',
  '::ffff:7f00:1',
  '::ffff:192.168.0.1',
  '64:ff9b::7f00:1',
  '::ffff:0:7f00:1',
  '2001:0:7f00:1::',
  '2001:db8::1',
  '192.0.2.1',
  '224.0.0.1',
  'fcal.ch',
])('%s is no address of the internet', (address) => expect(isPublic(address)).toBe(false));
test.each(['93.184.216.34', '172.32.0.1', '2606:2800:220:1::1'])('%s is one', (address) => expect(isPublic(address)).toBe(true));

test.each([
  ['http://calendar.example.com/x.ics', 'must begin with https: or webcal:'],
  ['file:///etc/passwd', 'must begin with https: or webcal:'],
  ['https://127.0.0.1/x.ics', 'private network'],
  ['webcal://[::ffff:7f00:1]/x.ics', 'private network'],
  ['https://localhost/x.ics', 'private network'],
  ['https://0x7f.1/x.ics', 'private network'],
])('%s is not read without allow_private', async (address, why) => {
  const said = await failure(address, false);
  expect(said).toContain(why);
  expect(said).not.toContain('x.ics');
});

test('a calendar is read, and after that only what has changed', async () => {
  const asked: (string | undefined)[] = [];
  const url = await serve((request, answer) => {
    asked.push(request.headers['if-none-match']);
    if (request.headers['if-none-match'] === '"1"') answer.writeHead(304).end();
    else answer.writeHead(200, { etag: '"1"', 'content-type': 'text/plain' }).end(`\uFEFF${CALENDAR}`);
  });
  const [source] = calendarSources({ addresses: ` ${url}/secret-token.ics `, allow_private: true });
  const first = await source?.read(WINDOW, never);
  expect(first).toEqual({ events: [{ title: 'Away', start: '2026-12-24', end: '2026-12-25' }], skipped: 0 });
  expect(await source?.read(WINDOW, never)).toEqual(first);
  expect(asked).toEqual([undefined, '"1"']);
  expect(source?.name).toMatch(/^127\.0\.0\.1:\d+\/….ics$/);
  expect(source?.name).not.toContain('token');
});

test('umlauts are read, also of older programs and where a line is folded within one', async () => {
  const written = Buffer.from(CALENDAR.replace('Away', 'Müll und Gäste'));
  const within = written.indexOf('ä') + 1;
  const folded = Buffer.concat([written.subarray(0, within), Buffer.from('\r\n '), written.subarray(within)]);
  for (const body of [written, folded, Buffer.from(written.toString(), 'latin1')]) {
    const url = await serve((_, answer) => answer.writeHead(200).end(body));
    const [source] = calendarSources({ addresses: `${url}/x.ics`, allow_private: true });
    const read = await source?.read(WINDOW, never);
    expect(read?.events.map(({ title }) => title)).toEqual(['Müll und Gäste']);
  }
});

test('prices are read by their address, and after that only what has changed; what is no JSON, or inside, is told without the address', async () => {
  const url = await serve((request, answer) => {
    if (request.url === '/html') answer.end('<html>');
    else if (request.headers['if-modified-since'] === 'Sat, 21 Nov 2026 12:00:00 GMT') answer.writeHead(304).end();
    else answer.writeHead(200, { 'last-modified': 'Sat, 21 Nov 2026 12:00:00 GMT' }).end('[]');
  });
  const source = priceSource({ url: `${url}/token-of-me.json`, allow_private: true });
  expect(await source?.read(never)).toBe('[]');
  expect(await source?.read(never)).toBeUndefined();
  expect(source?.name).toMatch(/^127\.0\.0\.1:\d+\/…json$/);
  await expect(priceSource({ url: `${url}/html`, allow_private: true })?.read(never)).rejects.toThrow(/^the answer is not a price list$/);
  await expect(priceSource({ url, allow_private: false })?.read(never)).rejects.toThrow(
    /^the address must begin with https: or webcal:, or with http: and the setting allow_private$/,
  );
  expect(priceSource({ url: null, allow_private: false })).toBeUndefined();
});

test('two addresses of one host are two calendars, and an address that is there twice is one', () => {
  const [one, other] = ['https://calendar.google.com/a/basic.ics', 'https://calendar.google.com/b/basic.ics'];
  const names = calendarSources({ addresses: `${one} ${other} ${one}`, allow_private: false }).map(({ name }) => name);
  expect(names).toEqual(['calendar.google.com/….ics', 'calendar.google.com/….ics (2)']);
});

test('a flood of series, which takes a minute to read, stops nothing else', async () => {
  const series = CALENDAR.slice(CALENDAR.indexOf('BEGIN:VEVENT'), CALENDAR.indexOf('END:VCALENDAR')).replace(
    'VALUE=DATE:20261224',
    'VALUE=DATE-TIME:20261224T100000Z\r\nRRULE:FREQ=HOURLY',
  );
  const url = await serve((_, answer) => answer.end(CALENDAR.replace('END:VCALENDAR', `${series.repeat(2000)}END:VCALENDAR`)));
  const [source] = calendarSources({ addresses: url, allow_private: true });
  await expect(source?.read(WINDOW, never)).rejects.toThrow('takes longer than 5 s');
}, 20_000);

test('redirects are followed three times, each of them checked', async () => {
  const url = await serve(({ url: path = '' }, answer) => {
    const left = Number(path.slice(1));
    if (left === 0) answer.end(CALENDAR);
    else answer.writeHead(302, { location: left === 9 ? 'ftp://example.com/x' : `/${left - 1}` }).end();
  });
  expect(await failure(`${url}/3`)).toBe('read');
  expect(await failure(`${url}/4`)).toContain('redirects');
  expect(await failure(`${url}/9`)).toContain('must begin with https:');
});

test('a calendar that comes compressed is read, up to 5 MB', async () => {
  const url = await serve(({ url: path }, answer) => {
    answer.writeHead(200, { 'content-encoding': path === '/apache' ? 'x-gzip' : 'gzip' });
    answer.end(path === '/bomb' ? gzipSync(CALENDAR + ' '.repeat(6 * 1024 * 1024)) : path === '/wrong' ? CALENDAR : gzipSync(CALENDAR));
  });
  const said = await Promise.all(['/', '/apache', '/bomb', '/wrong'].map((path) => failure(url + path)));
  expect(said).toEqual(['read', 'read', 'the answer has more than 5 MB', 'the answer cannot be unpacked']);
});

test('what is no calendar, too long, or gone, is told without the address', async () => {
  const url = await serve(({ url: path }, answer) => {
    if (path === '/gone') answer.writeHead(410).end();
    else if (path === '/long') answer.end(`BEGIN:VCALENDAR\r\n${'x'.repeat(6 * 1024 * 1024)}`);
    else if (path === '/cut') answer.destroy();
    else answer.end('<html>');
  });
  const said = await Promise.all(['/gone', '/long', '/cut', '/html'].map((path) => failure(url + path)));
  expect(said).toEqual([
    expect.stringContaining('no such calendar'),
    'the answer has more than 5 MB',
    expect.stringContaining('cannot be read'),
    'the answer is not a calendar',
  ]);
});
