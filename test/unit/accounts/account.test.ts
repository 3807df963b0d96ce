import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Account, summaryOf, whenTaken, withOwners } from '../../../src/accounts/account.ts';
import { GatewayOwners } from '../../../src/accounts/gatewayOwners.ts';
import type { AccountSummary } from '../../../src/api/accounts.ts';
import type { App } from '../../../src/app.ts';
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

/** The row of an account that runs: of these calls and this problem. */
const rowOf = (status: Partial<ReturnType<App['status']>>, resetAt?: string) => {
  const reports = { auth: () => ({ state: 'ok', message: '' }), quota: () => (resetAt === undefined ? {} : { reset_at: resetAt }) };
  const app = { status: () => ({ broker: true, auth: 'ok', ...status }), view: { reports } } as unknown as App;
  return summaryOf('a', app, [], Date.parse('2026-03-01T12:00:00Z'));
};

const LAST_READ = { problem: 'the platform answered 500', problem_code: 'server_error' } as const;

test.each<[status: Partial<ReturnType<App['status']>>, resetAt: string | undefined, problem: object]>([
  [{}, undefined, {}],
  [LAST_READ, undefined, { problem: LAST_READ.problem, problemCode: 'server_error' }],
  [{ waits: true, ...LAST_READ }, undefined, { problem: 'No call to the platform is left for reads now.', problemCode: 'no_quota' }],
  [
    { waits: true, ...LAST_READ },
    '2026-03-01T13:00:29.999Z',
    {
      problem: 'The platform accepts no calls until 2026-03-01T13:00:00.000Z.',
      problemCode: 'rate_limited',
      problemFacts: { until: '2026-03-01T13:00:00.000Z' },
    },
  ],
])('an account that runs with %j, and calls again at %s, has this problem', (status, resetAt, problem) => {
  expect(rowOf(status, resetAt)).toEqual({ name: 'a', state: 'running', broker: true, login: 'ok', ...problem });
});

test('an account whose gateway another one publishes says so, and also that this one needs a login', () => {
  const row = (name: string, login: AccountSummary['login'], more = {}): AccountSummary => ({
    name,
    state: 'running',
    broker: true,
    login,
    ...more,
  });
  const elsewhere = { problem: 'The gateway 1 is published by a.', problemCode: 'gateway', problemFacts: { gateway: '1', account: 'a' } };
  expect(withOwners([row('a', 'ok'), row('b', 'ok', elsewhere)])[1]).toEqual(row('b', 'ok', elsewhere));
  expect(withOwners([row('a', 'needed'), row('b', 'ok', elsewhere), row('c', 'ok')])).toEqual([
    row('a', 'needed'),
    row('b', 'ok', {
      ...elsewhere,
      problem: 'The gateway 1 is published by a, which needs a login.',
      problemFacts: { gateway: '1', account: 'a', login: 'needed' },
    }),
    row('c', 'ok'),
  ]);
});

test('an account of a fleet is one that no command line knows', () => {
  expect(unstartable().entry).toMatchObject({ settings: { account: false } });
});
