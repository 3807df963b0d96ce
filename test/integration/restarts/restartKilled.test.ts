import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import type { Simulator } from '../../../src/simulator/simulator.ts';
import { chance, IS_LONG } from '../../support/chance.ts';
import { expectRight, FEATURES, runOnce } from '../../support/system/brokerAfterKills.ts';
import { processSystem } from '../../support/system/processSystem.ts';

const random = chance('killed under changing settings');
const of = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

/** Something happens in the test system. */
const perturb = (simulator: Simulator): void => {
  for (const feature of FEATURES) {
    const value = Math.round(random() * 1000) / 10;
    simulator.control(
      of([
        { command: 'set', feature, value },
        { command: 'remove_value', feature },
        { command: 'disable_feature', feature },
      ]),
    );
    simulator.control({ command: of(['restore_feature', 'disable_feature']), feature });
  }
};

const RUNS = IS_LONG ? 30 : 3;

test('killed often at any moment, under changing settings: afterwards every topic is right and none is left over', async () => {
  const system = await processSystem({ overrides: { poll: { seconds: 1 } } });
  const { settings, simulator, recorder } = system;
  const [device] = settings.devices;
  if (!device) throw new Error('no device');
  for (let run = 0; run < RUNS; run += 1) {
    const changed = {
      ...device,
      name: of(['home', 'home', 'haus']),
      exclude: of([[], [], ['heating.circuits.0.heating.schedule'], ['*.circuits.*']]),
    };
    const bridge = system.start({ settings: { devices: [changed] } });
    perturb(simulator);
    // Half of them die in the midst of publishing: with the n-th message that is heard.
    let left = run % 2 === 0 ? random() * 250 : Number.POSITIVE_INFINITY;
    const heard = recorder.until(() => left-- <= 0, recorder.heard.length, 5000).catch(() => undefined);
    await Promise.race([heard, sleep(run % 2 === 0 ? 1500 : random() * 1200)]);
    await bridge.end('SIGKILL');
  }
  // What a killed run said last may still be on its way: its health report is not the one to wait for.
  await recorder.caughtUp();
  await runOnce(system);
  await expectRight(system);
});
