import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Account, whenTaken } from '../../../src/accounts/account.ts';
import { GatewayOwners } from '../../../src/accounts/gatewayOwners.ts';
import { accountOfRow } from '../../../src/config/accounts.ts';
import { readSettings } from '../../../src/config/load.ts';
import { SILENT } from '../../../src/shared/log.ts';
import { emptyFolder } from '../../support/cli/inProcess.ts';
import { fakeClock } from '../../support/time/fakeClock.ts';

/** An account that does not start, as a file stands where its folder would be; it counts its tries. */
const unstartable = () => {
  const cwd = emptyFolder();
  const file = join(cwd, 'file');
  writeFileSync(file, '');
  const clock = fakeClock();
  const states: string[] = [];
  const env = { HEATING2MQTT_DATA_DIR: file, HEATING2MQTT_MQTT_URL: 'mqtt://127.0.0.1:1' };
  const entry = accountOfRow(readSettings({ file: undefined, env, cwd }), 'a', { client_id: '0123456789abcdef' });
  const account = new Account(entry, {
    ...{ owners: new GatewayOwners(), clock, log: SILENT },
    changed: () => states.push(account.summary().state),
  });
  const tries = (): number => states.splice(0).filter((state) => state === 'starting').length;
  return { account, entry, clock, tries };
};

test('an account that was stopped stays so, whatever was to start it again', async () => {
  const { account, entry, clock, tries } = unstartable();
  await account.start();
  // As at SIGHUP.
  await account.start();
  expect(tries()).toBe(2);
  await clock.pass(60_000);
  expect(tries()).toBe(1);
  const [stopped, hungUp] = [account.stop(), account.start()];
  await Promise.all([stopped, hungUp]);
  await clock.pass(3_600_000);
  expect([account.summary().state, tries()]).toEqual(['stopped', 0]);
  await account.restart(entry);
  expect(tries()).toBeGreaterThan(0);
});

test('where a lease says who serves an account, the loss of its client id needs nobody', () => {
  expect([true, false].map((isReported) => whenTaken(isReported, true).againMs)).toEqual([30_000, 30_000]);
  expect([true, false].map((isReported) => whenTaken(isReported, false).againMs)).toEqual([undefined, 3_600_000]);
});

test('an account of a fleet is one that no command line knows', () => {
  expect(unstartable().entry).toMatchObject({ settings: { account: false } });
});
