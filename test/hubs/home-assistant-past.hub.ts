import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { pastOf } from '../../src/features/energy/past.ts';
import { importMessage, type PastSeries } from '../../src/features/energy/pastFiles.ts';
import { coreStatistics } from '../../src/hub/coreStatistics.ts';
import { instantOf, printInstant } from '../../src/schedule/zone.ts';
import { featureOf } from '../support/devices/features.ts';
import { type Mosquitto, startMosquitto } from '../support/network/mosquitto.ts';
import { endAll, type Hub, startHub } from './home-assistant-hub.ts';

const ZONE = 'Europe/Berlin';
/** The lists of a heat pump in October 2025; their bars go over both changes of the clock. */
const LISTS = {
  day: [7.2, 12.6, 10.5, 8.4, 9.6, 9.4, 6.2, 10],
  week: [63.9],
  month: [48.3, 121.8, 28.1, 41.7, 31.5, 65.3, 282, 683, 1008.9, 1130.2, 1049.5, 739.1, 337],
  year: [3440.8, 5346.4],
};

const seriesOf = (of: string, symbol: string, unit: string): PastSeries => {
  const properties = Object.fromEntries(
    Object.entries(LISTS).flatMap(([name, value]) => [
      [name, { value, unit }],
      [`${name}ValueReadAt`, { value: '2025-10-05T05:14:16Z' }],
    ]),
  );
  const bars = pastOf(featureOf(`heating.${of}`, properties), '2025-10-05', 0, (iso) => iso.slice(0, 10))?.bars ?? [];
  const start = (from: string): string => {
    const [year = 0, month = 0, day = 0] = from.split('-').map(Number);
    return printInstant(instantOf({ year, month, day, hour: 0, minute: 0 }, ZONE), ZONE);
  };
  const id = `heating2mqtt:7571381699991111_0_${of.replaceAll('.', '_')}`;
  return {
    device: 'home',
    feature: of,
    id,
    name: of,
    unit: symbol,
    bars: bars.map((bar) => ({ ...bar, start: start(bar.from) })),
  };
};
const POWER = seriesOf('power.consumption.total', 'kWh', 'kilowattHour');
const GAS = seriesOf('gas.consumption.total', 'm³', 'cubicMeter');
const IDS = [POWER.id, GAS.id];

/** The token that the app has; Home Assistant does not know it. */
const APP_TOKEN = 'token-of-the-app';

/** `/core/websocket` of the Supervisor: it takes the app's token, goes to Home Assistant with one of its own, and then passes all on (supervisor/api/proxy.py). */
const startProxy = async (url: string, token: string) => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  server.on('connection', (app) => {
    const core = new WebSocket(url);
    const say = (socket: WebSocket, message: object): void => socket.send(JSON.stringify(message));
    const fromCore = async (): Promise<unknown> => JSON.parse(String((await once(core, 'message'))[0]));
    const pass = async (): Promise<void> => {
      const { ha_version } = Object(await fromCore());
      say(app, { type: 'auth_required', ha_version });
      const { access_token: given } = JSON.parse(String((await once(app, 'message'))[0]));
      if (given !== APP_TOKEN) return say(app, { type: 'auth_invalid', message: 'Invalid access' });
      say(core, { type: 'auth', access_token: token });
      await fromCore();
      app.on('message', (data) => core.send(String(data)));
      core.on('message', (data) => app.send(String(data)));
      say(app, { type: 'auth_ok', ha_version });
    };
    app.on('close', () => core.close());
    void pass();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `ws://127.0.0.1:${port}/core/websocket`, close: () => server.close() };
};

describe('the past in a real Home Assistant, through what the Supervisor passes on', () => {
  let mosquitto: Mosquitto;
  let hub: Hub;
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  const statistics = () => coreStatistics(() => APP_TOKEN, proxy.url);
  const rows = async (period: string): Promise<Readonly<Record<string, readonly { start: number; change: number; sum: number }[]>>> =>
    Object(
      await hub.ask({
        type: 'recorder/statistics_during_period',
        start_time: '2020-01-01T00:00:00Z',
        statistic_ids: IDS,
        period,
        types: ['sum', 'change'],
      }),
    );

  beforeAll(async () => {
    mosquitto = await startMosquitto();
    hub = await startHub(mosquitto.url, 'recorder:\n  commit_interval: 1\nenergy:\n');
    proxy = await startProxy(`${hub.url.replace('http', 'ws')}/api/websocket`, hub.token);
    await hub.problems();
  });
  afterAll(async () => {
    proxy.close();
    await endAll(hub, mosquitto);
  });

  it('is imported: each bar is the change of its hour, at midnight of the house', async () => {
    await statistics().import([POWER, GAS]);
    const found = await rows('hour');
    for (const { id, bars } of [POWER, GAS]) {
      expect(found[id]?.map(({ start }) => new Date(start).toISOString())).toEqual(bars.map(({ start }) => new Date(start).toISOString()));
      for (const [index, { amount }] of bars.entries()) expect(found[id]?.[index]?.change).toBeCloseTo(amount, 3);
    }
    const byYear = (await rows('year'))[POWER.id];
    expect(byYear?.map(({ change }) => Math.round(change * 10) / 10)).toEqual([5346.4, 3433.6]);
    expect(await hub.problems()).toBe('');
  });

  it('is taken by the energy dashboard', async () => {
    const unpriced = { stat_cost: null, entity_energy_price: null, number_energy_price: null };
    await hub.ask({
      type: 'energy/save_prefs',
      energy_sources: [{ type: 'gas', stat_energy_from: GAS.id, ...unpriced }],
      device_consumption: [{ stat_consumption: POWER.id }],
    });
    const { energy_sources: sources, device_consumption: devices } = Object(await hub.ask({ type: 'energy/validate' }));
    expect([sources.flat(), devices.flat()]).toEqual([[], []]);
  });

  it('is the same after a second import, and another one takes its place', async () => {
    const before = await rows('hour');
    await statistics().import([POWER, GAS]);
    expect(await rows('hour')).toEqual(before);
    const fewer = { ...POWER, bars: POWER.bars.slice(3) };
    await statistics().import([fewer]);
    const found = await rows('hour');
    expect(found[POWER.id]).toHaveLength(fewer.bars.length);
    expect(found[GAS.id]).toEqual(before[GAS.id]);
  });

  it('is imported by the messages of the file', async () => {
    await hub.ask(importMessage(POWER));
    await expect.poll(async () => (await rows('hour'))[POWER.id]?.length, { timeout: 20_000 }).toBe(POWER.bars.length);
  });

  it('is removed, and a wrong token or a refusal is told', async () => {
    await statistics().clear(IDS);
    expect(await rows('hour')).toEqual({});
    expect(await hub.problems()).toBe('');
    await expect(coreStatistics(() => 'wrong', proxy.url).clear(IDS)).rejects.toMatchObject({ code: 'not_allowed' });
    await expect(statistics().import([{ ...POWER, id: 'other:power' }])).rejects.toMatchObject({ code: 'refused' });
  });
});
