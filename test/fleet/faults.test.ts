import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fleetWorld } from '../support/fleet/fleetWorld.ts';
import { writeUnderFaults } from '../support/fleet/writeUnderFaults.ts';
import { startNats } from '../support/network/nats.ts';

const ACCOUNTS = ['a', 'b', 'c', 'd'];
/** Within this time after a fault each account is served again, by one worker. */
const SERVED_MS = 45_000;

test('workers are killed, paused and cut off, nodes die, and clocks are wrong: no write is sent twice, and each that was accepted gets its answer', async () => {
  const nodes = await startNats();
  const world = await fleetWorld(nodes, ['w1', 'w2', 'w3'], ACCOUNTS);
  const [w1, w2, w3] = world.workers;
  const [n1, n2] = nodes;
  if (!w1 || !w2 || !w3 || !n1 || !n2) throw new Error('too few');
  w1.start();
  w2.start('+26h');
  w3.start('-3d');
  await world.allServedBy('w1', 'w2', 'w3');

  const writes = writeUnderFaults(world);

  const faults: readonly (readonly [what: string, left: readonly string[], begin: () => Promise<() => Promise<void>>])[] = [
    [
      'a worker is killed',
      ['w2', 'w3'],
      async () => {
        w1.signal('SIGKILL');
        await w1.ended();
        return async () => w1.start();
      },
    ],
    [
      'a worker is paused for a minute',
      ['w1', 'w3'],
      async () => {
        w2.signal('SIGSTOP');
        return async () => {
          await sleep(60_000 - SERVED_MS);
          w2.signal('SIGCONT');
        };
      },
    ],
    [
      'a worker is cut off from NATS and still running',
      ['w1', 'w2'],
      async () => {
        w3.cut(true);
        return async () => w3.cut(false);
      },
    ],
    [
      'a node is killed',
      ['w1', 'w2', 'w3'],
      async () => {
        await n1.kill();
        return async () => n1.start();
      },
    ],
  ];
  for (const [what, left, begin] of faults) {
    const fromMs = performance.now();
    const end = await begin();
    await sleep(2000);
    await world.allServedBy(...left);
    expect([what, performance.now() - fromMs < SERVED_MS]).toEqual([what, true]);
    await end();
    await sleep(5000);
  }

  // All of NATS away: nobody serves, and says so; afterwards everybody goes on.
  await Promise.all(nodes.map((node) => node.kill()));
  await expect.poll(() => world.workers.every((one) => one.log().includes('has lost its lease')), { timeout: SERVED_MS }).toBe(true);
  await Promise.all(nodes.map((node) => node.start()));
  await world.allServedBy('w1', 'w2', 'w3');
  await sleep(5000);
  await writes.end();
}, 600_000);
