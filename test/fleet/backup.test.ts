import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fleetWorld } from '../support/fleet/fleetWorld.ts';
import { startSingleNats } from '../support/network/natsNode.ts';

const ACCOUNTS = ['a', 'b', 'c'];
const BOUND = { timeout: 100_000, interval: 100 };

test('NATS is restored from a backup: workers go on from what they have, others from the backup, and nothing is sent twice', async () => {
  const node = await startSingleNats();
  const world = await fleetWorld([node], ['w1', 'w2'], ACCOUNTS);
  const [w1, w2] = world.workers;
  if (!w1 || !w2) throw new Error('no workers');
  const writeAll = async (round: string, end: string, answers = ['accepted', 'applied']): Promise<void> => {
    await Promise.all(ACCOUNTS.map((account) => world.write(account, `${round}-${account}`, end)));
    for (const account of ACCOUNTS) await expect.poll(() => world.answers(`${round}-${account}`), BOUND).toEqual(answers);
  };
  const posts = () => ACCOUNTS.map((account) => world.posts(account));
  w1.start();
  w2.start();
  await world.allServedBy('w1', 'w2');
  await writeAll('first', '21:00');
  await node.kill();
  node.keep();
  const keptAtMs = performance.now();
  await node.start();
  await world.allServedBy('w1', 'w2');
  await writeAll('second', '21:30');
  const placed = await world.served();

  await node.kill();
  for (const one of [w1, w2]) await expect.poll(() => one.log(), BOUND).toContain('has lost its lease');
  // The leases in the backup have ended, as those of yesterday have.
  await sleep(Math.max(0, keptAtMs + 31_000 - performance.now()));
  node.restore();
  await node.start();
  await expect.poll(() => w1.log() + w2.log(), BOUND).toContain('NATS has an older state of this account than this worker');
  // What is written while an account is handed over may be answered with `failed`.
  await expect.poll(() => world.served(), BOUND).toEqual(placed);
  await world.allServedBy('w1', 'w2');
  // The same week again: a worker that knows of the second round has nothing to send.
  await writeAll('third', '21:30', ['unchanged']);
  expect(posts()).toEqual([2, 2, 2]);
  await writeAll('fourth', '22:00');

  // A site is lost: NATS comes from the backup, and no worker has a folder.
  for (const one of [w1, w2]) one.signal('SIGKILL');
  await Promise.all([w1.ended(), w2.ended(), node.kill()]);
  for (const one of [w1, w2]) rmSync(`${one.dataDir}/accounts`, { recursive: true });
  node.restore();
  await node.start();
  w1.start();
  await world.allServedBy('w1');
  await writeAll('fifth', '22:30');
  expect(posts()).toEqual([4, 4, 4]);
}, 300_000);
