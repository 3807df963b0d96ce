import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { connectAsync, type MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { allDevices } from '../support/devices/deviceFiles.ts';
import { deviceDocument } from '../support/devices/onePage.ts';
import { type Mosquitto, startMosquitto } from '../support/network/mosquitto.ts';
import { COUNTING, type EnergyWeek, energyWeek, totalTopic } from '../support/system/energyWeek.ts';
import { componentsIn } from './entities.ts';
import { endAll, type Hub, type Registered, startHub } from './home-assistant-hub.ts';

const WHERE = { base: 'recorded', prefix: 'homeassistant', version: '1.0.0' };
const DAY_S = 86_400;
const HOUR_S = 3600;

/** When a value was published, in epoch seconds. */
type Value = { readonly at: number; readonly state: string };

/** Sensors for the energy dashboard, and their topics. */
type Total = { readonly id: string; readonly topic: string; readonly unit: string; readonly isGas: boolean };

const totalsIn = (document: string): readonly Total[] =>
  componentsIn(document).flatMap(({ unique_id: id, state_topic: topic, unit_of_measurement: unit, device_class: kind }) =>
    id.endsWith('running_total') ? [{ id, topic: String(topic), unit: String(unit), isGas: kind === 'gas' || id.includes('_gas_') }] : [],
  );

/**
 * A real Home Assistant with its recorder on. The recorder adds up statistics by the clock of the machine, so the values of a week are put
 * into its database with their times, and it is started again: it then adds up what is missing, with its own code.
 */
describe('the energy dashboard of Home Assistant', () => {
  let mosquitto: Mosquitto;
  let hub: Hub;
  let mqtt: MqttClient;
  let week: EnergyWeek;
  let totals: readonly Total[] = [];
  let registered: ReadonlyMap<string, Registered> = new Map();
  /** Entity ids by state topic. */
  const entities = new Map<string, string>();
  // The first hour of the week, for Home Assistant.
  const starts = (Math.floor(Date.now() / 1000 / HOUR_S) - 1) * HOUR_S - 7 * DAY_S;
  const eventually = (check: () => Promise<void> | void): Promise<void> => vi.waitFor(check, { timeout: 120_000, interval: 1000 });
  const retain = (topic: string, payload: string): Promise<unknown> => mqtt.publishAsync(topic, payload, { qos: 1, retain: true });

  /** The values that the bridge published in the week, as Home Assistant sees them. */
  const valuesOf = (topic: string): readonly Value[] => {
    const own = week.messages.filter((message) => message.topic === topic);
    if (own.length > 0) return own.map(({ atMs, payload }) => ({ at: starts + atMs / 1000, state: payload }));
    return [0, 1.5, 4.2].map((value, day) => ({ at: starts + (day + 1) * DAY_S, state: String(value) }));
  };

  const openDatabase = (): DatabaseSync => new DatabaseSync(path.join(hub.configDir, 'home-assistant_v2.db'), { timeout: 20_000 });

  /** Statistics are added up from the beginning to now: nothing of it is under way any more. */
  const untilAddedUp = (): Promise<void> =>
    eventually(() => {
      const database = openDatabase();
      const last = database.prepare('SELECT unixepoch(max(start)) AS at FROM statistics_runs').get()?.['at'];
      database.close();
      expect(Number(last)).toBeGreaterThan(Date.now() / 1000 - 15 * 60);
    });

  const plant = (): void => {
    const database = openDatabase();
    const known = database.prepare(
      'SELECT m.metadata_id AS id, max(s.attributes_id) AS attributes FROM states_meta m JOIN states s ON s.metadata_id = m.metadata_id WHERE m.entity_id = ?',
    );
    const insert = database.prepare(
      'INSERT INTO states (state, last_updated_ts, metadata_id, attributes_id, origin_idx) VALUES (?, ?, ?, ?, 0)',
    );
    database.exec('BEGIN IMMEDIATE');
    for (const { topic } of totals) {
      const row = known.get(entities.get(topic) ?? '');
      if (typeof row?.['id'] !== 'number') throw new Error(`${topic} was not recorded`);
      for (const { at, state } of valuesOf(topic)) insert.run(state, at, row['id'], row['attributes'] ?? null);
    }
    database.exec('DELETE FROM statistics_runs; DELETE FROM statistics_short_term; DELETE FROM statistics');
    const before = new Date((starts - HOUR_S) * 1000).toISOString().replace('T', ' ').replace('Z', '000');
    database.prepare('INSERT INTO statistics_runs (start) VALUES (?)').run(before);
    database.exec('COMMIT');
    database.close();
  };

  const untilShown = (): Promise<void> =>
    eventually(async () => {
      const states = await hub.states();
      for (const { id, topic } of totals) {
        const entity = registered.get(id)?.entity_id;
        if (entity !== undefined) entities.set(topic, entity);
        expect(Number(states.get(entity ?? '')?.state), id).toBe(Number(valuesOf(topic).at(-1)?.state));
      }
    });

  beforeAll(async () => {
    mosquitto = await startMosquitto();
    hub = await startHub(mosquitto.url, 'recorder:\n  commit_interval: 1\nenergy:\n');
    mqtt = await connectAsync(mosquitto.url);
  });
  afterAll(async () => {
    await mqtt?.endAsync();
    await endAll(hub, mosquitto);
  });

  it('shows the totals, and has the values of a week in its recorder', async () => {
    week = await energyWeek();
    const enabled = (document: string): string => document.replaceAll(',"enabled_by_default":false', '');
    const documents = [...week.retained].filter(([topic]) => topic.startsWith('homeassistant/'));
    for (const [topic, payload] of documents) await retain(topic, enabled(payload));
    for (const topic of ['heating2mqtt/bridge/state', 'heating2mqtt/home/availability', 'recorded/bridge/state'])
      await retain(topic, 'online');
    const recorded = allDevices().map(({ name, gateway, device, features }, i) => ({
      name: `d${i}`,
      document: deviceDocument(WHERE, { name: `d${i}`, installation: '1', gateway: `${gateway}${name}`, device }, features),
    }));
    for (const { name, document } of recorded) {
      await retain(`recorded/${name}/availability`, 'online');
      await retain(document.topic, enabled(document.payload));
    }
    totals = [...documents.map(([, payload]) => payload), ...recorded.map(({ document }) => document.payload)].flatMap(totalsIn);
    for (const { topic } of totals) await retain(topic, valuesOf(topic).at(-1)?.state ?? '');
    await eventually(async () => {
      registered = await hub.registered();
      expect(totals.filter(({ id }) => !registered.has(id))).toEqual([]);
    });
    await untilShown();
    await hub.whileStopped(plant);
    await untilShown();
    await untilAddedUp();
  }, 500_000);

  it('takes each amount of every device', async () => {
    expect(totals.length).toBeGreaterThan(20);
    await eventually(async () => {
      const known = JSON.stringify(await hub.ask({ type: 'recorder/list_statistic_ids', statistic_type: 'sum' }));
      expect(totals.filter(({ topic }) => !known.includes(`"${entities.get(topic)}"`))).toEqual([]);
    });
    const id = (total: Total): string => entities.get(total.topic) ?? '';
    const gas = totals.filter(({ isGas }) => isGas);
    const power = totals.filter(({ isGas }) => !isGas);
    const unpriced = { stat_cost: null, entity_energy_price: null, number_energy_price: null };
    await hub.ask({
      type: 'energy/save_prefs',
      energy_sources: [
        ...gas.map((total) => ({ type: 'gas', stat_energy_from: id(total), ...unpriced })),
        ...power.map((total) => ({ type: 'solar', stat_energy_from: id(total), config_entry_solar_forecast: null })),
      ],
      device_consumption: power.map((total) => ({ stat_consumption: id(total) })),
    });
    const { energy_sources: sources, device_consumption: devices } = Object(await hub.ask({ type: 'energy/validate' }));
    expect([sources.flat(), devices.flat()]).toEqual([[], []]);
  });

  it.each(COUNTING)('adds up what the records of %s say, with no hour that falls', async (feature) => {
    const entity = entities.get(totalTopic(feature)) ?? '';
    const answer = await hub.ask({
      type: 'recorder/statistics_during_period',
      start_time: new Date((starts - DAY_S) * 1000).toISOString(),
      statistic_ids: [entity],
      period: 'hour',
      types: ['sum', 'change'],
    });
    const hours: readonly { readonly sum: number; readonly change: number; readonly start: number }[] = Object(answer)[entity] ?? [];
    expect(hours.length).toBeGreaterThan(160);
    expect(hours.filter(({ change }) => change < -1e-6)).toEqual([]);
    expect(hours.at(-1)?.sum).toBeCloseTo(week.steps.at(-1)?.used[feature] ?? Number.NaN, 3);
    // What was used while the platform was away is in the hour in which it came.
    const [away, back] = ['the platform is away', 'the platform is back'].map((name) => week.steps.find(({ what }) => what === name));
    const backAt = (starts + (away?.atMs ?? 0) / 1000) * 1000;
    const late = hours.filter(({ start }) => start >= backAt - 27 * HOUR_S * 1000 && start < backAt - HOUR_S * 1000);
    expect(late.length).toBeGreaterThan(20);
    expect(Math.max(...late.map(({ change }) => change))).toBeLessThan(1e-6);
    expect(back?.shown[feature]).toBeGreaterThanOrEqual(away?.shown[feature] ?? Number.NaN);
  });
});
