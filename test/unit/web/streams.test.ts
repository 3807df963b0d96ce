import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ALIVE_MS } from '../../../src/api/answers.ts';
import { LogRing } from '../../../src/shared/log.ts';
import { LiveState } from '../../../src/web/live/liveState.ts';
import { Streams } from '../../../src/web/live/streams.ts';
import { FakeView } from '../../support/web/fakeView.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'setImmediate', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** A client that has so many bytes left to read. */
const client = (writableLength = 0) => {
  const written: string[] = [];
  const response = Object.assign(new EventEmitter(), {
    writableLength,
    written,
    isCut: false,
    write: (text: string) => void written.push(text),
    end: () => void response.emit('close'),
    destroy: () => {
      response.isCut = true;
      response.emit('close');
    },
  });
  return response;
};

const begin = () => {
  const state = new LiveState(new LogRing(), () => 1);
  const view = new FakeView();
  state.attach(view.asBridge);
  const streams = new Streams(state);
  const add = (response: ReturnType<typeof client>, session?: string): typeof response => {
    streams.add(response as unknown as ServerResponse, undefined, session);
    return response;
  };
  return { view, streams, add };
};

test('an event every 20 seconds: no proxy closes a stream on which nothing comes, and a page knows that it lives', () => {
  const { add, streams } = begin();
  expect(vi.getTimerCount()).toBe(0);
  const { written } = add(client());
  expect(ALIVE_MS).toBe(20_000);
  vi.advanceTimersByTime(ALIVE_MS * 3 + 1);
  expect(written.slice(1)).toEqual(Array(3).fill('event: alive\ndata: {}\n\n'));
  streams.end();
  expect(vi.getTimerCount(), 'no timer wakes a bridge that nobody looks at').toBe(0);
});

test('a client on which more than a megabyte waits is cut at the next event, and no other', () => {
  const { add, view, streams } = begin();
  const [fast, slow] = [add(client(900_000)), add(client(1_000_001))];
  view.say(['base/a', '1'], ['base/b', '1']);
  vi.advanceTimersByTime(1);
  expect([fast.isCut, slow.isCut, streams.count]).toEqual([false, true, 1]);
  // Both changes with one write.
  expect(fast.written).toHaveLength(2);
  expect(slow.written).toHaveLength(1);
});

test('the streams of a session end with it', () => {
  const { add, streams } = begin();
  add(client(), 'one');
  add(client(), 'two');
  add(client());
  streams.end('one');
  expect(streams.count).toBe(2);
  streams.end();
  expect(streams.count).toBe(0);
});
