import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fleetWorld } from '../support/fleet/fleetWorld.ts';
import { startSingleNats } from '../support/network/natsNode.ts';

const BOUND = { timeout: 100_000, interval: 100 };
const PER_DAY = 60;
const saturday = (end: string) => ({ sat: [{ start: '06:00', end, mode: 'normal' }] });
/** Instants of the bridge have whole seconds. */
const inSeconds = (seconds: number): string => new Date(Math.ceil(Date.now() / 1000 + seconds) * 1000).toISOString();

test('the next owner ends on time what is temporary, and undoes what the one before it wrote, after a hand-over and after a kill', async () => {
  const accounts = ['a', 'b'];
  const world = await fleetWorld([await startSingleNats()], ['w1', 'w2'], accounts);
  const [w1, w2] = world.workers;
  if (!w1 || !w2) throw new Error('no workers');
  const bodiesOf = (account: string) =>
    world
      .platform(account)
      .calls()
      .filter(({ method }) => method === 'POST')
      .map(({ body, at }) => ({ end: /"sat":\[\{[^\]]*"end":"([^"]+)"/.exec(body ?? '')?.[1], at }));
  const ends = (account: string) => bodiesOf(account).map(({ end }) => end);
  const temporary = async (account: string, id: string, until: string): Promise<void> => {
    await world.recorder.publish(`${world.week(account)}/set`, JSON.stringify({ id, value: saturday('23:00'), until }));
    await expect.poll(() => world.answers(id), BOUND).toContain('applied');
  };
  w1.start();
  await world.allServedBy('w1');
  for (const account of accounts) {
    await world.write(account, `first-${account}`, '21:00');
    await expect.poll(() => world.answers(`first-${account}`), BOUND).toContain('applied');
  }
  w2.start();
  for (const account of accounts) await world.fleet('move', account, 'w1');
  await world.allServedBy('w1');

  // Handed over: the end comes at its second.
  const until = inSeconds(15);
  for (const account of accounts) await temporary(account, `while-${account}`, until);
  w1.signal('SIGTERM');
  await w1.ended();
  await world.allServedBy('w2');
  expect(Date.now()).toBeLessThan(Date.parse(until));
  for (const account of accounts) await expect.poll(() => ends(account), BOUND).toEqual(['21:00', '23:00', '21:00']);
  for (const account of accounts) expect((bodiesOf(account).at(-1)?.at ?? 0) - Date.parse(until)).toBeLessThan(5000);

  // Killed: as soon as another one serves the account. The accounts are no longer placed at w1, so that w2 does not hand over while it writes.
  for (const account of accounts) await world.fleet('move', account, 'w2');
  const before = w1.log().length;
  w1.start();
  await expect.poll(() => w1.log().slice(before), BOUND).toContain('worker starts');
  const soon = inSeconds(10);
  for (const account of accounts) await temporary(account, `soon-${account}`, soon);
  w2.signal('SIGKILL');
  await world.allServedBy('w1');
  for (const account of accounts) await expect.poll(() => ends(account), BOUND).toEqual(['21:00', '23:00', '21:00', '23:00', '21:00']);

  // What the first owner has written last is undone by the third.
  for (const account of accounts) await world.recorder.publish(`${world.week(account)}/undo/set`, 'x');
  for (const account of accounts) await expect.poll(() => ends(account).length, BOUND).toBe(6);
  expect(accounts.map((account) => ends(account).at(-1))).not.toContain('21:00');
}, 300_000);

test('the allowance of a day is used once, however often its account moves', async () => {
  const world = await fleetWorld([await startSingleNats()], ['w1', 'w2'], ['a'], { perDay: PER_DAY });
  const both = ['w1', 'w2'];
  for (const worker of world.workers) worker.start();
  await world.allServedBy(...both);
  const used = (): number => world.platform('a').calls().length;
  for (const [round, signal] of (['SIGTERM', 'SIGKILL', 'SIGTERM', 'SIGKILL'] as const).entries()) {
    for (let write = 0; write < 14; write += 1) {
      const id = `${round}-${write}`;
      await world.write('a', id, `${18 + Math.floor(write / 6)}:${write % 6}0`);
      // Where no call is left a write may wait.
      const isAnswered = () => world.answers(id).some((status) => status !== 'accepted');
      for (const end = performance.now() + 10_000; performance.now() < end && !isAnswered(); ) await sleep(100);
    }
    const { a: owner } = await world.served();
    const worker = world.workers.find(({ name }) => name === owner);
    worker?.signal(signal);
    await worker?.ended();
    worker?.start();
    await world.allServedBy(...both);
  }
  // Of those after a kill some were presumed.
  expect([used() > PER_DAY / 2, used() <= PER_DAY]).toEqual([true, true]);
}, 400_000);

test('a login that was renewed and that the disk of its worker does not take is not lost with that worker', async () => {
  const world = await fleetWorld([await startSingleNats()], ['w1', 'w2'], ['a']);
  const [w1, w2] = world.workers;
  if (!w1 || !w2) throw new Error('no workers');
  w1.start();
  await world.allServedBy('w1');
  // No file can have this name.
  mkdirSync(join(w1.dataDir, 'accounts', 'a', 'tokens.json.part', 'x'), { recursive: true });
  world.platform('a').control({ command: 'expire_tokens' });
  await world.write('a', 'renewed', '21:00');
  await expect.poll(() => world.answers('renewed'), BOUND).toContain('applied');
  expect(w1.log()).toContain('tokens not stored');
  w1.signal('SIGKILL');
  await w1.ended();
  w2.start();
  await world.allServedBy('w2');
  await world.write('a', 'after', '22:00');
  await expect.poll(() => world.answers('after'), BOUND).toContain('applied');
}, 180_000);
