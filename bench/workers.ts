import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { openFleetStore } from '../src/fleet/fleetStore.ts';
import { sealWith } from '../src/fleet/seal.ts';
import { SILENT } from '../src/shared/log.ts';
import { natsNodes } from '../test/support/network/brokerNode.ts';
import { freePort } from '../test/support/network/freePort.ts';
import {
  accountsOf,
  allStarted,
  cpuOf,
  cpuOfReads,
  FILTERS,
  logIn,
  onlineOf,
  pause,
  READS,
  rowOf,
  SENSORS,
  SETTLED_MS,
  sharedSettings,
  timeToAnswer,
} from './accounts.ts';
import { startBroker, USERS_BROKER } from './brokers.ts';
import { highestMb, residentMb, type Subject } from './processes.ts';
import { msBetween, withPlatform } from './start.ts';
import { listen, type Platform, type Recorder, startBridge } from './world.ts';

const KEY = 'the key of the fleet of a bench';
const MOST_TAKE_OVER_MS = 120_000;

export type SharedFound = {
  readonly startMs: number;
  readonly startCpuMs: number;
  /** Of each worker. */
  readonly polledMb: readonly number[];
  readonly highestMb: readonly number[];
  readonly unchangedMs: number;
  readonly changedMs: number;
  readonly answerMs: readonly number[];
  readonly calls: number;
  /** From the end of a worker by SIGTERM, which hands over, to all accounts being served again. */
  readonly handOverMs: number;
  /** From the death of a worker by SIGKILL to all accounts being served again. */
  readonly takeOverMs: number;
};

/** Accounts that workers share, none of which runs before `start`. */
export type SharedFleet = {
  readonly platform: Platform;
  readonly recorder: Recorder;
  readonly names: readonly string[];
  /** Of the pages of the workers. */
  readonly ports: readonly number[];
  /** What a node of NATS keeps. */
  readonly nodeFolder: string;
  readonly subjects: readonly Subject[];
  start(): void;
  /** Ends a worker, and starts it again. */
  again(at: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
};

/** So many accounts that so many workers share over three nodes of NATS, all on this machine and ended afterwards. */
export const withWorkers = <T>(
  dir: string,
  workers: number,
  count: number,
  measure: (fleet: SharedFleet) => Promise<T>,
  hasPages = false,
): Promise<T> =>
  withPlatform(SENSORS, async (platform) => {
    const broker = await startBroker(USERS_BROKER, dir);
    const recorder = await listen(broker, FILTERS);
    const natsFolder = mkdtempSync(join(dir, 'nats-'));
    const nodes = await natsNodes(natsFolder);
    const names = accountsOf(count);
    const env = { HEATING2MQTT_NATS: nodes.map(({ client }) => client).join(','), HEATING2MQTT_FLEET_KEY: KEY };
    const folders = Array.from({ length: workers }, (_, i) => join(dir, `worker-${i}`));
    const ports = await Promise.all(folders.map(() => freePort()));
    const start = (folder: string, i: number): Subject => {
      const web = hasPages ? { web: { enabled: true, listen: '127.0.0.1', port: ports[i] } } : {};
      return startBridge(folder, { ...sharedSettings(platform, broker, folder), ...web }, env, ['worker', '--name', `w${i}`]);
    };
    const subjects: Subject[] = [];
    try {
      await Promise.all(nodes.map((node) => node.start()));
      const store = await openFleetStore(env.HEATING2MQTT_NATS, sealWith(KEY), SILENT);
      for (const name of names) await store.addRow({ name, entry: rowOf(platform, broker, name) });
      await store.close();
      for (const folder of folders) {
        mkdirSync(folder);
        // A login is part of an account's state once the account was served.
        for (const name of names) await logIn(folder, name);
      }
      return await measure({
        ...{ platform, recorder, names, ports, subjects },
        nodeFolder: join(natsFolder, 'n1'),
        start: () => void subjects.push(...folders.map(start)),
        again: async (at, signal) => {
          const subject = subjects[at];
          if (signal === 'SIGTERM') await subject?.stop();
          else if (subject) process.kill(subject.pid, signal);
          subjects[at] = start(folders[at] ?? '', at);
        },
      });
    } finally {
      for (const subject of subjects) await subject.stop().catch(() => undefined);
      await Promise.all(nodes.map((node) => node.kill()));
      await recorder.close();
      await broker.stop();
    }
  });

/** What so many accounts cost that so many workers share. */
export const measureWorkers = (dir: string, workers: number, count: number): Promise<SharedFound> =>
  withWorkers(dir, workers, count, async ({ platform, recorder, names, subjects, start }) => {
    const before = process.hrtime.bigint();
    const all = allStarted(recorder, names);
    start();
    const startMs = msBetween(before, await all);
    await pause(SETTLED_MS);
    const startCpuMs = cpuOf(subjects);
    const calls = await platform.mostCalls();
    const unchangedMs = await cpuOfReads({ recorder, subjects, names }, platform, READS, false);
    await platform.change(SENSORS);
    await cpuOfReads({ recorder, subjects, names }, platform, count, true);
    const changedMs = await cpuOfReads({ recorder, subjects, names }, platform, READS, true);
    const [polledMb, highest] = [subjects.map(residentMb), subjects.map(highestMb)];
    const answerMs = await timeToAnswer({ recorder, names });
    const allServed = async (since: bigint): Promise<number> => {
      while (onlineOf(recorder) < count) {
        if (msBetween(since, process.hrtime.bigint()) > MOST_TAKE_OVER_MS)
          throw new Error(`after two minutes ${onlineOf(recorder)} of ${count} accounts are online`);
        await pause(100);
      }
      return msBetween(since, process.hrtime.bigint());
    };
    const [first, second] = subjects;
    const ended = process.hrtime.bigint();
    await first?.stop();
    const handOverMs = await allServed(ended);
    const killed = process.hrtime.bigint();
    process.kill(second?.pid ?? 0, 'SIGKILL');
    await pause(1000);
    const takeOverMs = await allServed(killed);
    return { startMs, startCpuMs, polledMb, highestMb: highest, unchangedMs, changedMs, answerMs, calls, handOverMs, takeOverMs };
  });
