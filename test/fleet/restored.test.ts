import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fleetWorld } from '../support/fleet/fleetWorld.ts';
import { startNats } from '../support/network/nats.ts';
import { backedUp, restored, type StreamBackup } from '../support/network/natsBackup.ts';

const ACCOUNTS = ['a', 'b', 'c'];
const STREAMS = ['KV_heating2mqtt-accounts', 'KV_heating2mqtt-gateways', 'KV_heating2mqtt-leases', 'heating2mqtt-states'];
const BOUND = { timeout: 100_000, interval: 100 };
/** The end of a day, another one for each number. */
const at = (number: number): string => `${18 + Math.floor(number / 6)}:${number % 6}0`;
/** As within which a fault has to be over. */
const SERVED_MS = 45_000;

test('a stream, or all of them, come from a backup while workers run: each account is served again by one, and nothing is sent twice', async () => {
  const nodes = await startNats();
  const [{ client } = { client: '' }] = nodes;
  const world = await fleetWorld(nodes, ['w1', 'w2'], ACCOUNTS);
  const [w1, w2] = world.workers;
  if (!w1 || !w2) throw new Error('no workers');
  let round = 0;
  const writeAll = async (answers: readonly string[], end: string): Promise<void> => {
    round += 1;
    await Promise.all(ACCOUNTS.map((account) => world.write(account, `${round}-${account}`, end)));
    for (const account of ACCOUNTS) await expect.poll(() => world.answers(`${round}-${account}`), BOUND).toEqual(answers);
  };
  const apply = (end: string) => writeAll(['accepted', 'applied'], end);
  w1.start();
  w2.start();
  await world.allServedBy('w1', 'w2');
  const placed = await world.served();
  /** What is written while an account is handed over may be answered with `failed`. */
  const allPlaced = async (): Promise<void> => {
    await expect.poll(() => world.served(), BOUND).toEqual(placed);
    await world.allServedBy('w1', 'w2');
  };
  await apply(at(0));
  const backup = await backedUp(client, STREAMS);
  const keptAtMs = performance.now();
  await apply(at(1));
  await world.fleet('add', 'late', '--client-id', 'x');
  // The leases of yesterday have ended.
  await sleep(Math.max(0, keptAtMs + 31_000 - performance.now()));

  for (const [index, names] of [...STREAMS.map((name) => [name]), STREAMS].entries()) {
    const fromMs = performance.now();
    await restored(client, new Map(names.map((name) => [name, backup.get(name) as StreamBackup])));
    await sleep(2000);
    await allPlaced();
    expect([names, performance.now() - fromMs < SERVED_MS]).toEqual([names, true]);
    // What was added since the backup is not known any more, and nothing of it is cleared.
    expect(w1.log() + w2.log()).not.toContain('the account is removed');
    await writeAll(['unchanged'], at(index + 1));
    await apply(at(index + 2));
    // The next owner knows of it.
    w1.signal('SIGTERM');
    await w1.ended();
    await world.allServedBy('w2');
    await writeAll(['unchanged'], at(index + 2));
    w1.start();
    await allPlaced();
    expect([names, ACCOUNTS.map((account) => world.posts(account))]).toEqual([names, ACCOUNTS.map(() => index + 3)]);
  }
}, 600_000);
