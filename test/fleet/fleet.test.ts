import { expect, test } from 'vitest';
import { fleetWorld } from '../support/fleet/fleetWorld.ts';
import { startNats } from '../support/network/nats.ts';
import { untilSo } from '../support/system/untilSo.ts';

const ACCOUNTS = ['a', 'b', 'c', 'd', 'e'];

test('accounts are spread over the workers, move with everything that was kept, and each write is sent and answered once', async () => {
  const world = await fleetWorld(await startNats(), ['w1', 'w2', 'w3'], ACCOUNTS);
  const [w1, w2, w3] = world.workers;
  if (!w1 || !w2 || !w3) throw new Error('no workers');
  w1.start();
  await world.allServedBy('w1');
  const writeAll = async (round: string, end: string): Promise<void> => {
    await Promise.all(ACCOUNTS.map((account) => world.write(account, `${round}-${account}`, end)));
    for (const account of ACCOUNTS) await untilSo(() => world.answers(`${round}-${account}`).includes('applied'));
    for (const account of ACCOUNTS) expect([account, world.answers(`${round}-${account}`)]).toEqual([account, ['accepted', 'applied']]);
  };
  await writeAll('first', '21:00');
  w2.start();
  w3.start();
  await untilSo(() => w2.log().includes('serves the account') && w3.log().includes('serves the account'));
  await world.allServedBy('w1', 'w2', 'w3');
  await writeAll('second', '21:30');
  w1.signal('SIGTERM');
  await w1.ended();
  await world.allServedBy('w2', 'w3');
  await writeAll('third', '22:00');
  w2.signal('SIGKILL');
  await world.allServedBy('w3');
  await writeAll('fourth', '22:30');
  expect(ACCOUNTS.map((account) => world.posts(account))).toEqual(ACCOUNTS.map(() => 4));
}, 300_000);
