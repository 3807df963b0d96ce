import { closeSync, fsyncSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import type { Settings } from '../src/config/settings.ts';
import { freePort } from '../test/support/network/freePort.ts';
import type { BrokerKind } from './brokers.ts';
import type { Figures } from './figures.ts';
import { openPage } from './openPage.ts';
import { cpuMs, type Subject, writtenKb } from './processes.ts';
import { msBetween, ONLINE, pageAnswers, withBroker, withPlatform } from './start.ts';
import { dataDir, gatewaysOf, median, type Platform, quantile, type Recorder, settingsFor, startBridge } from './world.ts';

/** What a bridge costs that only waits: bytes on the disk, CPU, and what delays a command in its first minute. There is no floor for it. */

/** Of a heat pump; the platform has two more. */
const SENSORS = 190;
/** With the default interval of one device (docs/settings.md). */
const READ_EVERY_S = 63;
const READS_A_DAY = 86_400 / READ_EVERY_S;
/** What waits is written each half hour (docs/decisions/files.md). */
const READS_OF_A_BUNCH = Math.round(1800 / READ_EVERY_S);
const BUNCHES = 3;
const SLOT_MS = 600_000;
const SLOTS_OF_CHARTS = 14 * 144;
/** What comes later than the start: compiled code is kept after five seconds. */
const STARTED_MS = 8000;
const MINUTE_MS = 60_000;
/** V8 collects all garbage of the start some 30 seconds after it. */
const SETTLED_MS = 75_000;
const PAGE_AFTER_MS = 5000;
const MESSAGE_EVERY_MS = 250;
/** In fewer, what V8 compiles once in the background would count many times. */
const IDLE_MINUTES = 10;

const COMFORT = 'bench/gateway0/heating/circuits/0/operating/programs/comfort/temperature/set';
const TEMPERATURE = 'bench/gateway0/heating/bench/sensors/0/value';

type Waiting = {
  readonly platform: Platform;
  readonly recorder: Recorder;
  readonly bridge: Subject;
  readonly folder: string;
  readonly port: number;
};

/** Charts as they are after the 14 days of the default: each value has pages of its own. */
const fillCharts = (folder: string): void => {
  const database = new DatabaseSync(join(folder, 'heating2mqtt.db'));
  const now = Math.floor(Date.now() / SLOT_MS);
  database
    .prepare(
      `WITH RECURSIVE slots(slot) AS (SELECT ? UNION ALL SELECT slot + 1 FROM slots WHERE slot < ?)
       INSERT OR IGNORE INTO points (series, slot, at, value) SELECT id, slot, slot * ?, 20 + slot % 7 FROM series, slots`,
    )
    .run(now - SLOTS_OF_CHARTS, now - 1, SLOT_MS);
  database.close();
};

/** A bridge that has everything from the run before; it reads only when it is told, where `poll` says nothing. */
const withBridge = (
  kind: BrokerKind,
  dir: string,
  measure: (waiting: Waiting) => Promise<void>,
  poll: Partial<Settings['poll']> = {},
): Promise<void> =>
  withPlatform(SENSORS, (platform) =>
    withBroker(kind, dir, async (broker, recorder) => {
      const folder = await dataDir(dir);
      const port = await freePort();
      const usual = settingsFor(platform, broker, folder, gatewaysOf(1), port);
      const settings = { ...usual, poll: { ...usual.poll, ...poll } };
      const start = async (): Promise<Subject> => {
        const online = recorder.next('bench/bridge/state', ONLINE);
        const bridge = startBridge(folder, settings);
        await online;
        return bridge;
      };
      const first = await start();
      await pageAnswers(port);
      await recorder.quiet(1500);
      await pause(STARTED_MS);
      await first.stop();
      fillCharts(folder);
      const bridge = await start();
      try {
        await measure({ platform, recorder, bridge, folder, port });
      } finally {
        await bridge.stop();
      }
    }),
  );

const read = async ({ platform, recorder }: Waiting): Promise<void> => {
  const got = platform.next('got');
  await recorder.client.publishAsync('bench/bridge/poll/set', 'all', { qos: 1 });
  await got;
  await recorder.quiet(100);
};

/** The system counts a page when it differs from the disk: between two reads of a user it has written what it holds. */
const sync = (folder: string): void => {
  for (const end of ['', '-wal']) {
    const file = openSync(join(folder, `heating2mqtt.db${end}`), 'r');
    fsyncSync(file);
    closeSync(file);
  }
};

/** What the reads of half an hour write, with what waited for its end: opening a chart has that written. */
const kbOfRead = async (waiting: Waiting): Promise<number> => {
  const { bridge, folder, port } = waiting;
  sync(folder);
  const before = writtenKb(bridge);
  for (let bunch = 0; bunch < BUNCHES; bunch += 1) {
    for (let reads = 0; reads < READS_OF_A_BUNCH; reads += 1) {
      await read(waiting);
      sync(folder);
    }
    const answer = await fetch(`http://127.0.0.1:${port}/api/history?topic=${encodeURIComponent(TEMPERATURE)}&days=1`);
    if (!answer.ok) throw new Error(`the page answers ${answer.status} to api/history`);
    sync(folder);
  }
  return (writtenKb(bridge) - before) / (BUNCHES * READS_OF_A_BUNCH);
};

const CASES = [
  { words: 'nothing changed', share: 0, mostKb: 2 },
  { words: 'a tenth changed', share: 0.1, mostKb: 25 },
  { words: 'all changed', share: 1, mostKb: 120 },
] as const;

export const DISK_NAMES = CASES.flatMap(({ words }) => [`written by a read of 192 features, ${words}`, `written in a day, ${words}`]);

/** Bytes that go to the disk, of a read and in a day. */
export const writtenToDisk =
  (dir: string, figures: Figures) =>
  (kind: BrokerKind): Promise<void> =>
    withBridge(kind, dir, async (waiting) => {
      await pause(STARTED_MS);
      for (const [at, { share, mostKb }] of CASES.entries()) {
        await waiting.platform.change(Math.round(SENSORS * share));
        for (let warm = 0; warm < 3; warm += 1) await read(waiting);
        const kb = await kbOfRead(waiting);
        const [ofRead = '', ofDay = ''] = DISK_NAMES.slice(2 * at);
        figures.add({ name: ofRead, value: kb, floor: 0, limit: { most: mostKb }, unit: 'kB' });
        figures.add({ name: ofDay, value: (kb * READS_A_DAY) / 1000, floor: 0, limit: undefined, unit: 'MB' });
      }
    });

export const FIRST_MINUTE = 'message to POST in the first minute, p99 (floor: p50)';

/**
 * A value each quarter of a second in the first minute after a start, in which the page is opened. The broker is one that holds no packet back,
 * so that the bridge is measured.
 */
export const firstMinute = (dir: string, figures: Figures) => (): Promise<void> =>
  withBridge('tuned', dir, async ({ platform, recorder, port }) => {
    const begunMs = performance.now();
    const times: number[] = [];
    const opened = pause(PAGE_AFTER_MS).then(() => openPage(port));
    for (let write = 0; performance.now() - begunMs < MINUTE_MS; write += 1) {
      const posted = platform.next('posted');
      const sent = process.hrtime.bigint();
      recorder.client.publish(COMFORT, String(20 + ((write + 1) % 5)), { qos: 1 });
      times.push(msBetween(sent, await posted));
      await pause(MESSAGE_EVERY_MS);
    }
    (await opened).close();
    figures.add({ name: FIRST_MINUTE, value: quantile(times, 0.99), floor: median(times), limit: { plus: 20 }, unit: 'ms' });
  });

export const IDLE = 'CPU of ten minutes with a read each minute';

/** After the start, with what follows it: some minutes in which it reads by itself, and nothing changes. */
export const idle =
  (dir: string, figures: Figures) =>
  (kind: BrokerKind): Promise<void> => {
    const measure = async (waiting: Waiting): Promise<void> => {
      const { bridge } = waiting;
      // The first read has to parse what the others only compare.
      await read(waiting);
      await pause(SETTLED_MS);
      const before = cpuMs(bridge);
      await pause(IDLE_MINUTES * MINUTE_MS);
      figures.add({ name: IDLE, value: cpuMs(bridge) - before, floor: 0, limit: { most: 150 }, unit: 'ms' });
    };
    return withBridge(kind, dir, measure, { seconds: 60 });
  };
