import { expect, test } from 'vitest';
import { FakeView } from '../../support/web/fakeView.ts';
import { follow } from '../../support/web/webClient.ts';
import { startPage } from '../../support/web/webSystem.ts';

const begin = async () => {
  const page = await startPage();
  const view = new FakeView();
  page.web.attach(view.asBridge);
  return { ...page, view, open: () => follow(page.port) };
};

const topicIs =
  (topic: string) =>
  ({ data }: { readonly data: Readonly<Record<string, unknown>> }): boolean =>
    data.topic === topic;

test('a hundred streams: fifty follow, the others are told to ask instead, and may follow when one has gone', async () => {
  const { port, view, client, open } = await begin();
  const asked: PromiseSettledResult<Awaited<ReturnType<typeof follow>>>[] = [];
  // More at once of one client, before the page knows who they are, are cut.
  for (let group = 0; group < 5; group += 1) asked.push(...(await Promise.allSettled(Array.from({ length: 20 }, () => follow(port)))));
  const streams = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  expect(streams).toHaveLength(50);
  const refused = await client.get('/api/stream');
  expect([refused.status, refused.json().error]).toEqual([503, 'too_many_streams']);
  view.say(['base/a', '1']);
  await Promise.all(streams.map((stream) => stream.until(topicIs('base/a'))));
  expect((await client.get('/api/state')).json()).toMatchObject({ topics: { 'base/a': '1' } });
  streams[0]?.close();
  let again: Awaited<ReturnType<typeof open>> | undefined;
  for (let tries = 0; !again && tries < 50; tries += 1) again = await open().catch(() => undefined);
  expect(again?.heard[0]?.event).toBe('hello');
});

test('changes of one turn go out together, in their order, each with its number', async () => {
  const { view, open } = await begin();
  const stream = await open();
  const { rev } = stream.heard[0]?.data ?? {};
  view.say(['base/a', '1'], ['base/b', '2']);
  view.say(['base/a', null]);
  view.emit('answer', { status: 'applied', topic: 'base/a/set', rev: 'of the record', at: 'now' });
  await stream.until(({ event }) => event === 'result');
  const told = (event: string, at: number, data: object) => ({
    event,
    id: `${Number(rev) + at}`,
    data: { rev: Number(rev) + at, ...data },
  });
  expect(stream.heard.slice(1)).toEqual([
    told('topic', 1, { topic: 'base/a', payload: '1' }),
    told('topic', 2, { topic: 'base/b', payload: '2' }),
    told('topic', 3, { topic: 'base/a', payload: null }),
    told('result', 4, { answer: { status: 'applied', topic: 'base/a/set', rev: 'of the record', at: 'now' } }),
  ]);
});

test('names with markup, lines and marks of direction go through as they are, and break no event', async () => {
  const { view, client, open } = await begin();
  const hostile = `</script><img src=x onerror=alert(1)>\n\nevent: reset\ndata: {}\n\n\u202e\u2028${'ä'.repeat(5000)}`;
  const stream = await open();
  view.say([`base/${hostile}`, hostile]);
  view.say(['base/next', '1']);
  await stream.until(topicIs('base/next'));
  expect(stream.heard.map(({ event }) => event)).toEqual(['hello', 'topic', 'topic']);
  expect(stream.heard[1]?.data).toMatchObject({ topic: `base/${hostile}`, payload: hostile });
  const state = await client.get('/api/state');
  expect(state.headers['content-type']).toBe('application/json');
  expect(state.json()).toMatchObject({ topics: { [`base/${hostile}`]: hostile } });
});

test('the log is followed too, and another bridge resets what is known', async () => {
  const { web, logRing, open, client } = await begin();
  const stream = await open();
  logRing.add('{"level":"warn","time":"2026-11-22T10:00:00.000Z","msg":"a warning","topic":"a"}\n');
  const line = await stream.until(({ event }) => event === 'log');
  expect(line.data).toMatchObject({ at: '2026-11-22T10:00:00.000Z', level: 'warn', message: 'a warning (topic: a)' });
  const next = new FakeView();
  next.say(['base/new', '1']);
  web.attach(next.asBridge);
  await stream.until(({ event }) => event === 'reset');
  expect((await client.get('/api/state')).json()).toMatchObject({
    topics: { 'base/new': '1' },
    log: [{ message: 'a warning (topic: a)' }],
  });
  next.say(['base/new', '2']);
  expect((await stream.until(topicIs('base/new'))).data).toMatchObject({ payload: '2' });
});
