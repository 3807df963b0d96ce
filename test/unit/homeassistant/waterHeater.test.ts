import { describe, expect, it } from 'vitest';
import { compositesOf } from '../../../src/features/composites/compositesOf.ts';
import { componentsOf } from '../../../src/homeassistant/documents/publishedDocument.ts';
import { compositeMessages } from '../../../src/topics/featureState.ts';
import { allDevices } from '../../support/devices/deviceFiles.ts';
import { deviceDocument } from '../../support/devices/onePage.ts';

const WHERE = { base: 'b', prefix: 'homeassistant', version: '1' };

describe('the mode of hot water, of every device', () => {
  const heaters = allDevices().flatMap(({ name, gateway, device, features }) => {
    const { payload } = deviceDocument(WHERE, { name: 'home', installation: '1', gateway, device }, features);
    const heater = componentsOf(payload).get('heating_dhw_water_heater');
    const composites = compositesOf(new Map(features.map((one) => [one.name, one])), () => ({}));
    const shown = new Map(
      composites.flatMap((one) => compositeMessages('b', 'home', one)).map(({ topic, payload: value }) => [topic, value]),
    );
    return heater ? [{ name, heater, shown }] : [];
  });

  it('is listened to on a topic that shows one of the modes, or nothing: openHAB warns of all else', () => {
    for (const { name, heater, shown } of heaters) {
      const mode = shown.get(String(heater['mode_state_topic']));
      if (mode !== undefined) expect(heater['modes'], name).toContain(mode);
    }
  });

  it('is listened to everywhere: Home Assistant shows what has no topic for it as off', () => {
    expect(heaters.filter(({ heater }) => heater['mode_state_topic'] === undefined)).toEqual([]);
    const unknown = heaters.filter(({ heater, shown }) => !shown.has(String(heater['mode_state_topic'])));
    expect(unknown.map(({ name }) => name)).toEqual([]);
  });
});
