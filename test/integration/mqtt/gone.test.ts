import { describe, expect, onTestFinished, test } from 'vitest';
import { ALL, CANARY, CANARY_TOPIC, heardInPoll, polled, published } from '../../support/system/outcome.ts';
import { retainedOn } from '../../support/system/retainedTopics.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../support/system/testSystem.ts';

const start = async (options: TestSystemOptions = ALL): Promise<TestSystem> => {
  const house = await startTestSystem(options);
  onTestFinished(() => house.close());
  await published(house);
  return house;
};

describe('what the platform no longer has', () => {
  const GONE = 'heating.circuits.0.heating.curve';
  const ROOT = 'heating2mqtt/home/heating/circuits/0/heating/curve/';
  const left = async (house: TestSystem) => [...(await retainedOn(house.broker.url)).keys()].filter((topic) => topic.startsWith(ROOT));

  test.each(['while the bridge runs', 'while it does not'])('is cleared after three complete reads: removed %s', async (when) => {
    const house = await start({ ...ALL, overrides: { poll: { gone_after_h: 0 } } });
    if (when === 'while it does not') await house.stopApp();
    house.simulator.control({ command: 'remove_feature', feature: GONE });
    if (when === 'while it does not') {
      const from = house.recorder.heard.length;
      await house.restart();
      await published(house, from);
    } else await heardInPoll(house);
    expect((await left(house)).length).toBeGreaterThan(2);
    await heardInPoll(house);
    await heardInPoll(house);
    expect(await left(house)).toEqual([]);
    const log = house.logged.filter(({ sentence }) => sentence.includes('no longer has'));
    expect(log).toMatchObject([{ facts: { features: [GONE] } }]);
  });

  test('is cleared although the bridge is started anew before each read', async () => {
    const house = await start({ ...ALL, overrides: { poll: { gone_after_h: 0 } } });
    house.simulator.control({ command: 'remove_feature', feature: GONE });
    for (let run = 0; run < 3; run += 1) {
      expect((await left(house)).length).toBeGreaterThan(2);
      await house.stopApp();
      const from = house.recorder.heard.length;
      await house.restart();
      await published(house, from);
      house.simulator.control({ command: 'set', feature: CANARY, property: 'value', value: run + 0.5 });
      await polled(house);
      await house.recorder.untilTopic(CANARY_TOPIC, String(run + 0.5), from);
    }
    await expect.poll(() => left(house)).toEqual([]);
  });

  test('is not cleared before its time', async () => {
    const house = await start();
    house.simulator.control({ command: 'remove_feature', feature: GONE });
    for (let n = 0; n < 4; n += 1) await heardInPoll(house);
    expect((await left(house)).length).toBeGreaterThan(2);
  });
});

test('one feature that the platform never has does not keep the document from following the settings', async () => {
  const features = ['heating.circuits.0.heating.schedule', 'heating.nothing'];
  const options = { device: { features }, overrides: { platform: { read: 'feature' as const } } };
  const house = await start(options);
  const topic = `homeassistant/device/heating2mqtt_${house.simulator.gateway}_0/config`;
  const [device] = house.settings.devices;
  if (!device) throw new Error('no device');
  const from = house.recorder.heard.length;
  await house.restart({ devices: [{ ...device, features: [...features, 'heating.dhw'] }] });
  await published(house, from);
  expect(house.recorder.last(topic)).toContain('heating2mqtt/home/heating/dhw/');
});
