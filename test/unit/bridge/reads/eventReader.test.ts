import { expect, it, onTestFinished } from 'vitest';
import type { EventHistory } from '../../../../src/bridge/ports.ts';
import { eventReader } from '../../../../src/bridge/reads/events/eventReader.ts';
import { faultStore } from '../../../../src/bridge/state/faults/faultStore.ts';
import { MINUTE_MS } from '../../../../src/shared/clock.ts';
import { fakeClock } from '../../../support/time/fakeClock.ts';

it.each([0, 20, 49, 51, 55, 59])('reads a new fault after ten minutes, where the hourly read is %i minutes old', async (minutes) => {
  const clock = fakeClock();
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const read: number[] = [];
  const history: EventHistory = {
    readEvents: async () => {
      read.push(clock.elapsedMs() / MINUTE_MS);
      return { data: [] };
    },
  };
  const faults = faultStore({ read: () => new Map(), write: () => true }, new Map(), clock, true);
  const quota = { mayRead: () => true, pausedForMs: () => 0 };
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined };
  const reader = eventReader(
    history,
    60,
    faults,
    () => new Set(['1']),
    quota,
    () => undefined,
    (work) => work(),
    clock,
    log,
  );
  void reader.run(stopping.signal);
  await clock.pass(minutes * MINUTE_MS);
  reader.soon('1');
  await clock.pass(11 * MINUTE_MS);
  expect(read.some((at) => at >= minutes + 10)).toBe(true);
  // Each of several that follow each other, and none twice.
  await clock.pass(60 * MINUTE_MS);
  const before = read.length;
  reader.soon('1');
  await clock.pass(5 * MINUTE_MS);
  reader.soon('1');
  const lastMs = clock.elapsedMs();
  await clock.pass(11 * MINUTE_MS);
  expect(read.some((at) => at * MINUTE_MS >= lastMs + 10 * MINUTE_MS)).toBe(true);
  expect(read.length - before).toBeLessThanOrEqual(3);
});
