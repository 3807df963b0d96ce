import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { check } from '../../../src/cli/check/check.ts';
import { checkHealth } from '../../../src/cli/check/checkHealth.ts';
import { loadSettings } from '../../../src/config/load.ts';
import { type Clock, systemClock } from '../../../src/shared/clock.ts';
import { emptyFolder } from '../cli/inProcess.ts';
import { published } from './outcome.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from './testSystem.ts';
import { untilSo } from './untilSo.ts';

/** `heating2mqtt check` with these settings: its exit code and what it says. */
export const checked = (settings: object, health = false) => {
  const file = join(emptyFolder(), 'settings.yaml');
  writeFileSync(file, JSON.stringify(settings));
  return checkedWith(file, health);
};

/** The same with this settings file. */
export const checkedWith = async (file: string, health = false) => {
  const said: string[] = [];
  const say = (text: string): void => void said.push(text);
  const io = { env: {}, out: say, err: say, isTTY: false };
  const sources = { file, env: {}, cwd: dirname(file) };
  const code = health ? await checkHealth(sources, io) : await check(loadSettings(sources), { devices: false }, io);
  const failed = said.filter((line) => line.startsWith('FAIL'));
  return { code, failed: failed.join('\n'), text: said.join('\n') };
};

/** A clock that goes `speed` times as fast as the machine's, and can be advanced. */
export const advanceableClock = (speed = 1) => {
  let aheadMs = 0;
  const clock: Clock = { ...systemClock, elapsedMs: () => systemClock.elapsedMs() * speed + aheadMs };
  const pass = (ms: number): void => {
    aheadMs += ms;
  };
  return { clock, pass };
};

/** Time passes, and the broker is there all the while: the client has had a packet. */
export const passBesideBroker = async ({ app, recorder }: TestSystem, pass: (ms: number) => void, ms: number): Promise<void> => {
  pass(ms);
  await recorder.publish('heating2mqtt/bridge/republish/set', 'now');
  await untilSo(() => app.status().stalled_s * 1000 < ms / 2);
};

/** A test system whose clock can be advanced, with everything known at the start on the broker. */
export const startAdvanceable = async (options: TestSystemOptions = {}) => {
  const { clock, pass } = advanceableClock();
  const system = await startTestSystem({ clock, overrides: { poll: { seconds: 60 } }, ...options });
  onTestFinished(() => system.close());
  await published(system);
  return { system, pass: (ms: number) => passBesideBroker(system, pass, ms) };
};
