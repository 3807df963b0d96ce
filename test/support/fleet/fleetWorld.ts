import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { gatewayOf, platformOf, weekOf, weekWrites } from '../accounts/accountsWorld.ts';
import { emptyFolder, runCommand } from '../cli/inProcess.ts';
import type { NatsNode } from '../network/brokerNode.ts';
import { startLine } from '../network/line.ts';
import { listen, type MqttRecorder } from '../network/mqttRecorder.ts';
import { startTestBroker } from '../network/testBroker.ts';
import { neededProgram } from '../programs.ts';
import { retainedOn } from '../system/retainedTopics.ts';
import { stillHome, storeTokens } from '../system/testSystem.ts';
import { platformFront, type Sent } from './platformFront.ts';

const KEY = 'a key that NATS does not have';

/** A worker in a process of its own. */
export type WorkerProcess = {
  readonly name: string;
  readonly dataDir: string;
  log(): string;
  signal(signal: NodeJS.Signals): void;
  /** Resolves at its end. */
  ended(): Promise<void>;
  /** `clock`: how its clock differs, as `faketime` takes it; `isNewer`: as a later version, whose states this one cannot read. */
  start(clock?: string, isNewer?: boolean): void;
  /** Sets the clock of one that was started with a clock. */
  setClock(clock: string): void;
  /** When it has begun to serve an account, by `performance.now()`. */
  readonly served: readonly (Sent & { readonly account: string })[];
  /** Cuts it off from NATS, and no more. */
  cut(isCut: boolean): void;
};

export type FleetWorld = {
  readonly recorder: MqttRecorder;
  readonly accounts: readonly string[];
  readonly workers: readonly WorkerProcess[];
  platform(account: string): Simulator;
  /** `heating2mqtt fleet …`; gives what it prints. */
  fleet(...words: readonly string[]): Promise<string>;
  /** Which worker has which account, as `fleet list` says. */
  served(): Promise<Readonly<Record<string, string>>>;
  /** Resolves when the workers with these names serve all accounts between them. */
  allServedBy(...names: readonly string[]): Promise<void>;
  week(account: string): string;
  /** The topics that the broker retains of this account, with its documents for Home Assistant. */
  retainedOf(account: string): Promise<readonly string[]>;
  write(account: string, id: string, end: string): Promise<void>;
  /** The statuses of all answers to this id. */
  answers(id: string): readonly string[];
  /** The commands that the platform of the account has got. */
  posts(account: string): number;
  /** The same, with the worker that has sent each. */
  sent(account: string): readonly Sent[];
};

/** Accounts with a platform and a gateway each, a broker, and workers that share them over these nodes of NATS, each by lines of its own. */
export const fleetWorld = async (
  nodes: readonly Pick<NatsNode, 'client'>[],
  names: readonly string[],
  accounts: readonly string[],
  { gateways = gatewayOf, perDay = 1_000_000 }: { readonly gateways?: (index: number) => string; readonly perDay?: number } = {},
): Promise<FleetWorld> => {
  const cwd = emptyFolder();
  const broker = await startTestBroker();
  const recorder = await listen(broker.url);
  const platforms = new Map<string, Simulator>();
  const sent = new Map<string, readonly Sent[]>();
  const env = { HEATING2MQTT_NATS: nodes.map(({ client }) => client).join(','), HEATING2MQTT_FLEET_KEY: KEY };
  const settings = join(cwd, 'settings.yaml');
  writeFileSync(settings, stringify({ mqtt: { url: broker.url }, web: { enabled: false }, data_dir: join(cwd, 'data') }));
  const fleet = async (...words: readonly string[]): Promise<string> => {
    const { code, out, err } = await runCommand(['fleet', ...words, '--config', settings], { env });
    if (code !== 0) throw new Error(`fleet ${words.join(' ')}: ${err}`);
    return `${out}${err}`;
  };
  for (const [index, name] of accounts.entries()) {
    const simulator = await startSimulator({
      home: { ...stillHome, gateway: gateways(index) },
      v1Retired: true,
      rotateRefreshTokens: true,
    });
    platforms.set(name, simulator);
    onTestFinished(() => simulator.close());
    const file = join(cwd, `${name}.yaml`);
    const entry = platformOf(simulator);
    const front = await platformFront(simulator.url);
    sent.set(name, front.sent);
    writeFileSync(
      file,
      // Many writes of a day fall into minutes here.
      stringify({
        ...entry,
        platform: { ...entry.platform, base_url: front.url, quota: { per_10_minutes: 100_000, per_day: perDay } },
        // What a busy machine does late is no failure.
        commands: { ...entry.commands, per_hour: 100_000, confirm_s: [...entry.commands.confirm_s, 1, 2, 4] },
      }),
    );
    await fleet('add', name, '--file', file);
  }
  const platform = (account: string): Simulator => {
    const simulator = platforms.get(account);
    if (!simulator) throw new Error(`no platform of ${account}`);
    return simulator;
  };
  const workers = await Promise.all(
    names.map(async (name) => {
      const dataDir = join(cwd, name);
      for (const account of accounts) {
        const folder = join(dataDir, 'accounts', account);
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        await storeTokens(folder, platform(account));
      }
      const lines = await Promise.all(nodes.map(({ client }) => startLine(Number(new URL(client).port))));
      const settings = stringify({ mqtt: { url: broker.url }, web: { enabled: false }, data_dir: dataDir });
      const nats = lines.map(({ port }) => `nats://127.0.0.1:${port}`).join(',');
      const cut = (isCut: boolean): void => {
        for (const line of lines) line.cut(isCut);
      };
      return { ...workerProcess(name, dataDir, settings, { ...env, HEATING2MQTT_NATS: nats }), cut };
    }),
  );
  onTestFinished(async () => {
    for (const worker of workers) worker.signal('SIGKILL');
    await Promise.all(workers.map((worker) => worker.ended()));
    await recorder.close();
    await broker.close();
    rmSync(cwd, { recursive: true, force: true });
  });
  const served = async (): Promise<Readonly<Record<string, string>>> => {
    const rows = (await fleet('list')).trim().split('\n').slice(1);
    return Object.fromEntries(
      rows.map((row) => row.split(/ +/)).map(([account = '', worker = '', , state]) => [account, state === 'running' ? worker : '-']),
    );
  };
  const week = (account: string): string => weekOf(`heating2mqtt/${account}`, platform(account));
  return {
    ...{ recorder, accounts, workers, platform, fleet, served, week },
    retainedOf: async (account) =>
      [...(await retainedOn(broker.url))].flatMap(([topic, payload]) =>
        `${topic} ${payload}`.includes(`heating2mqtt/${account}/`) ? [topic] : [],
      ),
    allServedBy: async (...by) => {
      let last = {};
      let isSo = false;
      const look = async (): Promise<void> => {
        last = await served().catch((cause: unknown) => ({ cause: String(cause) }));
        const isOnline = (account: string) => recorder.last(`heating2mqtt/${account}/bridge/state`) === 'online';
        isSo = accounts.every((account) => by.includes((last as Record<string, string>)[account] ?? '') && isOnline(account));
      };
      for (const end = performance.now() + 100_000; !isSo; await look())
        if (performance.now() > end)
          throw new Error(`not served by ${by}: ${JSON.stringify(last)}\n${workers.map((one) => one.log()).join('\n')}`);
    },
    ...weekWrites(recorder, week),
    sent: (account) => sent.get(account) ?? [],
    posts: (account) =>
      platform(account)
        .calls()
        .filter(({ method }) => method === 'POST').length,
  };
};

/** The environment of a program whose clock is shifted as this file says. `faketime` itself would stand between it and signals. */
const shiftedBy = (file: string): NodeJS.ProcessEnv => {
  const library = execFileSync(neededProgram('faketime'), ['-f', '+0', 'sh', '-c', 'printf %s "$LD_PRELOAD"'], { encoding: 'utf8' });
  const faked = { FAKETIME_TIMESTAMP_FILE: file, FAKETIME_CACHE_DURATION: '1' };
  return { LD_PRELOAD: library, ...faked, FAKETIME_DONT_FAKE_MONOTONIC: '1', DONT_FAKE_MONOTONIC: '1' };
};

const SERVES = /"account":"([^"]+)".*"msg":"this worker serves the account"/;

const workerProcess = (
  name: string,
  dataDir: string,
  settings: string,
  env: Readonly<Record<string, string>>,
): Omit<WorkerProcess, 'cut'> => {
  mkdirSync(dataDir, { recursive: true });
  const file = join(dataDir, 'settings.yaml');
  writeFileSync(file, settings);
  const clockFile = join(dataDir, 'clock');
  const served: WorkerProcess['served'][number][] = [];
  let child: ChildProcess | undefined;
  let log = '';
  return {
    name,
    dataDir,
    served,
    setClock: (clock) => writeFileSync(clockFile, `${clock}\n`),
    log: () => log,
    signal: (signal) => void child?.kill(signal),
    ended: async () => {
      if (child && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
    start: (clock, isNewer = false) => {
      const before = ['namedCalls', ...(isNewer ? ['newerVersion'] : [])].flatMap((one) => ['--import', `./test/support/fleet/${one}.ts`]);
      if (clock !== undefined) writeFileSync(clockFile, `${clock}\n`);
      const started = spawn(process.execPath, [...before, 'src/main.ts', 'worker', '--config', file, '--name', name], {
        env: { ...process.env, ...env, TEST_WORKER: name, ...(clock === undefined ? {} : shiftedBy(clockFile)) },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      for (const stream of [started.stdout, started.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          log = (log + text).slice(-200_000);
        });
      }
      createInterface(started.stderr).on('line', (line) => {
        const [, account] = SERVES.exec(line) ?? [];
        if (account !== undefined) served.push({ worker: name, account, atMs: performance.now() });
      });
    },
  };
};
