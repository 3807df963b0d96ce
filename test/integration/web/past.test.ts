import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { hubStatistics } from '../../../src/cli/energy/hubStatistics.ts';
import type { PastSeries } from '../../../src/features/energy/pastFiles.ts';
import { coreStatistics } from '../../../src/hub/coreStatistics.ts';
import { type HubStatistics, pastRoutes } from '../../../src/web/api/past.ts';
import { recordingLog, tempDir } from '../../support/system/testSystem.ts';

type Asked = { readonly id: number; readonly type: string; readonly statistic_ids?: readonly string[] };
type Import = Asked & {
  readonly metadata: { readonly statistic_id: string };
  readonly stats: readonly { readonly start: string; readonly sum: number }[];
};

/** Home Assistant as far as it is asked here; what it imports is shown at the second look. `refuses` names a command that it refuses, `error` says why. */
const UNKNOWN: unknown = { code: 'unknown_command', message: 'Unknown' };
const falseCore = async ({ refuses = '', error = UNKNOWN, token = 'secret', version = '2026.11.2' } = {}) => {
  const metadata: object[] = [];
  const rows = new Map<string, Import['stats']>();
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  let looks = 0;
  const answers: Readonly<Record<string, (asked: Asked) => unknown>> = {
    'recorder/clear_statistics': ({ statistic_ids = [] }) => void statistic_ids.forEach((id) => void rows.delete(id)),
    'recorder/import_statistics': (asked) => {
      const { metadata: one, stats } = asked as Import;
      metadata.push(one);
      rows.set(one.statistic_id, stats);
    },
    'recorder/list_statistic_ids': () => [...rows.keys()].map((statistic_id) => ({ statistic_id })),
    'recorder/statistics_during_period': ({ statistic_ids: [id = ''] = [] }) => {
      looks += 1;
      return { [id]: looks < 2 ? [] : (rows.get(id) ?? []).map(({ start, sum }) => ({ start: Date.parse(start), sum })) };
    },
  };
  server.on('connection', (socket) => {
    const say = (message: object): void => socket.send(JSON.stringify(message));
    say({ type: 'auth_required' });
    socket.on('message', (data) => {
      const asked = JSON.parse(String(data));
      if (asked.type === 'auth') say({ type: asked.access_token === token ? 'auth_ok' : 'auth_invalid', ha_version: version });
      else if (asked.type === refuses) say({ ...asked, type: 'result', success: false, error });
      else say({ id: asked.id, type: 'result', success: true, result: answers[asked.type]?.(asked) ?? null });
    });
  });
  return { rows, metadata, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
};

const bar = (day: number, amount: number) => ({
  from: `2026-10-0${day}`,
  start: `2026-10-0${day}T00:00:00+02:00`,
  grain: 'day' as const,
  amount,
});
const SERIES: readonly PastSeries[] = ['total', 'dhw'].map((of) => ({
  ...{ device: 'home', feature: `heating.power.consumption.${of}`, id: `heating2mqtt:g_0_${of}`, name: of, unit: 'kWh' },
  bars: [bar(1, 0.1), bar(2, 0.2), bar(4, 5)],
}));

/** The routes of a page whose app is switched as `switched`. */
const page = (url: string, switched: 'on' | 'off' = 'on', series = SERIES) => {
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const hub: HubStatistics = { state: () => switched, ...coreStatistics(() => 'secret', url) };
  const routes = pastRoutes({ view: { past: { series: () => series, ids: () => SERIES.map(({ id }) => id) } } }, recordingLog(logged), hub);
  const call = async (path: string): Promise<unknown> =>
    (await routes.find((route) => route.path === path)?.handle({ method: 'POST', path } as never))?.json;
  return { call, logged };
};

it.each([
  ['2025.10.4', ['has_mean', 'has_sum', 'name', 'source', 'statistic_id', 'unit_of_measurement']],
  ['2025.11.0', ['has_mean', 'has_sum', 'mean_type', 'name', 'source', 'statistic_id', 'unit_class', 'unit_of_measurement']],
])('gives Home Assistant %s the members that it knows', async (version, members) => {
  const core = await falseCore({ version });
  expect(await page(core.url).call('api/past/import')).toMatchObject({ ok: true });
  expect(core.metadata.map((one) => Object.keys(one).sort())).toEqual([members, members]);
});

it('imports each series, again too, and removes them', async () => {
  const core = await falseCore();
  core.rows.set('heating2mqtt:other', []);
  const { call, logged } = page(core.url);
  expect(await call('api/past')).toEqual({ past: SERIES, import: 'on' });
  expect(await call('api/past/import')).toMatchObject({ ok: true, facts: { count: 2 } });
  const sums = (id: string) => core.rows.get(id)?.map(({ sum }) => sum);
  expect(sums('heating2mqtt:g_0_total')).toEqual([0.1, 0.3, 5.3]);
  // A past that was not whole, and is told otherwise now.
  const fewer = SERIES.map((series) => ({ ...series, bars: [bar(4, 5)] }));
  expect(await page(core.url, 'on', fewer).call('api/past/import')).toMatchObject({ ok: true });
  expect(sums('heating2mqtt:g_0_dhw')).toEqual([5]);
  // One that is told by another series now.
  expect(await page(core.url, 'on', SERIES.slice(0, 1)).call('api/past/import')).toMatchObject({ ok: true, facts: { count: 1 } });
  expect([...core.rows.keys()]).toEqual(['heating2mqtt:other', 'heating2mqtt:g_0_total']);
  expect(await call('api/past/clear')).toMatchObject({ ok: true });
  expect([...core.rows.keys()]).toEqual(['heating2mqtt:other']);
  expect(JSON.stringify(logged)).not.toContain('secret');
});

it('does nothing where nobody has switched it on', async () => {
  const core = await falseCore();
  const { call } = page(core.url, 'off');
  expect(await call('api/past')).toMatchObject({ import: 'off' });
  expect(await call('api/past/import')).toMatchObject({ ok: false, code: 'off' });
  expect(core.rows.size).toBe(0);
});

it.each([
  ['another token', { token: 'other' }, 'not_allowed'],
  ['no recorder', { refuses: 'recorder/clear_statistics' }, 'refused'],
])('says why it does not work: %s', async (_, given, code) => {
  const core = await falseCore(given);
  expect(await page(core.url).call('api/past/import')).toMatchObject({ ok: false, code });
});

it.each([
  [undefined, /it does not say why/],
  ['no object', /it does not say why/],
  [{ code: 'invalid_format', message: `a\n${'b'.repeat(10_000)}` }, /^.{20,60}a b{298} \(invalid_format\)$/],
])('cleans what Home Assistant says: %o', async (error, sentence) => {
  const core = await falseCore({ refuses: 'recorder/clear_statistics', error: error ?? null });
  await expect(coreStatistics(() => 'secret', core.url).clear(['a'])).rejects.toThrow(sentence);
});

it('says that nobody answers', async () => {
  const core = await falseCore();
  core.close();
  expect(await page(core.url).call('api/past/import')).toMatchObject({ ok: false, code: 'unreachable' });
});

it('is switched on by the options of the app alone, and works with its token', async () => {
  const core = await falseCore();
  const dir = tempDir();
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const env = { HEATING2MQTT_DATA_DIR: dir };
  expect(hubStatistics({ file: undefined, env, cwd: dir })).toBeUndefined();
  const hub = hubStatistics({ file: undefined, env: { ...env, SUPERVISOR_TOKEN: 'secret' }, cwd: dir }, core.url);
  expect(hub?.state()).toBe('off');
  writeFileSync(join(dir, 'options.json'), JSON.stringify({ homeassistant: { import: true } }));
  expect(hub?.state()).toBe('on');
  await hub?.import(SERIES, []);
  expect(core.rows.size).toBe(2);
});
