import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fleetWorld } from '../support/fleet/fleetWorld.ts';
import { startNats } from '../support/network/nats.ts';

const ACCOUNTS = ['a', 'b', 'c', 'd'];
/** Ten in a trial: `OUTAGE_MINUTES=10 npm run test:fleet -- outage`. */
const MINUTES = Number(process.env['OUTAGE_MINUTES'] ?? 1);

test('all of NATS is away: each account ends by itself and says so, is served again soon after, and nothing is sent twice', async () => {
  const nodes = await startNats();
  const world = await fleetWorld(nodes, ['w1', 'w2'], ACCOUNTS);
  for (const worker of world.workers) worker.start();
  await world.allServedBy('w1', 'w2');
  const answers = (round: string) => ACCOUNTS.map((account) => world.answers(`${round}-${account}`));
  const write = (round: string, end: string) => Promise.all(ACCOUNTS.map((account) => world.write(account, `${round}-${account}`, end)));
  await write('before', '21:00');
  await expect.poll(() => answers('before'), { timeout: 60_000 }).toEqual(ACCOUNTS.map(() => ['accepted', 'applied']));

  const fromMs = performance.now();
  await Promise.all(nodes.map((node) => node.kill()));
  await write('during', '21:30');
  const states = () => ACCOUNTS.map((account) => world.recorder.last(`heating2mqtt/${account}/bridge/state`));
  await expect.poll(states, { timeout: 60_000 }).toEqual(ACCOUNTS.map(() => 'offline'));
  const endedMs = performance.now() - fromMs;
  const logs = world.workers.map((worker) => worker.log()).join('');
  expect(ACCOUNTS.filter((account) => !new RegExp(`"account":"${account}".*has lost its lease`, 'u').test(logs))).toEqual([]);
  expect(endedMs).toBeLessThan(30_000);
  // Nothing was accepted that is not on NATS.
  expect([answers('during').flat(), ACCOUNTS.map((account) => world.posts(account))]).toEqual([[], [1, 1, 1, 1]]);
  await sleep(Math.max(0, MINUTES * 60_000 - (performance.now() - fromMs)));

  const backMs = performance.now();
  await Promise.all(nodes.map((node) => node.start()));
  await world.allServedBy('w1', 'w2');
  const servedMs = performance.now() - backMs;
  console.log(`ended after ${Math.round(endedMs / 1000)} s, served ${Math.round(servedMs / 1000)} s after NATS came back`);
  expect(servedMs).toBeLessThan(45_000);
  await write('after', '22:00');
  await expect.poll(() => answers('after'), { timeout: 60_000 }).toEqual(ACCOUNTS.map(() => ['accepted', 'applied']));
  // A worker that has an account again finds in its folder what it had not sent.
  const ownersOf = (account: string) => world.workers.filter(({ served }) => served.some((one) => one.account === account));
  const isDue = (account: string) => ownersOf(account).length === 1;
  const due = () => ACCOUNTS.filter(isDue).map((account) => world.answers(`during-${account}`));
  await expect.poll(due, { timeout: 60_000 }).toEqual(ACCOUNTS.filter(isDue).map(() => ['failed']));
  for (const account of ACCOUNTS) {
    const bodies = world
      .platform(account)
      .calls()
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => JSON.stringify(body));
    expect([account, new Set(bodies).size]).toEqual([account, bodies.length]);
  }
}, 900_000);
