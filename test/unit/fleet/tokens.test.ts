import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openPlatform } from '../../../src/app.ts';
import { areTokens, readTokens } from '../../../src/platform/auth/tokenFile.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { recordingLog, storeTokens, tempDir, testSettings } from '../../support/system/testSystem.ts';

/** The platform of an account in a fleet, whose access token ends within five minutes, so that it is renewed while it still works. */
const inFleet = async () => {
  const simulator = await startSimulator({ rotateRefreshTokens: true });
  const dir = tempDir();
  onTestFinished(async () => {
    rmSync(dir, { recursive: true, force: true });
    await simulator.close();
  });
  await storeTokens(dir, simulator, undefined, Date.now() - 3_500_000);
  const held = (): string | undefined => readTokens(dir)?.refresh_token;
  const copied: (string | undefined)[] = [];
  const nothing = async (): Promise<void> => undefined;
  const unstored: (string | undefined)[] = [];
  const tokensChanged = (tokens: string | undefined): void => {
    copied.push(held());
    unstored.push(tokens);
  };
  const guard = {
    ...{ beforeWrite: nothing, beforeRead: nothing, beforeAnswer: nothing, mayLeave: () => true, tokensChanged },
    follower: { opened: () => undefined, committed: () => undefined, behind: () => undefined, closing: () => undefined },
  };
  const calls = { onCall: () => undefined, mayRepeat: () => true, onClock: () => undefined };
  const settings = testSettings(simulator, 'mqtt://127.0.0.1:1', dir);
  const { tokens, close } = openPlatform(settings, recordingLog([]), systemClock, calls, guard);
  onTestFinished(close);
  return { simulator, dir, held, copied, unstored, tokens, close };
};

test('a refresh token that the platform has replaced is copied at once, also where the login was in order before', async () => {
  const { held, copied, tokens } = await inFleet();
  const before = held();
  await tokens.accessToken();
  await expect.poll(() => copied.at(-1)).toEqual(expect.any(String));
  expect(copied.at(-1)).not.toBe(before);
});

test('a refresh token that the disk does not take is copied, until the disk takes it', async () => {
  const { dir, held, unstored, tokens } = await inFleet();
  const before = held();
  // No file can have this name.
  mkdirSync(join(dir, 'tokens.json.part', 'x'), { recursive: true });
  await tokens.accessToken();
  await expect.poll(() => unstored.at(-1)).toEqual(expect.any(String));
  const copied: { refresh_token?: string } = JSON.parse(unstored.at(-1) ?? '{}');
  expect([held() === before, copied.refresh_token === before, areTokens(unstored.at(-1) ?? '')]).toEqual([true, false, true]);
  rmSync(join(dir, 'tokens.json.part'), { recursive: true });
  tokens.ensureStored();
  expect([unstored.at(-1), held()]).toEqual([undefined, copied.refresh_token]);
});

test('a login that is stored after tokens that the disk did not take is copied in their place', async () => {
  const { simulator, dir, held, copied, unstored, tokens } = await inFleet();
  mkdirSync(join(dir, 'tokens.json.part', 'x'), { recursive: true });
  await tokens.accessToken();
  await expect.poll(() => unstored.at(-1)).toEqual(expect.any(String));
  rmSync(join(dir, 'tokens.json.part'), { recursive: true });
  const before = held();
  await storeTokens(dir, simulator);
  tokens.takeUp();
  expect([unstored.at(-1), copied.at(-1) === before, copied.at(-1) === held()]).toEqual([undefined, false, true]);
});

test('a hand-over waits some seconds for the answer to a renewal, so that the login moves with it', async () => {
  const { simulator, held, copied, tokens, close } = await inFleet();
  const before = held();
  simulator.control({ command: 'fault', match: { path: '/token' }, delayMs: 4000 });
  await tokens.accessToken();
  await expect.poll(() => simulator.calls().filter(({ path }) => path.endsWith('/token')).length).toBe(1);
  await close();
  expect([held() === before, copied.at(-1) === held()]).toEqual([false, true]);
});
