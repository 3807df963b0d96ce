import { JetStreamApiError, jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { connect } from '@nats-io/transport-node';
import { expect, onTestFinished, test } from 'vitest';
import { type FleetStore, openFleetStore } from '../../src/fleet/fleetStore.ts';
import { natsReason, stepDown } from '../../src/fleet/openNats.ts';
import { sealWith } from '../../src/fleet/seal.ts';
import { type Log, SILENT } from '../../src/shared/log.ts';
import { startLine } from '../support/network/line.ts';
import { startNats } from '../support/network/nats.ts';
import { startSingleNats } from '../support/network/natsNode.ts';
import { recordingLog } from '../support/system/testSystem.ts';

const KEY = 'a key that NATS does not have';

const open = async (url: string, key = KEY, log: Log = SILENT): Promise<FleetStore> => {
  const store = await openFleetStore(url, sealWith(key), log);
  onTestFinished(() => store.close());
  return store;
};

const refusal = async (url: string, key?: string): Promise<string> => {
  const cause: unknown = await open(url, key).catch((error: unknown) => error);
  return cause instanceof Error ? `${cause.name}: ${cause.message.replaceAll(/\d+\.\d+\.\d+\.\d+:\d+/gu, 'HOST')}` : 'none';
};

test('of two that add, change or remove an account at once one does, and what was removed is gone', async () => {
  const { client } = await startSingleNats();
  const [one, two] = [await open(client), await open(client)];
  const row = { name: 'a', entry: { client_id: 'x' } };
  expect((await Promise.all([one.addRow(row), two.addRow(row)])).toSorted()).toEqual([false, true]);
  const revision = (await one.row('a'))?.revision ?? 0;
  await one.putRow({ ...row, worker: 'w1' }, revision);
  await expect(two.putRow({ ...row, worker: 'w2' }, revision)).rejects.toThrow('wrong last sequence');
  expect(await two.rows()).toEqual({ rows: [{ ...row, worker: 'w1' }], broken: [] });
  await two.append('a', { kind: 'all', generation: 1, writer: 'lease-1', content: 'rows' }, 0);
  const version = await one.rowsVersion();
  await two.forget('a');
  expect([(await one.rows()).rows, (await one.readState('a')).pieces.map(({ kind }) => kind)]).toEqual([[], ['removed']]);
  expect(await one.rowsVersion()).not.toBe(version);
  expect([await one.addRow(row), (await one.row('a'))?.row]).toEqual([true, row]);
});

test('what NATS lacks or refuses is said in one sentence', async () => {
  const plain = await startSingleNats();
  expect(await refusal('nats://127.0.0.1:1')).toMatch(/^NatsUnanswered: NATS cannot be reached at HOST: /);
  expect(await refusal('http://me:secret@host')).toBe(
    'UsageError: --nats http://…@host is not an address of NATS; write nats://host:4222 or tls://host:4222',
  );
  expect(await refusal((await startSingleNats('no jetstream')).client)).toMatch(/^NatsUnanswered: NATS runs without JetStream: /);
  const locked = (await startSingleNats('authorization { user: me, password: secret }')).client;
  expect(await refusal(locked)).toMatch(/^UsageError: NATS cannot be reached at HOST: .*[Aa]uthorization/);
  expect(await refusal(locked.replace('//', '//me:wrong@'))).toMatch(/^UsageError: NATS cannot be reached at HOST: .*[Aa]uthorization/);
  expect(await refusal(locked.replace('//', '//me:secret@'))).toBe('none');
  const token = (await startSingleNats('authorization { token: secret }')).client;
  expect(await refusal(token.replace('//', '//secret@'))).toBe('none');
  const narrow = await startSingleNats('authorization { users: [{ user: me, password: secret, permissions: { publish: "a" } }] }');
  expect(await refusal(narrow.client.replace('//', '//me:secret@'))).toMatch(/^NatsUnanswered: NATS /);

  expect([await refusal(plain.client), await refusal(plain.client, 'another key of the same length')]).toEqual([
    'none',
    'UsageError: the accounts of the fleet were encrypted with another key: all workers and commands need the same key (--key-file)',
  ]);
});

test('buckets with other settings than a fleet needs are refused, and not changed', async () => {
  const { client } = await startSingleNats();
  const connection = await connect({ servers: [client] });
  onTestFinished(() => connection.close());
  const leases = await new Kvm(connection).create('heating2mqtt-leases', { history: 5 });
  await leases.put('account.a', '{}');
  expect(await refusal(client)).toMatch(
    'the stream KV_heating2mqtt-leases of NATS has other settings: max_age is 0, not 30000000000, max_msgs_per_subject is 5, not 1.',
  );
  const jsm = await jetstreamManager(connection);
  expect((await jsm.streams.info('KV_heating2mqtt-leases')).config.max_age).toBe(0);
  await jsm.streams.update('KV_heating2mqtt-leases', { max_age: 30e9, max_msgs_per_subject: 1, duplicate_window: 30e9 });
  expect(await refusal(client)).toBe('none');
});

test('a password that is changed while a worker runs is told once, and a stream that is removed is told as such', async () => {
  const PASSWORD = 'authorization { user: me, password: secret }';
  const node = await startSingleNats(PASSWORD);
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const store = await open(node.client.replace('//', '//me:secret@'), KEY, recordingLog(logged));
  const refused = () => logged.filter(({ sentence }) => sentence.startsWith('NATS refuses the user and password'));
  const restart = async (...more: readonly string[]): Promise<void> => {
    node.configure(...more);
    await node.kill();
    await node.start();
  };
  await restart('authorization { user: me, password: another }');
  await expect.poll(refused, { timeout: 10_000 }).toHaveLength(1);
  await restart(PASSWORD);
  await expect.poll(() => store.rows().catch(() => undefined), { timeout: 20_000 }).toEqual({ rows: [], broken: [] });
  expect(refused()).toHaveLength(1);

  const connection = await connect({ servers: [node.client], user: 'me', pass: 'secret' });
  onTestFinished(() => connection.close());
  const jsm = await jetstreamManager(connection);
  for (const name of ['KV_heating2mqtt-accounts', 'heating2mqtt-states']) await jsm.streams.delete(name);
  const why = (work: Promise<unknown>): Promise<unknown> => work.catch(natsReason);
  const piece = { kind: 'all', generation: 1, writer: 'lease', content: 'x' } as const;
  expect([await why(store.rowsVersion()), await why(store.append('a', piece, 0))]).toEqual([
    expect.stringMatching(/^a stream of the fleet is missing on NATS \(stream not found\)/),
    'the stream has no leader on NATS now, or it no longer exists',
  ]);
  const full = new JetStreamApiError({ code: 503, err_code: 10_023, description: 'insufficient resources' });
  expect(natsReason(full)).toBe('NATS has reached the limit of its disk or of its configuration (insufficient resources)');
}, 60_000);

test('a node that hangs is left for another one before leases end, also where it is the first that is tried', async () => {
  const { client } = await startSingleNats();
  const port = Number(new URL(client).port);
  const lines = [await startLine(port), await startLine(port)];
  const urls = lines.map((line) => `nats://127.0.0.1:${line.port}`).join(',');
  const store = await open(urls);
  for (const line of lines.filter((one) => one.isUsed())) line.hang();
  const hungMs = performance.now();
  await expect.poll(() => store.rowsVersion().catch(() => undefined), { timeout: 30_000 }).toBeTypeOf('string');
  expect(performance.now() - hungMs).toBeLessThan(18_000);
  for (let times = 0; times < 3; times += 1) {
    const fromMs = performance.now();
    await open(urls);
    expect(performance.now() - fromMs).toBeLessThan(12_000);
  }
}, 120_000);

test('a stream gets another leader where it has other nodes, and that is told', async () => {
  const name = 'KV_heating2mqtt-leases';
  const moved = async (client: string): Promise<readonly unknown[]> => {
    await open(client);
    const connection = await connect({ servers: [client] });
    onTestFinished(() => connection.close());
    const jsm = await jetstreamManager(connection);
    const leader = async () => (await jsm.streams.info(name).catch(() => undefined))?.cluster?.leader;
    const before = await leader();
    const logged: { level: string; facts: object; sentence: string }[] = [];
    await stepDown(connection, name, recordingLog(logged));
    await expect.poll(leader, { timeout: 20_000 }).toBeTypeOf(typeof before);
    return [logged.map(({ level, facts }) => [level, facts]), before !== (await leader())];
  };
  const [{ client } = { client: '' }] = await startNats();
  expect(await moved(client)).toEqual([[['warn', { stream: name }]], true]);
  expect(await moved((await startSingleNats()).client)).toEqual([[], false]);
}, 60_000);

test('leases that are emptied are free at once', async () => {
  const store = await open((await startSingleNats()).client);
  await store.putLease('account.a', { worker: 'w1' }, 0);
  await store.emptyLeases();
  expect([await store.leaseKeys(), await store.lease('account.a')]).toEqual([[], undefined]);
  expect(await store.putLease('account.a', { worker: 'w2' }, 0)).toBeGreaterThan(1);
});
