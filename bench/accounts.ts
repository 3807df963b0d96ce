import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeTokens } from '../src/platform/auth/tokenFile.ts';
import type { Broker } from './brokers.ts';
import { cpuMs, type Subject } from './processes.ts';
import { msBetween } from './start.ts';
import { type Platform, type Recorder, settingsFor } from './world.ts';

/** Many accounts, each with an own client id, login, device and connection to the broker, and what is measured of them. */

/** With the schedule and the program that the platform adds. */
export const FEATURES = 110;
export const SENSORS = FEATURES - 2;
/** Of all accounts together. */
export const READS = 150;
const WRITES = 60;
export const SETTLED_MS = 2000;
const PAUSE_MS = 10;

export const accountsOf = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `home${i}`);

/** What an account has in `accounts.d`, or in the bucket of a fleet. */
export const rowOf = (platform: Platform, broker: Broker, name: string): Readonly<Record<string, unknown>> => ({
  client_id: `client-of-${name}`,
  devices: settingsFor(platform, broker, '', [`gateway-${name}`]).devices,
});

/** Settings of a process that has no account beside rows, and no page. */
export const sharedSettings = (platform: Platform, broker: Broker, folder: string): object => {
  const { devices: _, platform: all, ...settings } = settingsFor(platform, broker, folder, []);
  const { client_id: __, ...shared } = all;
  return { ...settings, platform: shared };
};

/** The account is logged in, in this folder of data. */
export const logIn = async (folder: string, name: string): Promise<void> => {
  const own = join(folder, 'accounts', name);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const now = Date.now();
  await writeTokens(own, { access_token: `token-of-${name}`, expires_at: now + 86_400_000, scope: 'IoT User', consent_at: now });
};

/** One process with these accounts, each by a file in `accounts.d`. Gives its settings. */
export const settingsOf = async (platform: Platform, broker: Broker, folder: string, names: readonly string[]): Promise<object> => {
  mkdirSync(join(folder, 'accounts.d'));
  for (const name of names) {
    writeFileSync(join(folder, 'accounts.d', `${name}.yaml`), JSON.stringify(rowOf(platform, broker, name)));
    await logIn(folder, name);
  }
  return sharedSettings(platform, broker, folder);
};

const deviceOf = (name: string): string => `bench/${name}/gateway-${name}`;
export const sensorTopic = (name: string, sensor: number): string => `${deviceOf(name)}/heating/bench/sensors/${sensor}/value`;
/** The last topic that a read publishes of what changes. */
const lastTopic = (name: string): string => sensorTopic(name, SENSORS - 1);
export const stateTopic = (name: string): string => `bench/${name}/bridge/state`;
export const FILTERS = ['bench/+/bridge/state', 'bench/+/+/result', `bench/+/+/heating/bench/sensors/${SENSORS - 1}/value`];

/** The moment at which all accounts are online with all their values. A start may take longer than anything is waited for. */
export const allStarted = (recorder: Recorder, names: readonly string[]): Promise<bigint> => {
  const topics = new Set(names.flatMap((name) => [stateTopic(name), lastTopic(name)]));
  const heard = (): Promise<bigint> => recorder.all(topics);
  return heard().catch(heard).catch(heard).catch(heard);
};

/** How many accounts are online, as their topics say. */
export const onlineOf = ({ topics }: Recorder): number =>
  [...topics].filter(([topic, payload]) => topic.endsWith('/bridge/state') && payload === 'online').length;

export const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** `subjects`: the processes that serve the accounts. */
export type Fleet = { readonly recorder: Recorder; readonly subjects: readonly Subject[]; readonly names: readonly string[] };

export const cpuOf = (subjects: readonly Subject[]): number => subjects.reduce((sum, subject) => sum + cpuMs(subject), 0);

/** CPU of a read in milliseconds, by one account after another. */
export const cpuOfReads = async (fleet: Fleet, platform: Platform, reads: number, isChanged: boolean): Promise<number> => {
  const { recorder, subjects, names } = fleet;
  await pause(SETTLED_MS);
  const before = cpuOf(subjects);
  for (let read = 0; read < reads; read += 1) {
    const name = names[read % names.length] ?? '';
    const done = isChanged ? recorder.next(lastTopic(name)) : platform.next('got');
    await recorder.client.publishAsync(`bench/${name}/bridge/poll/set`, 'all', { qos: 1 });
    await done;
    await pause(PAUSE_MS);
  }
  await pause(PAUSE_MS);
  return (cpuOf(subjects) - before) / reads;
};

/** From a write to the answer that the platform has accepted it, in milliseconds. `from`: how many there were before, as each has to differ. */
export const timeToAnswer = async (
  { recorder, names }: Pick<Fleet, 'recorder' | 'names'>,
  writes = WRITES,
  from = 0,
): Promise<readonly number[]> => {
  const times: number[] = [];
  for (let write = 0; write < writes; write += 1) {
    const name = names[Math.floor((write * names.length) / writes) % names.length] ?? '';
    const answered = recorder.next(`${deviceOf(name)}/result`, (result) => /accepted|done/.test(result));
    const before = process.hrtime.bigint();
    const topic = `${deviceOf(name)}/heating/circuits/0/operating/programs/comfort/temperature/set`;
    recorder.client.publish(topic, String(21 + ((from + write) % 5)), { qos: 1 });
    times.push(msBetween(before, await answered));
    await pause(PAUSE_MS);
  }
  return times;
};
