import { expect, onTestFinished, test } from 'vitest';
import { readTokens } from '../../../src/platform/auth/tokenFile.ts';
import { BRIDGE_RESULT, terminalFor } from '../../support/schedules/writing.ts';
import { valuesIn } from '../../support/system/database.ts';
import { logInAt } from '../../support/system/logInAt.ts';
import { published } from '../../support/system/outcome.ts';
import { startTestSystem, storeTokens, type TestSystem, type TestSystemOptions } from '../../support/system/testSystem.ts';

const AUTH = 'heating2mqtt/bridge/auth';
const SET = `${AUTH}/set`;
const ON: TestSystemOptions = { withoutTokens: true, overrides: { platform: { login_over_mqtt: true } } };

const start = async (options: TestSystemOptions = ON): Promise<TestSystem> => {
  const system = await startTestSystem(options);
  onTestFinished(() => system.close());
  return system;
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

const said = async (system: TestSystem, payload: string, retain = false) => {
  const from = system.recorder.heard.length;
  await system.recorder.publish(SET, payload, { retain });
  return terminalFor(system.recorder, SET, from, BRIDGE_RESULT);
};

const stateIs = (system: TestSystem, state: string) =>
  system.recorder.until(({ topic, payload }) => topic === AUTH && payload.includes(`"state":"${state}"`));

/** What the bridge itself has said, and kept in readable places. */
const told = (system: TestSystem): string => JSON.stringify([system.recorder.heard.filter(({ topic }) => topic !== SET), system.logged]);

test('the first login: the address shown, the address that came back, polls that work, and no code anywhere', async () => {
  const system = await start();
  const back = await logInAt(await shownUrl(system));
  expect(await said(system, back)).toMatchObject({ status: 'applied' });
  await stateIs(system, 'ok');
  await system.recorder.until(({ topic }) => topic.startsWith('heating2mqtt/home/heating/'));
  const tokens = await readTokens(system.settings.data_dir);
  expect(tokens?.login_id).toEqual(expect.any(String));
  expect(system.recorder.last(AUTH)).not.toContain('login_url');
  expect(told(system)).not.toContain(new URL(back).searchParams.get('code'));
  expect(told(system)).not.toContain(tokens?.access_token);
  expect(await said(system, back)).toMatchObject({ status: 'rejected', code: 'forbidden' });
});

test('a login begun before a restart is ended after it', async () => {
  const system = await start();
  const address = await shownUrl(system);
  const from = system.recorder.heard.length;
  await system.restart();
  expect(await shownUrl(system, from)).toBe(address);
  await published(system, from);
  expect(await said(system, await logInAt(address))).toMatchObject({ status: 'applied' });
});

test('each state is good for one attempt; what does not belong to it costs nothing', async () => {
  const system = await start();
  const address = await shownUrl(system);
  const secret = String(valuesIn(system.settings.data_dir, 'logins').get('pending')?.['code_verifier']);
  expect(secret.length).toBeGreaterThan(40);
  for (const wrong of ['hello', 'http://localhost:4200/?code=abc', 'http://localhost:4200/?code=abc&state=other'])
    expect(await said(system, wrong)).toMatchObject({ status: 'rejected', code: 'invalid' });
  const state = new URL(address).searchParams.get('state');
  const from = system.recorder.heard.length;
  expect(await said(system, `http://localhost:4200/?code=guessed&state=${state}`)).toMatchObject({
    status: 'failed',
    code: 'login_failed',
  });
  const second = await shownUrl(system, from, address);
  expect(await said(system, await logInAt(address))).toMatchObject({ status: 'rejected', code: 'invalid' });
  expect(await said(system, await logInAt(second))).toMatchObject({ status: 'applied' });
  expect(told(system)).not.toContain(secret);
});

test('a refresh token that the platform refuses ends in a login address; the same person is taken', async () => {
  const system = await start();
  expect(await said(system, await logInAt(await shownUrl(system)))).toMatchObject({ status: 'applied' });
  await stateIs(system, 'ok');
  const from = system.recorder.heard.length;
  system.simulator.control({ command: 'revoke_refresh_tokens' });
  system.simulator.control({ command: 'expire_tokens' });
  await system.recorder.publish('heating2mqtt/bridge/poll/set', 'x');
  const again = await shownUrl(system, from);
  expect(await said(system, await logInAt(again))).toMatchObject({ status: 'applied' });
});

test('a retained address is not taken', async () => {
  const system = await start();
  const back = await logInAt(await shownUrl(system));
  await system.stopApp();
  await system.recorder.publish(SET, back, { retain: true });
  const from = system.recorder.heard.length;
  await system.restart();
  expect(await terminalFor(system.recorder, SET, from, BRIDGE_RESULT)).toMatchObject({ status: 'rejected', code: 'retained' });
  expect(await readTokens(system.settings.data_dir)).toBeUndefined();
});

test('without the setting no address is shown and none is taken', async () => {
  const system = await start({ withoutTokens: true });
  await stateIs(system, 'login_needed');
  expect(await said(system, 'http://localhost:4200/?code=a&state=b')).toMatchObject({ status: 'rejected', code: 'forbidden' });
  expect(system.recorder.last(AUTH)).not.toContain('login_url');
});

test.each([
  ['en', 'parents', '`heating2mqtt login --account parents`'],
  ['de', 'parents', '`heating2mqtt login --account parents`'],
  ['en', false, 'on the page of the worker that serves this account'],
  ['de', false, 'auf der Seite des Workers, der dieses Konto bedient'],
] as const)('the answer in the language %s to the account %s says where to log in', async (language, account, where) => {
  const system = await start({ withoutTokens: true, overrides: { language, account } });
  await stateIs(system, 'login_needed');
  expect(await said(system, 'x')).toMatchObject({ code: 'forbidden', message: expect.stringContaining(where) });
  const auth = JSON.parse(system.recorder.last(AUTH) ?? '');
  expect(auth.message).toContain(where);
});

test('a poll is answered by what it needs while there is no login, and takes one up that was just made', async () => {
  const system = await start({ withoutTokens: true });
  await stateIs(system, 'login_needed');
  const poll = async () => {
    const from = system.recorder.heard.length;
    await system.recorder.publish('heating2mqtt/bridge/poll/set', 'x');
    return terminalFor(system.recorder, 'heating2mqtt/bridge/poll/set', from, BRIDGE_RESULT);
  };
  expect(await poll()).toMatchObject({ status: 'failed', code: 'login_needed', message: expect.stringContaining('bridge/auth') });
  await storeTokens(system.settings.data_dir, system.simulator);
  expect(await poll()).toMatchObject({ status: 'applied' });
  await system.recorder.until(({ topic }) => topic.startsWith('heating2mqtt/home/heating/'));
});
