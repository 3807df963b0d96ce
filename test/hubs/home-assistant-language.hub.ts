import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CHOICE } from '../../src/homeassistant/templates.ts';
import { type Mosquitto, startMosquitto } from '../support/network/mosquitto.ts';
import { retainedOn } from '../support/system/retainedTopics.ts';
import { SCHEDULE_TOPIC, startTestSystem, type TestSystem } from '../support/system/testSystem.ts';
import { type Component, componentsIn } from './entities.ts';
import { type Hub, hasHomeAssistant, install, startHub } from './home-assistant-hub.ts';

const skip = hasHomeAssistant ? '' : ' (not tried: Home Assistant is not here)';

describe.skipIf(!hasHomeAssistant)(`the language of sensors${skip}`, () => {
  let mosquitto: Mosquitto;
  let hub: Hub;
  let system: TestSystem;
  const eventually = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 60_000, interval: 500 });

  beforeAll(async () => {
    await install();
    mosquitto = await startMosquitto();
    hub = await startHub(mosquitto.url);
    system = await startTestSystem({ brokerUrl: mosquitto.url, device: { features: ['*'] } });
  });
  afterAll(async () => {
    await system?.close();
    await hub?.stop();
    await mosquitto?.stop();
  });

  it('x', async () => {
    await eventually(async () => {
      const st = await hub.states();
      const found = [...st.values()].filter(({ entity_id: id, attributes }) => id.startsWith('sensor.') && attributes['device_class'] === 'enum');
      expect(found.filter(({ state }) => state === 'normal' || state === 'reduced').length).toBeGreaterThan(0);
    });
    console.log('1', [...(await hub.states()).values()].filter(({ attributes }) => attributes['device_class'] === 'enum').map((s) => `${s.entity_id}=${s.state}`));
    console.log('P', await hub.problems());
    await system.restart({ language: 'de' });
    await new Promise((r) => setTimeout(r, 20000));
    (await import('node:child_process')).execSync(`cp ${hub.configDir}/home-assistant.log* /tmp/lang-ha/ 2>/dev/null; ls ${hub.configDir} > /tmp/lang-ha/ls`);
    const kept = await retainedOn(mosquitto.url);
    console.log('D', [...kept].flatMap(([t, d]) => t.startsWith('homeassistant/device') ? componentsIn(d).filter((c: Component) => c['device_class'] === 'enum').map((c) => `${t} ${JSON.stringify(c['options'])}`) : []));
    console.log(SCHEDULE_TOPIC, kept.get(`${SCHEDULE_TOPIC}/now`), CHOICE);
    console.log('2', [...(await hub.states()).values()].filter(({ attributes }) => attributes['device_class'] === 'enum').map((s) => `${s.entity_id}=${s.state} ${JSON.stringify(s.attributes['options'])}`));
    console.log('P', (await hub.problems()).slice(0, 6000));
    console.log([...(await hub.states()).values()].filter((s)=>/status|program|mode/.test(s.entity_id)).map((s) => `${s.entity_id}=${s.state}`));
  });
});
