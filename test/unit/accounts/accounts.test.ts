import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeAccounts } from '../../../src/accounts/accounts.ts';
import { GatewayOwners } from '../../../src/accounts/gatewayOwners.ts';
import { emptyFolder } from '../../support/cli/inProcess.ts';
import { recordingLog } from '../../support/system/testSystem.ts';
import { untilSo } from '../../support/system/untilSo.ts';
import { fakeClock } from '../../support/time/fakeClock.ts';

/** Accounts of which the only one, `a`, does not start, at a broker that is away. */
const unstartable = async () => {
  const cwd = emptyFolder();
  const clock = fakeClock();
  const logged: { readonly level: string; readonly facts: object; readonly sentence: string }[] = [];
  const env = { HEATING2MQTT_DATA_DIR: cwd, HEATING2MQTT_MQTT_URL: 'mqtt://127.0.0.1:1' };
  const file = join(cwd, 'accounts.d', 'a.yaml');
  mkdirSync(join(cwd, 'accounts.d'));
  writeFileSync(file, 'client_id: 0123456789abcdef\n');
  // In the place of its folder, so that it does not start.
  writeFileSync(join(cwd, 'accounts'), '');
  const sources = { file: undefined, env, cwd };
  const accounts = makeAccounts({ sources, owners: new GatewayOwners(), main: () => undefined, clock, log: recordingLog(logged) });
  onTestFinished(() => accounts.stop());
  const started = accounts.reconcile();
  await clock.pass(1000);
  await started;
  expect(accounts.list()).toMatchObject([{ name: 'a', state: 'stopped' }]);
  return { accounts, logged, file };
};

test('an account that is removed while its topics cannot be cleared says that they stay', async () => {
  const { accounts, logged, file } = await unstartable();
  rmSync(file);
  await accounts.reconcile();
  expect(logged.at(-1)).toMatchObject({
    level: 'warn',
    facts: { account: 'a' },
    sentence: expect.stringContaining('topics that it has published stay at the broker'),
  });
});

test('the connection for bridge/accounts, besides those of the accounts, says in the log which it is', async () => {
  const { logged } = await unstartable();
  const line = () => logged.find(({ sentence }) => sentence.startsWith('broker not reached'));
  await untilSo(() => line() !== undefined);
  expect(line()?.facts).toMatchObject({ topic: 'bridge/accounts' });
});
