import { expect, onTestFinished, test } from 'vitest';
import { barrier } from '../../support/schedules/writing.ts';
import { restarted } from '../../support/system/outcome.ts';
import { startTestSystem } from '../../support/system/testSystem.ts';

const TOKEN = '/token';
const AUTH = 'heating2mqtt/bridge/auth';

/** A test system whose first token is refused, and whose identity service answers the renewal with these members, as JSON texts. */
const renewedWith = async (members: (refreshToken: string) => Readonly<Record<string, string | undefined>>) => {
  const given = { refresh: '' };
  const system = await startTestSystem({
    simulator: { rotateRefreshTokens: false },
    prepare: (simulator) => {
      const tokens = simulator.issueTokens('IoT User offline_access');
      given.refresh = tokens.refresh_token ?? '';
      const all = {
        access_token: JSON.stringify(tokens.access_token),
        refresh_token: JSON.stringify(tokens.refresh_token),
        token_type: '"Bearer"',
        expires_in: '3600',
        ...members(given.refresh),
      };
      const body = `{${Object.entries(all)
        .flatMap(([name, text]) => (text === undefined ? [] : [`"${name}":${text}`]))
        .join(',')}}`;
      simulator.control({ command: 'fault', status: 200, contentType: 'application/json', body, times: 1, match: { path: TOKEN } });
      simulator.control({ command: 'fault', kind: 'expired_token', times: 1, match: { path: '/features' } });
    },
  });
  onTestFinished(() => system.close());
  await system.recorder.untilTopic('heating2mqtt/home/availability', 'online');
  const sentRefresh = (): readonly (string | null)[] =>
    system.simulator.calls().flatMap(({ path, body }) => (path.includes(TOKEN) ? [new URLSearchParams(body).get('refresh_token')] : []));
  return { system, given, sentRefresh };
};

/** The next renewal, after a restart, sends this refresh token, and the bridge reads on. */
const goesOnWith = async ({ system, sentRefresh }: Awaited<ReturnType<typeof renewedWith>>, refreshToken: string | null | undefined) => {
  await restarted(system);
  system.simulator.control({ command: 'expire_tokens' });
  const before = system.simulator.calls().length;
  await system.recorder.publish('heating2mqtt/bridge/poll/set', 'now');
  await expect.poll(() => system.simulator.calls().slice(before).at(-1)).toMatchObject({ method: 'GET', status: 200 });
  await barrier(system);
  expect(sentRefresh().at(-1)).toBe(refreshToken);
  expect(JSON.parse(system.recorder.last(AUTH) ?? '{}')).toMatchObject({ state: 'ok', message: 'Logged in.' });
  expect(system.logged.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
};

test.each([
  '8.6e12',
  '8.64e15',
  '1e308',
  '1e999',
  '9007199254740993',
  '-1',
  '-1e308',
  '0',
  '0.001',
  '"NaN"',
  '"8.6e12"',
  '"soon"',
  '""',
  'null',
  'true',
  '[]',
  '{}',
])('tokens that last %s seconds are stored, and the rotated refresh token is sent next', async (expires_in) => {
  const renewed = await renewedWith(() => ({ expires_in }));
  await goesOnWith(renewed, renewed.given.refresh);
});

test.each([
  ['missing', undefined],
  ['empty', '""'],
  ['null', 'null'],
  ['a number', '7'],
  ['a list', '[]'],
])('a token answer whose refresh_token is %s keeps the one before', async (_, refresh_token) => {
  const renewed = await renewedWith(() => ({ refresh_token }));
  await goesOnWith(renewed, renewed.sentRefresh()[0]);
  expect(renewed.sentRefresh()[0]).not.toBe(renewed.given.refresh);
});

test.each([
  ['a scope that is no text', { scope: '7' }],
  ['an ID token that is none', { id_token: '{}' }],
])('a token answer with %s is taken all the same', async (_, members) => {
  const renewed = await renewedWith(() => members);
  await goesOnWith(renewed, renewed.given.refresh);
});
