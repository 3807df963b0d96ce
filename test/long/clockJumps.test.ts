import { expect, test } from 'vitest';
import { readTokens } from '../../src/platform/auth/tokenFile.ts';
import { ALLOWANCE, DAY_MS, HOUR_MS, MINUTE_MS, mostWithin, SECOND_MS, wiredSystem } from '../support/system/virtualSystem.ts';

const READS_A_DAY = ALLOWANCE.per_day - ALLOWANCE.reserve_for_commands;
const JUMPS: readonly [words: string, ms: number][] = [
  ['an hour on', HOUR_MS],
  ['an hour back', -HOUR_MS],
  ['a day on', DAY_MS],
  ['a day back', -DAY_MS],
  ['a year back', -365 * DAY_MS],
];

test.each(JUMPS)('a clock that is set %s costs neither calls nor the login, nor says that anything is away', async (_, jumpMs) => {
  const system = await wiredSystem();
  await system.start();
  await system.time.pass(6 * HOUR_MS);
  const fromMs = system.time.elapsedMs();
  system.time.setWall(jumpMs);
  await system.time.pass(6 * HOUR_MS);
  const used = system.quota().used().per_day;
  expect(used).toBe(system.calls().length);
  system.kill();
  await system.start();
  // The counters of the earlier run are those of the clock as it was set.
  expect(system.quota().used().per_day).toBeGreaterThanOrEqual(used);
  await system.time.pass(12 * HOUR_MS);
  const calls = system.calls();
  // One refusal of a token that the clock seems to spare is what a jump may cost.
  expect(calls.filter(({ status }) => status !== 200).length).toBeLessThanOrEqual(1);
  const moments = calls.map(({ atMs }) => atMs);
  expect(mostWithin(moments, DAY_MS)).toBeLessThanOrEqual(READS_A_DAY);
  expect(mostWithin(moments, 10 * MINUTE_MS)).toBeLessThanOrEqual(15);
  // Reading goes on in its pace.
  for (let at = fromMs; at < fromMs + 18 * HOUR_MS; at += HOUR_MS)
    expect(moments.filter((ms) => ms >= at && ms < at + HOUR_MS).length).toBeGreaterThan(40);
  expect(system.identityCalls(fromMs).length).toBeLessThan(24);
  expect((await readTokens(system.dir))?.refresh_token).toEqual(expect.any(String));
  expect(system.messages.filter(({ topic, payload }) => topic.endsWith('/auth') && payload.includes('login_needed'))).toEqual([]);
  const availability = system.messages.filter(({ topic }) => topic === 'heating2mqtt/home/availability').map(({ payload }) => payload);
  // Once more after the kill.
  expect(availability).toEqual(['online', 'online']);
});

test.each(JUMPS)('a pause after 429 ends when the platform says, with a clock that is set %s meanwhile', async (_, jumpMs) => {
  const system = await wiredSystem();
  await system.start();
  await system.time.pass(HOUR_MS);
  system.simulator.control({ command: 'fault', kind: 'rate_limited', times: 1, limitReset: 2 * HOUR_MS, match: { path: '/features' } });
  const untilMs = system.time.elapsedMs() + 2 * HOUR_MS;
  await system.time.pass(5 * MINUTE_MS);
  const afterMs = (system.calls().findLast(({ status }) => status === 429)?.atMs ?? 0) + 1;
  system.time.setWall(jumpMs);
  await system.time.pass(2 * HOUR_MS);
  const [first] = system.calls(afterMs);
  expect(first?.atMs).toBeGreaterThanOrEqual(untilMs - 2 * SECOND_MS);
  expect(first?.atMs).toBeLessThan(untilMs + 2 * MINUTE_MS);
});

test('a login that was made while the clock was a year ahead is replaced by the next one', async () => {
  const system = await wiredSystem();
  system.time.setWall(365 * DAY_MS);
  await system.login();
  await system.start();
  await system.time.pass(2 * HOUR_MS);
  expect(system.identityCalls()).not.toEqual([]);
  system.time.setWall(-365 * DAY_MS);
  system.simulator.control({ command: 'revoke_refresh_tokens' });
  system.simulator.control({ command: 'expire_tokens' });
  await system.time.pass(5 * MINUTE_MS);
  expect(system.retained.get('heating2mqtt/bridge/auth')).toContain('"login_needed"');
  await system.login();
  const fromMs = system.time.elapsedMs();
  await system.time.pass(10 * MINUTE_MS);
  expect(system.calls(fromMs).filter(({ status }) => status === 200)).not.toEqual([]);
});
