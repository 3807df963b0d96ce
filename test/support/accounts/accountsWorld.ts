import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectAsync } from 'mqtt';
import { onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { clientIdOf } from '../../../src/brokerOptions.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../src/simulator/simulator.ts';
import { emptyFolder, type Running, startCommand } from '../cli/inProcess.ts';
import { listen, type MqttRecorder } from '../network/mqttRecorder.ts';
import { startTestBroker } from '../network/testBroker.ts';
import { SCHEDULE, stillHome, storeTokens } from '../system/testSystem.ts';

/** A process with several accounts, each with a platform of its own, at a real broker. */
export type AccountsWorld = {
  readonly cwd: string;
  readonly dataDir: string;
  readonly recorder: MqttRecorder;
  readonly platforms: ReadonlyMap<string, Simulator>;
  readonly running: Running;
  /** Starts the process (again). */
  start(): Running;
  /** The topic of an account's week; the main account has an empty name. */
  week(account: string): string;
  /** What its entry says. */
  entry(account: string): object;
  /** The settings file with these rows. `platform`: the account whose platform the process has. */
  settingsWith(rows: readonly string[], platform?: string): string;
  /** What `bridge/accounts` says. */
  list(): readonly { readonly name: string; readonly state: string; readonly problem?: string; readonly login: string }[];
  /** The statuses of all answers to this id. */
  answers(id: string): readonly string[];
  write(account: string, id: string, end: string): Promise<void>;
  /** Takes the client id of an account again and again, as another process does; gives what ends that. */
  takeClientId(account: string): Promise<() => Promise<void>>;
};

export const gatewayOf = (index: number): string => `757138169999${1000 + index}`;

/** The topic of the week of an account with this base. */
export const weekOf = (base: string, { gateway, devices }: Simulator): string =>
  `${base}/${gateway}-${devices[0]}/${SCHEDULE.replaceAll('.', '/')}`;

/** The statuses of all answers so far, by the id of their write. */
export const answersById = (recorder: MqttRecorder): ReadonlyMap<string, readonly string[]> => {
  const results = recorder.heard.filter(({ topic }) => topic.endsWith('/schedule/result'));
  const answers = results.map(({ payload }): { id?: string; status: string } => JSON.parse(payload || '{}'));
  const named = answers.flatMap(({ id, status }) => (id === undefined ? [] : { id, status }));
  return new Map([...Map.groupBy(named, ({ id }) => id)].map(([id, own]) => [id, own.map(({ status }) => status)]));
};

/** Writes the Saturday of an account's week, whose topic `week` gives. */
export const weekWrites = (recorder: MqttRecorder, week: (account: string) => string): Pick<AccountsWorld, 'write' | 'answers'> => ({
  write: (name, id, end) =>
    recorder.publish(`${week(name)}/set`, JSON.stringify({ id, value: { sat: [{ start: '06:00', end, mode: 'normal' }] } })),
  answers: (id) => answersById(recorder).get(id) ?? [],
});

/** The settings of an account at its platform. */
export const platformOf = (simulator: Simulator) => ({
  platform: { profile: 'v2', base_url: simulator.url, auth_url: simulator.url, client_id: 'heating2mqtt-demo' },
  poll: { seconds: 3600 },
  events: { minutes: 0 },
  commands: { settle_ms: 0, confirm_s: [0.05, 0.1, 0.2, 0.4] },
});

export type AccountsOptions = {
  /** Without a main account there are the others alone. */
  readonly main?: boolean;
  /** In the settings file; `files` in `accounts.d`. */
  readonly rows: readonly string[];
  readonly files?: readonly string[];
  /** All platforms list the same gateway. */
  readonly sameGateway?: boolean;
  readonly simulator?: SimulatorOptions;
  readonly withoutLogin?: string;
  /** Accounts that have a platform, and no entry yet. */
  readonly later?: readonly string[];
  /** Where the page is served. */
  readonly webPort?: number;
  /** Another broker than that of the run. */
  readonly brokerUrl?: string;
  /** What each entry says besides. */
  readonly overrides?: Readonly<Record<string, object>>;
};

export const accountsWorld = async ({
  main = true,
  rows,
  files = [],
  sameGateway = false,
  simulator: simulatorOptions = {},
  withoutLogin,
  later = [],
  webPort,
  brokerUrl,
  overrides = {},
}: AccountsOptions): Promise<AccountsWorld> => {
  const cwd = emptyFolder();
  const dataDir = join(cwd, 'data');
  const broker = brokerUrl === undefined ? await startTestBroker() : { url: brokerUrl, close: async () => undefined };
  const recorder = await listen(broker.url);
  const names = [...(main ? [''] : []), ...rows, ...files, ...later];
  const platforms = new Map<string, Simulator>();
  for (const [index, name] of names.entries()) {
    const home = { ...stillHome, gateway: gatewayOf(sameGateway ? 0 : index) };
    const simulator = await startSimulator({ home, v1Retired: true, ...simulatorOptions });
    platforms.set(name, simulator);
    onTestFinished(() => simulator.close());
    const folder = name === '' ? dataDir : join(dataDir, 'accounts', name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (name !== withoutLogin && !later.includes(name)) await storeTokens(folder, simulator);
  }
  const entry = (name: string): object => {
    const own = platformOf(platforms.get(name) as Simulator);
    return { ...own, ...overrides, platform: { ...own.platform, ...overrides['platform'] } };
  };
  const settingsWith = (some: readonly string[], platform = ''): string =>
    stringify({
      ...(main ? entry(platform) : {}),
      mqtt: { url: broker.url },
      web: webPort === undefined ? { enabled: false } : { listen: '127.0.0.1', port: webPort },
      log: { level: 'error' },
      data_dir: dataDir,
      ...(some.length > 0 ? { accounts: some.map((name) => ({ name, ...entry(name) })) } : {}),
    });
  writeFileSync(join(cwd, 'settings.yaml'), settingsWith(rows));
  if (files.length > 0) mkdirSync(join(dataDir, 'accounts.d'), { recursive: true });
  for (const name of files) writeFileSync(join(dataDir, 'accounts.d', `${name}.yaml`), stringify(entry(name)));
  onTestFinished(async () => {
    await recorder.close();
    await broker.close();
    rmSync(cwd, { recursive: true, force: true });
  });
  const start = (): Running => startCommand(['run', '--config', 'settings.yaml'], { cwd });
  let running = start();
  const baseOf = (name: string): string => (name === '' ? 'heating2mqtt' : `heating2mqtt/${name}`);
  const week = (name: string): string => weekOf(baseOf(name), platforms.get(name) as Simulator);
  return {
    ...{ cwd, dataDir, recorder, platforms, week, entry, settingsWith },
    get running() {
      return running;
    },
    start: () => {
      running = start();
      return running;
    },
    list: () => JSON.parse(recorder.last('heating2mqtt/bridge/accounts') || '[]'),
    takeClientId: async (name) => {
      const client = await connectAsync(broker.url, { clientId: clientIdOf(baseOf(name)), reconnectPeriod: 500 });
      return () => client.endAsync();
    },
    ...weekWrites(recorder, week),
  };
};
