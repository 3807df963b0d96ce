import { describe, expect, test } from 'vitest';
import { started } from '../../support/schedules/writing.ts';
import { CANARY, CANARY_TOPIC, FEW, heardInPoll, polled, published } from '../../support/system/outcome.ts';
import type { VirtualTestSystem } from '../../support/system/virtualTestSystem.ts';

describe('what the platform no longer has', () => {
  const GONE = 'heating.circuits.0.heating.curve';
  const ROOT = 'heating2mqtt/home/heating/circuits/0/heating/curve/';
  const left = (system: VirtualTestSystem) => [...system.onBroker.keys()].filter((topic) => topic.startsWith(ROOT));

  test.each(['while the bridge runs', 'while it does not'])('is cleared after three complete reads: removed %s', async (when) => {
    const system = await started({ ...FEW, overrides: { poll: { gone_after_h: 0 } } });
    if (when === 'while it does not') await system.stopApp();
    system.simulator.control({ command: 'remove_feature', feature: GONE });
    if (when === 'while it does not') {
      const from = system.recorder.heard.length;
      await system.restart();
      await published(system, from);
    } else await heardInPoll(system);
    expect(left(system).length).toBeGreaterThan(2);
    await heardInPoll(system);
    await heardInPoll(system);
    expect(left(system)).toEqual([]);
    const log = system.logged.filter(({ sentence }) => sentence.includes('no longer has'));
    expect(log).toMatchObject([{ facts: { features: [GONE] } }]);
  });

  test('is cleared although the bridge is started anew before each read', async () => {
    const system = await started({ ...FEW, overrides: { poll: { gone_after_h: 0 } } });
    system.simulator.control({ command: 'remove_feature', feature: GONE });
    for (let run = 0; run < 3; run += 1) {
      expect(left(system).length).toBeGreaterThan(2);
      await system.stopApp();
      const from = system.recorder.heard.length;
      await system.restart();
      await published(system, from);
      system.simulator.control({ command: 'set', feature: CANARY, property: 'value', value: run + 0.5 });
      await polled(system);
      await system.recorder.untilTopic(CANARY_TOPIC, String(run + 0.5), from);
    }
    await system.untilSo(() => left(system).length === 0);
  });

  test('is not cleared before its time', async () => {
    const system = await started();
    system.simulator.control({ command: 'remove_feature', feature: GONE });
    for (let n = 0; n < 4; n += 1) await heardInPoll(system);
    expect(left(system).length).toBeGreaterThan(2);
  });
});

test('one feature that the platform never has does not keep the document from following the settings', async () => {
  const features = ['heating.circuits.0.heating.schedule', 'heating.nothing'];
  const options = { device: { features }, overrides: { platform: { read: 'feature' as const } } };
  const system = await started(options);
  const [device] = system.settings.devices;
  if (!device) throw new Error('no device');
  const from = system.recorder.heard.length;
  await system.restart({ devices: [{ ...device, features: [...features, 'heating.dhw'] }] });
  await published(system, from);
  const isDocument = (topic: string): boolean => topic.startsWith('homeassistant/device/');
  await system.recorder.until(({ topic, payload }) => isDocument(topic) && payload.includes('heating2mqtt/home/heating/dhw/'), from);
});
