import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { openPlatform } from '../../../src/app.ts';
import { readTokens } from '../../../src/platform/auth/tokenFile.ts';
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
  const guard = {
    ...{ beforeWrite: nothing, beforeRead: nothing, beforeAnswer: nothing, mayLeave: () => true },
    follower: { opened: () => undefined, committed: () => void copied.push(held()), closing: () => undefined },
  };
  const calls = { onCall: () => undefined, mayRepeat: () => true, onClock: () => undefined };
  const settings = testSettings(simulator, 'mqtt://127.0.0.1:1', dir);
  const { tokens, close } = openPlatform(settings, recordingLog([]), systemClock, calls, guard);
  onTestFinished(close);
  return { simulator, held, copied, tokens, close };
};

test('a refresh token that the platform has replaced is copied at once, also where the login was in order before', async () => {
  const { held, copied, tokens } = await inFleet();
  const before = held();
  await tokens.accessToken();
  await expect.poll(() => copied.at(-1)).toEqual(expect.any(String));
  expect(copied.at(-1)).not.toBe(before);
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
