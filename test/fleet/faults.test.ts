import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { fleetWorld } from '../support/fleet/fleetWorld.ts';
import { startNats } from '../support/network/nats.ts';

const ACCOUNTS = ['a', 'b', 'c', 'd'];
/** Within this time after a fault each account is served again, by one worker. */
const SERVED_MS = 45_000;

test('workers are killed, paused and cut off, nodes die, and clocks are wrong: no write is sent or answered twice, and each that was accepted gets its answer', async () => {
  const nodes = await startNats();
  const world = await fleetWorld(nodes, ['w1', 'w2', 'w3'], ACCOUNTS);
  const [w1, w2, w3] = world.workers;
  const [n1, n2] = nodes;
  if (!w1 || !w2 || !w3 || !n1 || !n2) throw new Error('too few');
  w1.start();
  w2.start('+26h');
  w3.start('-3d');
  await world.allServedBy('w1', 'w2', 'w3');

  const over = new AbortController();
  onTestFinished(() => over.abort());
  const ids: { readonly id: string; readonly account: string; readonly end: string }[] = [];
  const writing = Promise.all(
    ACCOUNTS.map(async (account, index) => {
      for (let minute = 0; !over.signal.aborted; minute += 1) {
        // Each write differs from the one before, so that each needs a command.
        const end = `${18 + (Math.floor(minute / 6) % 5)}:${minute % 6}0`;
        const id = `${account}-${minute}`;
        ids.push({ id, account, end });
        await world.write(account, id, end);
        await sleep(1500 + index * 130, undefined, { signal: over.signal }).catch(() => undefined);
      }
    }),
  );

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
  over.abort();
  await writing;

  const finals = (id: string) => world.answers(id).filter((status) => status !== 'accepted');
  const isOpen = ({ id }: { readonly id: string }) => world.answers(id).includes('accepted') && finals(id).length === 0;
  await expect.poll(() => ids.filter(isOpen), { timeout: 90_000 }).toEqual([]);
  expect(ids.filter(({ id }) => finals(id).length > 1 || world.answers(id).filter((status) => status === 'accepted').length > 1)).toEqual(
    [],
  );
  // Each account has gone on.
  for (const account of ACCOUNTS)
    expect(ids.findLastIndex((one) => one.account === account && world.answers(one.id).includes('applied'))).toBeGreaterThan(
      ids.length / 2,
    );
  for (const account of ACCOUNTS) {
    const bodies = world
      .platform(account)
      .calls()
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => JSON.stringify(body));
    // The ends of two writes in a row differ.
    expect([account, bodies.filter((body, index) => body === bodies[index - 1])]).toEqual([account, []]);
  }
}, 600_000);
