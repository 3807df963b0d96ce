import { expect, test } from 'vitest';
import { type Bridge, makeBridge } from '../../../src/bridge/bridge.ts';
import type { Parts } from '../../../src/bridge/parts.ts';

/** compose.ts calls `bridge.run` from 'firstRoundEnded', which a warm start emits within the list of first tasks. */
test('stop waits for what a first task has started by `run`', async () => {
  const done: string[] = [];
  const stopping = new AbortController();
  const nothing = async () => undefined;
  let finish: () => void = () => undefined;
  const long = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const parts = {
    session: { sayOffline: async () => done.push('sayOffline') > 0 },
    publisher: { flushed: async () => true, owners: () => [] },
    handler: { idle: nothing },
    statusPublisher: { setCheckpoint: nothing },
    clock: { sleep: () => new Promise(() => undefined) },
    stopping,
  } as unknown as Parts;
  const tasks = [() => bridge.run([() => long.then(() => void done.push('status ended'))])];
  const bridge: Bridge = makeBridge(parts, tasks, () => true, nothing);
  bridge.start();
  const stopped = bridge.stop();
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  finish();
  await stopped;
  expect(done).toEqual(['status ended', 'sayOffline']);
});
