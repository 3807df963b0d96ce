import { expect, test } from 'vitest';
import { deviceWith, lastOn, poll, startAgain, startWired, warnings } from '../../support/system/wired.ts';

const TOKEN = '/token';

/** A bridge whose token is renewed, with an answer of the identity service that has these members, as JSON texts. */
const renewedWith = async (members: Readonly<Record<string, string | undefined>>) => {
  const system = await startWired({
    devices: [deviceWith('heating.circuits.0.heating.schedule')],
    simulator: { rotateRefreshTokens: false },
  });
  const { simulator } = system;
  simulator.control({ command: 'expire_tokens' });
  const given = simulator.issueTokens('IoT User offline_access');
  const usual = { access_token: JSON.stringify(given.access_token), refresh_token: JSON.stringify(given.refresh_token) };
  const texts = Object.entries({ ...usual, token_type: '"Bearer"', expires_in: '3600', ...members });
  const body = `{${texts.flatMap(([name, text]) => (text === undefined ? [] : [`"${name}":${text}`])).join(',')}}`;
  simulator.control({ command: 'fault', status: 200, contentType: 'application/json', body, times: 1, match: { path: TOKEN } });
  await poll(system);
  const sentRefresh = (): readonly (string | null)[] =>
    simulator.calls().flatMap(({ path, body }) => (path.includes(TOKEN) ? [new URLSearchParams(body).get('refresh_token')] : []));
  return { system, given: given.refresh_token, sentRefresh };
};

/** The next renewal, after a restart, sends this refresh token, and the bridge reads on. */
const goesOnWith = async ({ system, sentRefresh }: Awaited<ReturnType<typeof renewedWith>>, refreshToken: string | null | undefined) => {
  await startAgain(system);
  system.simulator.control({ command: 'expire_tokens' });
  const before = sentRefresh().length;
  await poll(system);
  expect(system.calls().at(-1)).toMatchObject({ method: 'GET', status: 200 });
  expect(sentRefresh().slice(before)).toEqual([refreshToken]);
  expect(JSON.parse(lastOn(system, 'heating2mqtt/bridge/auth') ?? '{}')).toMatchObject({ state: 'ok', message: 'Logged in.' });
  expect(warnings(system)).toEqual([]);
};

test.each(['8.6e12', '8.64e15', '1e308', '1e999', '-1', '0', '0.001', '"NaN"', '"8.6e12"', '""', 'null', 'true', '[]', '{}'])(
  'tokens that last %s seconds are stored, and the rotated refresh token is sent next',
  async (expires_in) => {
    const renewed = await renewedWith({ expires_in });
    await goesOnWith(renewed, renewed.given);
  },
);

test.each([
  ['missing', undefined],
  ['empty', '""'],
  ['null', 'null'],
  ['a number', '7'],
  ['a list', '[]'],
])('a token answer whose refresh_token is %s keeps the one before', async (_, refresh_token) => {
  const renewed = await renewedWith({ refresh_token });
  const [before] = renewed.sentRefresh();
  expect(before).not.toBe(renewed.given);
  await goesOnWith(renewed, before);
});

test.each([
  ['a scope that is no text', { scope: '7' }],
  ['an ID token that is none', { id_token: '{}' }],
])('a token answer with %s is taken all the same', async (_, members) => {
  const renewed = await renewedWith(members);
  await goesOnWith(renewed, renewed.given);
});
