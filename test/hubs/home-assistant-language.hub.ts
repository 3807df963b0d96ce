import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { allDevices } from '../support/devices/deviceFiles.ts';
import { deviceDocument } from '../support/devices/onePage.ts';
import { shownBy } from '../support/devices/shownStates.ts';
import { type Mosquitto, startMosquitto } from '../support/network/mosquitto.ts';
import { retainedOn } from '../support/system/retainedTopics.ts';
import { SCHEDULE_TOPIC, startTestSystem, type TestSystem } from '../support/system/testSystem.ts';
import { type Component, componentsIn } from './entities.ts';
import { endAll, type Hub, startHub } from './home-assistant-hub.ts';

const NOW = 'sensor.home_floor_heating_schedule_now';

/** The setting `language` in a real Home Assistant, changed while both run. */
describe('the language of states', { timeout: 300_000 }, () => {
  const started = new Date().toISOString();
  let mosquitto: Mosquitto;
  let hub: Hub;
  let system: TestSystem;
  const eventually = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 90_000, interval: 500 });

  /** The sensors and selects on the broker that show words, and what each has to show. */
  const wanted = async (): Promise<readonly (Component & { readonly shows: string })[]> => {
    const kept = await retainedOn(mosquitto.url);
    const sensors = [...kept]
      .filter(([topic]) => /^homeassistant\/device\/heating2mqtt_7/.test(topic))
      .flatMap(([, document]) => componentsIn(document))
      .filter(
        (one) =>
          /^(?:sensor|select)$/.test(one.platform) &&
          one['enabled_by_default'] !== false &&
          (one['device_class'] === 'enum' || String(one['value_template']).includes('.get(value')),
      );
    return sensors.map((one) => ({ ...one, shows: shownBy(String(one['value_template']), kept.get(String(one['state_topic'])) ?? '') }));
  };

  /** Each such sensor shows its word, and has only the options of its document. */
  const allShow = async (least: number): Promise<void> => {
    const [all, registered, states] = [await wanted(), await hub.registered(), await hub.states()];
    expect(all.length).toBeGreaterThanOrEqual(least);
    const shown = all.map(({ unique_id: id }) => states.get(registered.get(id)?.entity_id ?? ''));
    expect(shown.map((state) => state?.state)).toEqual(all.map(({ shows }) => (shows === 'None' ? 'unknown' : shows)));
    expect(shown.map((state) => state?.attributes['options'])).toEqual(all.map(({ options }) => options));
  };

  const entityIds = async (): Promise<object> =>
    Object.fromEntries([...(await hub.registered())].map(([id, { entity_id: entity }]): [string, string] => [id, entity]).sort());

  beforeAll(async () => {
    mosquitto = await startMosquitto();
    hub = await startHub(mosquitto.url, 'recorder:\n  commit_interval: 1\nhistory:\n');
    system = await startTestSystem({ brokerUrl: mosquitto.url, device: { features: ['*'] } });
    await eventually(async () => expect((await hub.states()).get(NOW)?.state).toMatch(/^(?:Normal|Reduced|Comfort)$/));
  });
  afterAll(() => endAll(system, hub, mosquitto));

  it('in German each sensor shows the German word, under the same id, without a word in the log', async () => {
    const before = await entityIds();
    const thermostats = async (): Promise<object> =>
      [...(await hub.states()).values()]
        .filter(({ entity_id: id }) => /^(?:climate|water_heater)\./.test(id))
        .map(({ state, attributes: { preset_mode: preset } }) => [state, preset]);
    await hub.call('climate.set_preset_mode', { entity_id: 'climate.home_floor', preset_mode: 'comfort' });
    await eventually(async () => expect((await hub.states()).get('climate.home_floor')?.attributes['preset_mode']).toBe('comfort'));
    const chosen = await thermostats();
    await system.restart({ language: 'de' });
    await eventually(async () => {
      expect((await hub.states()).get(NOW)?.state).toMatch(/^(?:Normal|Reduziert|Komfort)$/);
      await allShow(8);
    });
    expect(await entityIds()).toEqual(before);
    await eventually(async () => expect(await thermostats()).toEqual(chosen));
    expect(await hub.problems()).toBe('');
  });

  it('a new value is shown in German', async () => {
    await hub.call('mqtt.publish', { topic: `${SCHEDULE_TOPIC}/set`, payload: 'daily 00:00-24:00 comfort' });
    await eventually(async () => expect((await hub.states()).get(NOW)?.state).toBe('Komfort'));
    expect(await hub.problems()).toBe('');
  });

  it('an answer says in German why a change was refused', async () => {
    await hub.call('mqtt.publish', { topic: `${SCHEDULE_TOPIC}/set`, payload: 'mon 06:05-22:00 normal' });
    await eventually(async () =>
      expect((await hub.states()).get('event.home_answer')?.attributes).toMatchObject({
        ...{ event_type: 'rejected', code: 'invalid', message: '06:05 liegt nicht im Raster von 10 Minuten.' },
      }),
    );
  });

  it('back in English all is as before, and the history has both under one id', async () => {
    const before = await entityIds();
    await system.restart({ language: 'en' });
    await eventually(async () => {
      expect((await hub.states()).get(NOW)?.state).toBe('Comfort');
      await allShow(4);
    });
    expect(await entityIds()).toEqual(before);
    expect(await hub.problems()).toBe('');
    await eventually(async () => {
      const question = { type: 'history/history_during_period', start_time: started, entity_ids: [NOW], minimal_response: true };
      const rows: readonly { readonly s: string | null }[] = Object(await hub.ask(question))[NOW] ?? [];
      const seen = rows.map(({ s }) => s);
      expect(seen.indexOf('Komfort')).toBeGreaterThan(seen.findIndex((state) => /^(?:Normal|Reduziert|Komfort)$/.test(state ?? '')) - 1);
      expect(seen.indexOf('Komfort')).toBeGreaterThan(0);
      expect(seen.lastIndexOf('Comfort')).toBeGreaterThan(seen.indexOf('Komfort'));
    });
  });

  it('its Jinja renders every template of every device as our tests think', async () => {
    const where = { base: 'heating2mqtt', prefix: 'homeassistant', version: '1.0.0' };
    const offering = { language: 'de', profiles: [], isAllowed: () => true } as const;
    const templates = new Set(
      allDevices().flatMap(({ features, gateway, device }) =>
        componentsIn(deviceDocument(where, { name: 'home', installation: '1', gateway, device }, features, offering).payload).flatMap(
          (one) => [one['value_template'], one['preset_mode_value_template']].map(String).filter((text) => text.includes('.get(value')),
        ),
      ),
    );
    expect(templates.size).toBeGreaterThan(5);
    const odd = ['', 'neverHeard', `it's "{{ odd }}" {% x %} \\`, 'y'.repeat(300)];
    for (const template of templates) {
      const words = [...template.matchAll(/'([^'\\]*)': '/g)].map(([, word = '']) => word);
      const overviews = [...words, null].map((mode) => JSON.stringify({ active: true, now: mode, next: mode }));
      const given = template.includes('value_json') ? [...overviews, '{"active":false}', '{"active":true}', ''] : [...words, ...odd];
      for (const value of given)
        expect(await hub.render(template, { value, ...(value.startsWith('{') ? { value_json: JSON.parse(value) } : {}) })).toBe(
          shownBy(template, value),
        );
    }
  });
});
