import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { allStarted, cpuOf, onlineOf, pause, SENSORS, SETTLED_MS, sensorTopic, timeToAnswer } from './accounts.ts';
import { residentMb } from './processes.ts';
import { type SharedFleet, withWorkers } from './workers.ts';

/** What waits is written each half hour, with the reads until then (docs/decisions/files.md). */
const HALF_HOURS = 48;
const READS_OF_HALF_HOUR = 28;
/** A tenth of the values changes with each read. */
const CHANGING = Math.round(SENSORS / 10);
/** A write every two hours to each account, at another read for each: so many accounts have one. */
const READS_OF_WRITE = 4 * READS_OF_HALF_HOUR;
/** After these half hours a worker is ended by SIGTERM, and another one is killed; both are started again. */
const [ENDED_AFTER, KILLED_AFTER] = [16, 32];

const AGAIN_MS = 2000;

export type DayFound = {
  readonly tookMs: number;
  /** Of all workers, for one account. */
  readonly cpuMs: number;
  /** Of the largest worker, and the files of a node of NATS, after the first hour and at the end. */
  readonly firstMb: number;
  readonly lastMb: number;
  readonly firstKb: number;
  readonly lastKb: number;
  readonly answerMs: readonly number[];
};

const kbOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((sum, name) => sum + statSync(join(folder, name)).blocks / 2, 0);

/**
 * What so many accounts do in a day, one after the other as fast as it goes: as many reads, writes and half hours as a day has. It is no day of
 * the clock: what follows midnight and the hour is tried in virtual time (test/long).
 */
export const measureDay = (dir: string, workers: number, count: number): Promise<DayFound> =>
  withWorkers(
    dir,
    workers,
    count,
    async (fleet) => {
      const { platform, recorder, names, nodeFolder } = fleet;
      const all = allStarted(recorder, names);
      fleet.start();
      await all;
      await pause(SETTLED_MS);
      await platform.change(CHANGING);
      await recorder.client.subscribeAsync(sensorTopic('+', 0).replace('gateway-+', '+'), { qos: 0 });
      const begunMs = performance.now();
      const begunCpuMs = cpuOf(fleet.subjects);
      let endedCpuMs = 0;
      const answerMs: number[] = [];
      let [firstMb, firstKb] = [0, 0];
      for (let half = 1; half <= HALF_HOURS; half += 1) {
        for (let read = 0; read < READS_OF_HALF_HOUR; read += 1) {
          await readAll(fleet);
          const name = names[(half * READS_OF_HALF_HOUR + read) % READS_OF_WRITE];
          if (name !== undefined) answerMs.push(...(await timeToAnswer({ recorder, names: [name] }, 1, answerMs.length)));
        }
        await openCharts(fleet);
        if (half === 2) [firstMb, firstKb] = [Math.max(...fleet.subjects.map(residentMb)), kbOf(nodeFolder)];
        if (half !== ENDED_AFTER && half !== KILLED_AFTER) continue;
        const at = half === ENDED_AFTER ? 0 : 1;
        endedCpuMs += cpuOf(fleet.subjects.slice(at, at + 1));
        await fleet.again(at, half === ENDED_AFTER ? 'SIGTERM' : 'SIGKILL');
        while (onlineOf(recorder) < count) await pause(100);
        await pause(SETTLED_MS);
      }
      return {
        tookMs: performance.now() - begunMs,
        cpuMs: (cpuOf(fleet.subjects) + endedCpuMs - begunCpuMs) / count,
        ...{ firstMb, firstKb, answerMs },
        lastMb: Math.max(...fleet.subjects.map(residentMb)),
        lastKb: kbOf(nodeFolder),
      };
    },
    true,
  );

/** Every account once, as an interval has it, until all have published what changed. */
const readAll = async ({ recorder, names }: SharedFleet): Promise<void> => {
  const ask = (name: string) => recorder.client.publishAsync(`bench/${name}/bridge/poll/set`, 'all', { qos: 1 });
  const read = async (name: string): Promise<void> => {
    let isShown = false;
    const shown = recorder.next(sensorTopic(name, 0)).then(() => {
      isShown = true;
    });
    // One that comes during a read of its own is part of that.
    for (await ask(name); !isShown; await (isShown || ask(name))) await Promise.race([shown, pause(AGAIN_MS)]);
  };
  await Promise.all(names.map(read));
};

/** Opening a chart has what waits written, as each half hour has. */
const openCharts = async ({ names, ports }: SharedFleet): Promise<void> => {
  for (const name of names) {
    const path = `api/a/${name}/history?days=1&topic=${encodeURIComponent(sensorTopic(name, 0))}`;
    const answers = await Promise.all(ports.map((port) => fetch(`http://127.0.0.1:${port}/${path}`).catch(() => undefined)));
    if (!answers.some((answer) => answer?.ok))
      throw new Error(`no page answers with a chart of ${name}: ${answers.map((one) => one?.status)}`);
  }
};
