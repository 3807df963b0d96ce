import { mkdirSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type PageLogin, pageLogin } from '../../../src/platform/auth/pageLogin.ts';
import { readTokens, tokenFile, tokenPath, updateTokens } from '../../../src/platform/auth/tokenFile.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { logInAt } from '../../support/system/logInAt.ts';
import { recordingLog, tempDir } from '../../support/system/testSystem.ts';

let simulator: Simulator;
let dataDir: string;
let nowMs: number;
let logged: { level: string; facts: object; sentence: string }[];
let login: PageLogin;

beforeEach(async () => {
  simulator = await startSimulator();
  dataDir = tempDir();
  nowMs = 0;
  logged = [];
  const clock = { now: Date.now, elapsedMs: () => nowMs };
  login = pageLogin({ store: tokenFile(dataDir), account: 'parents', clock, log: recordingLog(logged), onCall: () => undefined });
});
afterEach(async () => {
  await simulator.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const settings = (other: { readonly client_id?: string } = {}) => ({
  profile: 'v2' as const,
  base_url: simulator.url,
  auth_url: simulator.url,
  client_id: 'heating2mqtt-demo',
  redirect_uri: 'http://localhost:4200/',
  scope: 'IoT User offline_access',
  timeout_s: 5,
  ...other,
});

const begun = async (): Promise<string> => (await login.begin(settings())).address;

test('the first login is taken, and its code is nowhere', async () => {
  const { address, seconds } = await login.begin(settings());
  expect([seconds, login.secondsLeft, login.last]).toEqual([600, 600, undefined]);
  const back = await logInAt(address);
  expect(await login.finish(back)).toEqual({ status: 'applied', message: 'logged in' });
  expect([login.secondsLeft, login.last?.status]).toEqual([undefined, 'applied']);
  const tokens = readTokens(dataDir);
  expect(tokens?.login_id).toEqual(expect.any(String));
  expect(JSON.stringify(logged)).not.toContain(new URL(back).searchParams.get('code'));
  expect(JSON.stringify(logged)).not.toContain(tokens?.access_token);
});

test('the query alone ends it too, as it comes to the address of the page', async () => {
  const back = await logInAt(await begun());
  expect(await login.finish(new URL(back).search)).toMatchObject({ status: 'applied' });
});

test('a state counts once', async () => {
  const back = await logInAt(await begun());
  await login.finish(back);
  const tokens = readTokens(dataDir);
  expect(await login.finish(back)).toMatchObject({ status: 'rejected', code: 'no_login' });
  expect(readTokens(dataDir)).toEqual(tokens);
});

test('a state counts for ten minutes', async () => {
  const back = await logInAt(await begun());
  nowMs = 599_999;
  expect(login.secondsLeft).toBe(1);
  nowMs = 600_000;
  expect(login.secondsLeft).toBeUndefined();
  expect(await login.finish(back)).toMatchObject({
    status: 'rejected',
    code: 'no_login',
    message: expect.stringContaining('Start it again'),
  });
  expect(readTokens(dataDir)).toBeUndefined();
});

test.each(['hello', '', 'http://localhost:4200/?code=abc', 'http://localhost:4200/?code=abc&state=other', '?error=access_denied&state='])(
  'what does not belong to the login costs nothing: %j',
  async (text) => {
    const address = await begun();
    expect(await login.finish(text)).toMatchObject({ status: 'rejected', code: 'invalid' });
    expect(login.last).toBeUndefined();
    expect(await login.finish(await logInAt(address))).toMatchObject({ status: 'applied' });
  },
);

test('a login that is begun again takes the place of the one before, and only its state counts', async () => {
  const first = await begun();
  const second = await begun();
  expect(await login.finish(await logInAt(first))).toMatchObject({ status: 'rejected', code: 'invalid' });
  expect(await login.finish(await logInAt(second))).toMatchObject({ status: 'applied' });
});

test('a denied login says so, and nothing was changed', async () => {
  expect(await login.finish(await logInAt(await begun(), 'deny'))).toMatchObject({
    status: 'failed',
    message: expect.stringContaining('denied'),
  });
  expect(readTokens(dataDir)).toBeUndefined();
});

test('what the platform refuses to the account is told by its code, for which the page has a sentence', async () => {
  const back = await logInAt(await begun());
  simulator.control({ command: 'fault', kind: 'not_paid', match: { path: '/users/' } });
  expect(await login.finish(back)).toMatchObject({ status: 'failed', code: 'not_paid', message: expect.stringContaining('402') });
});

test('where no call is left, it is told until when', async () => {
  const back = await logInAt(await begun());
  simulator.control({ command: 'fault', kind: 'rate_limited', match: { path: '/users/' } });
  const { code, facts } = await login.finish(back);
  expect([code, Date.parse(facts?.until ?? '') > Date.now()]).toEqual(['rate_limited', true]);
});

describe('who may log in', () => {
  test('the same person again', async () => {
    await login.finish(await logInAt(await begun()));
    const before = readTokens(dataDir);
    expect(await login.finish(await logInAt(await begun()))).toMatchObject({ status: 'applied' });
    expect(readTokens(dataDir)?.access_token).not.toBe(before?.access_token);
  });
  test.each([
    ['nobody else', 'somebody@else.test', 'not the account of the previous login'],
    ['nobody where it is not known who it was', undefined, 'not known, so'],
  ])('%s', async (_, loginId, sentence) => {
    await login.finish(await logInAt(await begun()));
    updateTokens(dataDir, (held) => held && { ...held, login_id: loginId });
    const before = readTokens(dataDir);
    expect(await login.finish(await logInAt(await begun()))).toMatchObject({
      status: 'rejected',
      code: 'forbidden',
      message: expect.stringMatching(`${sentence}.* Run \`heating2mqtt login --account parents\` on the machine of the bridge instead\\.$`),
      facts: { command: 'heating2mqtt login --account parents' },
    });
    expect(readTokens(dataDir)).toEqual(before);
  });
});

test('the login page is asked before anyone is sent there', async () => {
  await expect(login.begin(settings({ client_id: 'nobody' }))).rejects.toThrow('does not know the client nobody');
  expect(login.secondsLeft).toBeUndefined();
});

test('a login that cannot be stored, as on a full disk, says so, and the next one is taken', async () => {
  const inTheWay = `${tokenPath(dataDir)}.part`;
  mkdirSync(inTheWay);
  expect(await login.finish(await logInAt(await begun()))).toMatchObject({
    status: 'failed',
    code: 'not_stored',
    message: expect.stringMatching(/cannot be stored in .*Free disk space/),
  });
  rmSync(inTheWay, { recursive: true });
  expect(await login.finish(await logInAt(await begun()))).toMatchObject({ status: 'applied' });
});
