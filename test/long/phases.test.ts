import { expect, test } from 'vitest';
import { readTokens } from '../../src/platform/auth/tokenFile.ts';
import { defaultHome } from '../../src/simulator/home/home.ts';
import { emptied, STATE } from '../support/system/database.ts';
import {
  ALLOWANCE,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  mostWithin,
  SECOND_MS,
  type VirtualSystem,
  type WiredSystem,
  wiredSystem,
} from '../support/system/virtualSystem.ts';

const FEATURES = [
  'device.messages.status.raw',
  'heating.circuits.0.heating.curve',
  'heating.circuits.0.heating.schedule',
  'heating.circuits.1.heating.schedule',
  'heating.dhw.schedule',
  'heating.dhw.temperature.main',
  'heating.sensors.temperature.outside',
  'heating.sensors.temperature.return',
  'heating.scop.total',
  'heating.boiler.serial',
];
const HOME = {
  name: 'home',
  installation: String(defaultHome.installation),
  gateway: defaultHome.gateway,
  device: '0',
  features: FEATURES,
  exclude: [],
};
const TEN = { devices: [HOME] };
/** What the reads of a day may take at most. */
const READS_A_DAY = ALLOWANCE.per_day - ALLOWANCE.reserve_for_commands;

const moments = (calls: readonly { readonly atMs: number }[]): readonly number[] => calls.map(({ atMs }) => atMs);
const warnings = ({ logged }: VirtualSystem) => logged.filter(({ level }) => level === 'warn' || level === 'error');
const sentences = (system: VirtualSystem): readonly string[] => warnings(system).map(({ sentence }) => sentence);
const onTopic = ({ messages }: VirtualSystem, topic: string): readonly string[] =>
  messages.filter((message) => message.topic === `heating2mqtt/${topic}`).map(({ payload }) => payload);

/** What was read, in order; each has to have worked. */
const readBy = (system: WiredSystem): readonly string[] =>
  system.calls().map(({ path, status }) => (status === 200 ? path.replace(/^.*\/features\//, '') : String(status)));

test('a start reads each record once, fifty restarts in a row cost no call, and the one after a kill reads each once more', async () => {
  const system = await wiredSystem(TEN);
  await system.start();
  await system.time.pass(30 * SECOND_MS);
  for (let restart = 0; restart < 50; restart += 1) {
    await system.stop();
    await system.start();
    await system.time.pass(5 * SECOND_MS);
  }
  expect(readBy(system)).toEqual(FEATURES);
  expect(system.quota().used().per_day).toBe(FEATURES.length);
  system.kill();
  await system.start();
  await system.time.pass(30 * SECOND_MS);
  expect(readBy(system)).toEqual([...FEATURES, ...FEATURES]);
  expect(system.identityCalls()).toEqual([]);
  // As many calls as a kill may take are presumed.
  expect(system.quota().used().per_day).toBe(2 * FEATURES.length + 5);
});

test('a crash loop that remembers nothing but its counters does not spend the day', async () => {
  const system = await wiredSystem(TEN);
  for (let restart = 0; restart < 2 * 24 * 6; restart += 1) {
    await system.start();
    await system.time.pass((restart < 30 ? 20 * SECOND_MS : 10 * MINUTE_MS) + restart);
    system.kill();
    emptied(system.dir, ...STATE);
    // An hour's share, two first rounds and what the pace brings meanwhile.
    if (restart === 29) expect(system.calls().length).toBeLessThan(READS_A_DAY / 24 + 4 * FEATURES.length);
  }
  const calls = moments(system.calls());
  expect(mostWithin(calls, DAY_MS)).toBeLessThanOrEqual(READS_A_DAY);
  // No hour of the last day goes without a read.
  for (let hour = 1; hour <= 24; hour += 1) {
    const endMs = system.time.elapsedMs() - (hour - 1) * HOUR_MS;
    expect(calls.filter((at) => at > endMs - HOUR_MS && at <= endMs).length).toBeGreaterThan(2);
  }
});

const FOLLOWS_CLOCK = /\/(?:now|next|next_at|overview)$/u;

test('an idle day uses the allowance evenly, within both windows, and tells nothing outside bridge/ but that nothing is new', async () => {
  const system = await wiredSystem(TEN);
  await system.start();
  await system.time.pass(MINUTE_MS);
  const before = system.messages.length;
  await system.time.pass(DAY_MS);
  const calls = moments(system.calls());
  expect(calls.length).toBeGreaterThan(0.95 * READS_A_DAY);
  expect(mostWithin(calls, DAY_MS)).toBeLessThanOrEqual(READS_A_DAY);
  expect(mostWithin(calls, 10 * MINUTE_MS)).toBeLessThan(30);
  // An access token lives an hour and is renewed five minutes ahead.
  expect(system.identityCalls().length).toBeLessThanOrEqual(27);
  const told = system.messages.slice(before).filter(({ topic }) => !topic.startsWith('heating2mqtt/bridge/'));
  // Nothing at all changes for a day, which is told once, as frozen data.
  expect(told.filter(({ topic }) => !FOLLOWS_CLOCK.test(topic)).map(({ topic }) => topic)).toEqual([
    'heating2mqtt/home/problems',
    'homeassistant/device/heating2mqtt_7571381699991111_0/config',
  ]);
  // The schedules' own changes of mode, as they come.
  const count = (leaf: string): number => told.filter(({ topic }) => topic.endsWith(`/${leaf}`)).length;
  expect(count('next_at')).toBeGreaterThan(0);
  // An overview has the mode of now, which is told once a change.
  expect(count('overview')).toBeLessThanOrEqual(count('next_at'));
  expect(sentences(system)).toEqual([]);
});

test.each(['html503', 'timeout504', 'cut_before', 'rubbish_page'])(
  'an outage of six hours (%s) is asked by one probe every five minutes for all reads, told once, and over within a round',
  async (kind) => {
    const system = await wiredSystem(TEN);
    await system.start();
    await system.time.pass(HOUR_MS);
    const fromMs = system.time.elapsedMs();
    const fault = kind === 'rubbish_page' ? { status: 500, contentType: 'text/html', body: '<html>' } : { kind };
    system.simulator.control({ command: 'fault', match: { path: '/features' }, ...fault });
    await system.time.pass(6 * HOUR_MS);
    const calls = system.calls(fromMs);
    expect(calls.length).toBeGreaterThan(50);
    expect(calls.length).toBeLessThan((6 * HOUR_MS) / (5 * MINUTE_MS) + 20);
    expect(onTopic(system, 'home/availability')).toEqual(['online', 'offline']);
    expect(sentences(system)).toEqual(['reading failed; the last values are kept']);
    system.simulator.control({ command: 'clear' });
    const endMs = system.time.elapsedMs();
    await system.time.pass(20 * MINUTE_MS);
    expect(new Set(system.calls(endMs).map(({ path }) => path)).size).toBe(FEATURES.length);
    expect(onTopic(system, 'home/availability')).toEqual(['online', 'offline', 'online']);
    expect(system.logged.filter(({ sentence }) => sentence === 'reading works again')).toHaveLength(1);
    expect(mostWithin(moments(system.calls()), 10 * MINUTE_MS)).toBeLessThanOrEqual(100);
  },
);

test.each(['identity_error', 'html502', 'cut_before', 'rate_limited'])(
  'a token service that is down for three hours (%s): no token is lost, and it is asked every five minutes at most',
  async (kind) => {
    const system = await wiredSystem(TEN);
    await system.start();
    await system.time.pass(30 * MINUTE_MS);
    const kept = await readTokens(system.dir);
    const fromMs = system.time.elapsedMs();
    system.simulator.control({ command: 'fault', kind, match: { path: '/token' } });
    await system.time.pass(3 * HOUR_MS);
    const tries = system.identityCalls(fromMs);
    expect(tries.length).toBeGreaterThan(20);
    expect(mostWithin(moments(tries), HOUR_MS)).toBeLessThan(30);
    // The access token lives for half an hour more; without one nothing is sent.
    expect(system.calls(fromMs + 31 * MINUTE_MS)).toEqual([]);
    expect((await readTokens(system.dir))?.refresh_token).toBe(kept?.refresh_token);
    expect(JSON.parse(onTopic(system, 'bridge/auth').at(-1) ?? '{}')).toMatchObject({ state: 'failing' });
    system.simulator.control({ command: 'clear' });
    const endMs = system.time.elapsedMs();
    await system.time.pass(20 * MINUTE_MS);
    expect(new Set(system.calls(endMs).map(({ path }) => path)).size).toBe(FEATURES.length);
    expect(system.identityCalls(endMs)).toHaveLength(1);
    expect(JSON.parse(onTopic(system, 'bridge/auth').at(-1) ?? '{}')).toMatchObject({ state: 'ok' });
    expect((await readTokens(system.dir))?.refresh_token).not.toBe(kept?.refresh_token);
    expect(sentences(system).length).toBeLessThanOrEqual(2);
  },
);

test('a refresh token that ended is tried once', async () => {
  const system = await wiredSystem(TEN);
  await system.start();
  system.simulator.control({ command: 'revoke_refresh_tokens' });
  system.simulator.control({ command: 'expire_tokens' });
  const fromMs = system.time.elapsedMs() + 1;
  await system.time.pass(DAY_MS);
  expect(system.identityCalls(fromMs)).toHaveLength(1);
  expect(system.calls(fromMs).filter(({ status }) => status === 401).length).toBe(1);
  expect(JSON.parse(onTopic(system, 'bridge/auth').at(-1) ?? '{}')).toMatchObject({ state: 'login_needed' });
  expect(sentences(system).filter((sentence) => sentence === 'a login is needed')).toHaveLength(1);
});

test('a gateway that is offline leaves the one beside it unharmed', async () => {
  const away = { ...HOME, name: 'away', gateway: '7571381699992222' };
  const alone = await wiredSystem({ ...TEN, poll: { seconds: 1800, jitter: 0 } });
  await alone.start();
  await alone.time.pass(DAY_MS);
  const system = await wiredSystem({ devices: [HOME, away], poll: { seconds: 1800, jitter: 0 } });
  system.simulator.control({ command: 'fault', kind: 'gateway_offline', match: { path: away.gateway } });
  await system.start();
  await system.time.pass(DAY_MS);
  const of = (gateway: string) => system.calls().filter(({ path }) => path.includes(gateway));
  expect(of(HOME.gateway).length).toBeGreaterThanOrEqual(0.98 * alone.calls().length);
  // One probe for all its reads.
  expect(of(away.gateway).length).toBeLessThan(DAY_MS / (15 * MINUTE_MS) + 20);
  expect(onTopic(system, 'home/availability')).toEqual(['online']);
  expect(onTopic(system, 'away/availability')).toEqual(['offline']);
  expect(sentences(system)).toEqual(['reading failed; the last values are kept']);
});

test('paths that have all ended are asked again every six hours, and told once', async () => {
  const system = await wiredSystem(TEN);
  system.simulator.control({ command: 'retire_v1', on: true });
  await system.start();
  await system.time.pass(MINUTE_MS);
  expect(system.calls().length).toBeLessThanOrEqual(FEATURES.length);
  await system.time.pass(DAY_MS);
  expect(system.calls().length).toBeLessThanOrEqual(5 * FEATURES.length);
  expect(system.calls().every(({ status }) => status === 410)).toBe(true);
  expect(warnings(system)).toHaveLength(1);
  expect(JSON.stringify(warnings(system))).toContain('instead');
});
