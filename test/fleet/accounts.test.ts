import { setTimeout as sleep } from 'node:timers/promises';
import { Kvm } from '@nats-io/kv';
import { connect } from '@nats-io/transport-node';
import { expect, onTestFinished, test } from 'vitest';
import { type FleetWorld, fleetWorld } from '../support/fleet/fleetWorld.ts';
import { startSingleNats } from '../support/network/natsNode.ts';

const BOUND = { timeout: 60_000, interval: 200 };

const gone = (world: FleetWorld, account: string): Promise<void> =>
  expect.poll(async () => Object.keys(await world.served()), BOUND).not.toContain(account);

test('a worker that starts before NATS waits for it', async () => {
  const nats = await startSingleNats();
  const world = await fleetWorld([nats], ['w1'], ['a']);
  const [worker] = world.workers;
  expect(await world.fleet('due')).toContain('Unknown for 1 account that no worker serves');
  expect(await world.fleet('add', 'late', '--client-id', 'x')).toContain('No worker is running: the first one that starts serves it');
  await nats.kill();
  worker?.start();
  await expect.poll(() => worker?.log(), BOUND).toContain('NATS does not answer yet; trying again');
  worker?.signal('SIGHUP');
  await nats.start();
  await world.allServedBy('w1');
}, 120_000);

test('a removed account leaves nothing at the broker, also where no worker runs at that moment', async () => {
  const world = await fleetWorld([await startSingleNats()], ['w1', 'w2'], ['a', 'b', 'c']);
  const [w1, w2] = world.workers;
  if (!w1 || !w2) throw new Error('no workers');
  w1.start();
  w2.start();
  await world.allServedBy('w1', 'w2');
  for (const account of ['a', 'b']) await expect.poll(async () => (await world.retainedOf(account)).length, BOUND).toBeGreaterThan(10);
  const by = (await world.served())['a'];
  expect(await world.fleet('remove', 'a')).toContain(`the worker ${by} clears its topics`);
  const fromMs = performance.now();
  await gone(world, 'a');
  expect([await world.retainedOf('a'), performance.now() - fromMs < 4000]).toEqual([[], true]);
  expect(await world.fleet('move', 'b', 'w9')).toContain('No worker with the name w9 is running (running: w1, w2)');

  w1.signal('SIGTERM');
  w2.signal('SIGTERM');
  await Promise.all([w1.ended(), w2.ended()]);
  expect(await world.fleet('remove', 'b')).toContain('No worker is running: the topics of b stay at the broker');
  await expect(world.fleet('move', 'b', 'w1')).rejects.toThrow('is being removed');
  await expect(world.fleet('add', 'b', '--client-id', 'x')).rejects.toThrow('is being removed');
  await expect(world.fleet('add', 'a/b', '--client-id', 'x')).rejects.toThrow('is not an account name');
  expect((await world.retainedOf('b')).length).toBeGreaterThan(10);
  w1.start();
  await gone(world, 'b');
  expect([await world.retainedOf('b'), Object.keys(await world.served())]).toEqual([[], ['c']]);
  expect(w1.log() + w2.log()).not.toContain('lost its lease');
}, 120_000);

test('a row that is damaged on NATS stops no other account, nor its own, and is written anew or removed', async () => {
  const nats = await startSingleNats();
  const world = await fleetWorld([nats], ['w1', 'w2'], ['a', 'b', 'c']);
  const [w1, w2] = world.workers;
  w1?.start();
  w2?.start();
  await world.allServedBy('w1', 'w2');
  const { b = '' } = await world.served();
  const connection = await connect({ servers: [nats.client] });
  onTestFinished(() => connection.close());
  const bucket = async (name: string) => new Kvm(connection).open(`heating2mqtt-${name}`);
  await (await bucket('accounts')).put('b', 'something else');
  await (await bucket('leases')).put('worker.=zz', '{}');
  const sentence = 'the row of this account on NATS cannot be read';
  for (const worker of [w1, w2]) await expect.poll(() => worker?.log(), BOUND).toContain(sentence);

  // What a person orders is still done.
  for (const worker of ['w1', 'w2']) {
    await world.fleet('move', 'a', worker);
    await expect.poll(async () => (await world.served())['a'], BOUND).toBe(worker);
  }
  expect((await world.served())['b']).toBe(b);
  expect(await world.fleet('list')).toContain('its row on NATS cannot be read: add it again, or remove it');
  await expect(world.fleet('move', 'b', 'w1')).rejects.toThrow('the row of "b" cannot be read');

  // A worker that has never read it starts all the same.
  const other = b === 'w1' ? w2 : w1;
  other?.signal('SIGTERM');
  await other?.ended();
  other?.start();
  await expect.poll(async () => (await world.served())['a'], BOUND).toBe('w2');
  await sleep(4000);
  expect((await world.served())['b']).toBe(b);
  await world.fleet('remove', 'b');
  await gone(world, 'b');
  expect([await world.retainedOf('b'), w1?.log().includes('lost its lease')]).toEqual([[], false]);

  await (await bucket('accounts')).put('c', 'something else');
  await expect.poll(() => w1?.log().split(sentence).length, BOUND).toBe(3);
  await world.fleet('add', 'c', '--client-id', 'another');
  await expect.poll(() => world.fleet('list'), BOUND).not.toContain('cannot be read');
}, 180_000);

test('accounts that a newer version has served stay with it, while a worker of this version is there', async () => {
  const accounts = ['a', 'b', 'c', 'd'];
  const world = await fleetWorld([await startSingleNats()], ['newer', 'older'], accounts);
  const [newer, older] = world.workers;
  if (!newer || !older) throw new Error('no workers');
  newer.start(undefined, true);
  await world.allServedBy('newer');
  older.start();
  const refusals = () => older.log().split('a newer version of heating2mqtt').length - 1;
  const servedByOlder = () => older.log().split('serves the account').length - 1;
  await expect.poll(() => older.log(), BOUND).toContain('worker starts');
  await sleep(10_000);
  await world.allServedBy('newer');
  expect([newer.log().includes('handed the account over'), refusals(), servedByOlder()]).toEqual([false, 0, 0]);
  // Without it they wait for one of its version; the older one looks at each once.
  newer.signal('SIGTERM');
  await newer.ended();
  await expect.poll(refusals, BOUND).toBe(accounts.length);
  await sleep(8000);
  expect([refusals(), servedByOlder()]).toEqual([accounts.length, 0]);
  newer.start(undefined, true);
  await world.allServedBy('newer');
  // What nobody can read any more is not kept for a worker that never comes.
  newer.signal('SIGTERM');
  await newer.ended();
  expect(await world.fleet('remove', 'a')).toContain('No running worker can read its state');
  expect(
    (await world.fleet('list'))
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0]),
  ).toEqual(['account', 'b', 'c', 'd']);
}, 180_000);

test('of two accounts with the same gateway at different workers one publishes it, and the other one when that is removed', async () => {
  const world = await fleetWorld([await startSingleNats()], ['w1', 'w2'], ['a', 'b'], { gateways: () => '7571381699991000' });
  await expect(world.fleet('add', 'c', '--file', 'nowhere.yaml')).rejects.toThrow('--file: nowhere.yaml cannot be read (');
  for (const worker of world.workers) worker.start();
  await world.allServedBy('w1', 'w2');
  const by = await world.served();
  expect(new Set(Object.values(by)).size).toBe(2);
  const devicesOf = async (account: string) => (await world.retainedOf(account)).filter((topic) => topic.includes('7571381699991000'));
  const logs = () => world.workers.map((worker) => worker.log()).join('');
  const sentence = 'another account already publishes this gateway';
  await expect.poll(logs, BOUND).toContain(sentence);
  const [owner, other] = logs().includes('"owner":"a"') ? ['a', 'b'] : ['b', 'a'];
  const isOwners = async (): Promise<boolean> => (await devicesOf(owner)).length > 10 && (await devicesOf(other)).length === 0;
  await expect.poll(isOwners, BOUND).toBe(true);
  // Both may have published it at first: what the other one takes back comes with its next documents, five seconds later.
  await sleep(7000);
  await expect.poll(isOwners, BOUND).toBe(true);

  // It stays so where the one that has it is not served for a while.
  const worker = world.workers.find(({ name }) => name === by[owner]);
  worker?.signal('SIGTERM');
  await worker?.ended();
  await expect.poll(() => world.served(), BOUND).toEqual({ a: by[other], b: by[other] });
  await sleep(2000);
  expect([await devicesOf(other), logs().split(sentence).length - 1]).toEqual([[], 1]);

  worker?.start();
  await world.allServedBy('w1', 'w2');
  await world.fleet('remove', owner);
  await gone(world, owner);
  await expect.poll(async () => (await devicesOf(other)).length, BOUND).toBeGreaterThan(10);
  // Wherever it is served from then on.
  const { [other]: name = '' } = await world.served();
  const last = world.workers.find((one) => one.name === name);
  last?.signal('SIGTERM');
  await last?.ended();
  await expect.poll(async () => Object.values(await world.served()).filter((one) => one !== name && one !== '-').length, BOUND).toBe(1);
  await sleep(3000);
  expect((await devicesOf(other)).length).toBeGreaterThan(10);
}, 180_000);
