import { expect, onTestFinished, test } from 'vitest';
import { readTokens, writeTokens } from '../../../src/platform/auth/tokenFile.ts';
import { BRIDGE_RESULT, terminalFor } from '../../support/schedules/writing.ts';
import { valuesIn } from '../../support/system/database.ts';
import { published } from '../../support/system/outcome.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../support/system/testSystem.ts';

const AUTH = 'heating2mqtt/bridge/auth';
const SET = `${AUTH}/set`;
const ON: TestSystemOptions = { withoutTokens: true, overrides: { platform: { login_over_mqtt: true } } };

const start = async (options: TestSystemOptions = ON): Promise<TestSystem> => {
  const house = await startTestSystem(options);
  onTestFinished(() => house.close());
  return house;
};

/** The login address that the bridge shows, another one than `before`. */
const shownUrl = async ({ recorder }: TestSystem, from = 0, before?: string): Promise<string> => {
  const urlIn = (payload: string): string | undefined => JSON.parse(payload || '{}').login_url;
  const fits = ({ topic, payload }: { topic: string; payload: string }) => {
    const url = topic === AUTH ? urlIn(payload) : undefined;
    return url !== undefined && url !== before;
  };
  const { payload } = await recorder.until(fits, from);
  return urlIn(payload) ?? '';
};

/** What a person does with the login page; gives the address to which the platform sends the browser. */
const logIn = async (address: string): Promise<string> => {
  const body = new URLSearchParams({ username: 'someone', password: 'secret', action: 'allow' });
  const answer = await fetch(address, { method: 'POST', body, redirect: 'manual' });
  return answer.headers.get('location') ?? '';
};

const said = async (house: TestSystem, payload: string, retain = false) => {
  const from = house.recorder.heard.length;
  await house.recorder.publish(SET, payload, { retain });
  return terminalFor(house.recorder, SET, from, BRIDGE_RESULT);
};

const stateIs = (house: TestSystem, state: string) =>
  house.recorder.until(({ topic, payload }) => topic === AUTH && payload.includes(`"state":"${state}"`));

/** What the bridge itself has said, and kept in readable places. */
const told = (house: TestSystem): string => JSON.stringify([house.recorder.heard.filter(({ topic }) => topic !== SET), house.logged]);

test('the first login: the address shown, the address that came back, polls that work, and no code anywhere', async () => {
  const house = await start();
  const back = await logIn(await shownUrl(house));
  expect(await said(house, back)).toMatchObject({ status: 'applied' });
  await stateIs(house, 'ok');
  await house.recorder.until(({ topic }) => topic.startsWith('heating2mqtt/home/heating/'));
  const tokens = await readTokens(house.settings.data_dir);
  expect(tokens?.login_id).toEqual(expect.any(String));
  expect(house.recorder.last(AUTH)).not.toContain('login_url');
  expect(told(house)).not.toContain(new URL(back).searchParams.get('code'));
  expect(told(house)).not.toContain(tokens?.access_token);
  expect(await said(house, back)).toMatchObject({ status: 'rejected', code: 'forbidden' });
});

test('a login begun before a restart is ended after it', async () => {
  const house = await start();
  const address = await shownUrl(house);
  const from = house.recorder.heard.length;
  await house.restart();
  expect(await shownUrl(house, from)).toBe(address);
  await published(house, from);
  expect(await said(house, await logIn(address))).toMatchObject({ status: 'applied' });
});

test('each state is good for one attempt; what does not belong to it costs nothing', async () => {
  const house = await start();
  const address = await shownUrl(house);
  const secret = String(valuesIn(house.settings.data_dir, 'logins').get('pending')?.['code_verifier']);
  expect(secret.length).toBeGreaterThan(40);
  for (const wrong of ['hello', 'http://localhost:4200/?code=abc', 'http://localhost:4200/?code=abc&state=other'])
    expect(await said(house, wrong)).toMatchObject({ status: 'rejected', code: 'invalid' });
  const state = new URL(address).searchParams.get('state');
  const from = house.recorder.heard.length;
  expect(await said(house, `http://localhost:4200/?code=guessed&state=${state}`)).toMatchObject({ status: 'failed', code: 'login_failed' });
  const second = await shownUrl(house, from, address);
  expect(await said(house, await logIn(address))).toMatchObject({ status: 'rejected', code: 'invalid' });
  expect(await said(house, await logIn(second))).toMatchObject({ status: 'applied' });
  expect(told(house)).not.toContain(secret);
});

const ended = (login_id?: string) => ({ access_token: 'old', expires_at: 1, scope: '', consent_at: 1, ...(login_id ? { login_id } : {}) });

test.each([
  ['somebody else', ended('somebody@example.com')],
  ['nobody knows who', ended()],
])('before the login %s was logged in: it is not taken, and the tokens stay', async (_, before) => {
  const house = await start();
  await shownUrl(house);
  await writeTokens(house.settings.data_dir, before);
  const from = house.recorder.heard.length;
  const address = await shownUrl(house);
  expect(await said(house, await logIn(address))).toMatchObject({ status: 'rejected', code: 'forbidden' });
  expect(await readTokens(house.settings.data_dir)).toEqual(before);
  await shownUrl(house, from, address);
});

test('a refresh token that the platform refuses ends in a login address; the same person is taken', async () => {
  const house = await start();
  expect(await said(house, await logIn(await shownUrl(house)))).toMatchObject({ status: 'applied' });
  await stateIs(house, 'ok');
  const from = house.recorder.heard.length;
  house.simulator.control({ command: 'revoke_refresh_tokens' });
  house.simulator.control({ command: 'expire_tokens' });
  await house.recorder.publish('heating2mqtt/bridge/poll/set', 'x');
  const again = await shownUrl(house, from);
  expect(await said(house, await logIn(again))).toMatchObject({ status: 'applied' });
});

test('a retained address is not taken', async () => {
  const house = await start();
  const back = await logIn(await shownUrl(house));
  await house.stopApp();
  await house.recorder.publish(SET, back, { retain: true });
  const from = house.recorder.heard.length;
  await house.restart();
  expect(await terminalFor(house.recorder, SET, from, BRIDGE_RESULT)).toMatchObject({ status: 'rejected', code: 'retained' });
  expect(await readTokens(house.settings.data_dir)).toBeUndefined();
});

test('without the setting no address is shown and none is taken', async () => {
  const house = await start({ withoutTokens: true });
  await stateIs(house, 'login_needed');
  expect(await said(house, 'http://localhost:4200/?code=a&state=b')).toMatchObject({ status: 'rejected', code: 'forbidden' });
  expect(house.recorder.last(AUTH)).not.toContain('login_url');
});
