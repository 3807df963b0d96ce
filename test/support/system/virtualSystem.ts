import { rmSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { openPlatform } from '../../../src/app.ts';
import type { Bridge } from '../../../src/bridge/bridge.ts';
import { createBridge } from '../../../src/bridge/compose.ts';
import type { BridgeSettings, Dependencies } from '../../../src/bridge/dependencies.ts';
import type { CallHistory, Equipment, EventHistory, GatewayRestart, Platform, Target } from '../../../src/bridge/ports.ts';
import type { DeviceDiscovery } from '../../../src/bridge/reads/deviceDiscovery.ts';
import type { Allowance } from '../../../src/bridge/reads/pollBudget.ts';
import { type RateLimiter, rateLimiter } from '../../../src/bridge/reads/rateLimiter.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { pathsOf as templatesOf } from '../../../src/platform/paths.ts';
import type { Clock } from '../../../src/shared/clock.ts';
import type { Log } from '../../../src/shared/log.ts';
import type { Outgoing } from '../../../src/shared/message.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../src/simulator/simulator.ts';
import { openStorage, type Storage } from '../../../src/storage/storage.ts';
import { type MemoryBroker, memoryBroker, type SubscriptionOptions } from '../network/memoryBroker.ts';
import { quickMemoryUsage } from '../time/quickMemoryUsage.ts';
import { type VirtualTime, virtualTime } from '../time/virtualTime.ts';
import { SETTINGS } from './keptInMemory.ts';
import { recordingLog, stillHome, storeTokens, tempDir, testSettings } from './testSystem.ts';

export const ALLOWANCE = { per_10_minutes: 120, per_day: 1450, reserve_for_commands: 50 };
export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

type Device = BridgeSettings['devices'][number];
export type PublishedMessage = { readonly atMs: number; readonly topic: string; readonly payload: string; readonly retain: boolean };
type Logged = { readonly level: string; readonly facts: object; readonly sentence: string };

export type VirtualSystemOptions = {
  readonly language?: BridgeSettings['language'];
  readonly devices?: readonly Device[];
  readonly read?: BridgeSettings['read'];
  readonly poll?: Partial<BridgeSettings['poll']>;
  readonly allowance?: typeof ALLOWANCE;
  readonly commands?: Partial<BridgeSettings['commands']>;
  readonly timeZone?: BridgeSettings['timeZone'];
  readonly pricePlan?: BridgeSettings['pricePlan'];
  readonly seasons?: readonly string[];
  readonly calendarRules?: readonly string[];
  readonly profiles?: BridgeSettings['profiles'];
  readonly priceSource?: Dependencies['priceSource'] | undefined;
};

/** What a bridge of one test system needs to be started: its adapters for the platform. */
export type PlatformDoors = {
  readonly platform: Platform;
  readonly equipment?: Equipment;
  readonly events?: EventHistory;
  readonly restarts?: GatewayRestart;
  readonly auth: () => ReturnType<Parameters<typeof createBridge>[1]['auth']>;
  close(): Promise<void>;
};
export type OpenPlatform = (
  parts: { readonly clock: Clock; readonly log: Log; readonly dir: string; readonly calls: RateLimiter['calls'] },
  onCall: () => void,
  onAuth: () => void,
  /** True where the call counted last was a poll. */
  isPoll: () => boolean,
) => Promise<PlatformDoors>;

/** A platform of a test, each call to which counts. */
export const countingCalls =
  ({ fetchFeatures, execute }: Platform): OpenPlatform =>
  async (_, onCall) => {
    const counted =
      <Args extends unknown[], Result>(call: (...args: Args) => Result) =>
      (...args: Args): Result => {
        onCall();
        return call(...args);
      };
    return {
      platform: { fetchFeatures: counted(fetchFeatures), execute: counted(execute) },
      auth: () => ({ state: 'ok', since: '', message: '' }),
      close: async () => undefined,
    };
  };

export type VirtualSystem = {
  readonly time: VirtualTime;
  readonly dir: string;
  readonly logged: readonly Logged[];
  /** Everything that the bridge has published. */
  readonly messages: readonly PublishedMessage[];
  /** What lies retained on the broker, which never fails here. */
  readonly retained: ReadonlyMap<string, string>;
  quota(): RateLimiter;
  /** What the page sees and sends to. */
  view(): Bridge['view'];
  /** How many wait in the running process for a moment to come. */
  sleepers(): number;
  /** Empties `messages`. */
  forget(): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** The process ends at once, with nothing said and nothing finished. */
  kill(): void;
  /** Publishes a command. */
  send(topic: string, payload: string): void;
};

/** What a run of the bridge needs beside its files. */
type RunOptions = {
  readonly settings: BridgeSettings;
  readonly allowance: Allowance;
  readonly protocol: '5' | '3.1.1';
  readonly calendars?: Dependencies['calendars'];
  readonly priceSource?: Dependencies['priceSource'] | undefined;
  readonly discovery?: (parts: {
    readonly equipment: Equipment;
    readonly storage: Storage;
    readonly quota: RateLimiter;
    readonly clock: Clock;
  }) => DeviceDiscovery;
};

/** One run of the bridge, up to its end. */
export type VirtualRun = { readonly bridge: Bridge; readonly quota: RateLimiter; sleepers(): number; end(): Promise<void>; kill(): void };

type Place = {
  readonly dir: string;
  readonly time: VirtualTime;
  readonly log: Log;
  readonly broker: MemoryBroker;
  /** Hears all that the bridge publishes. */
  readonly published: (message: Outgoing) => void;
};

/** Starts the real bridge with its real files in a time of its own, behind a broker in memory. */
export const startRun = async (place: Place, open: OpenPlatform, options: RunOptions): Promise<VirtualRun> => {
  quickMemoryUsage();
  const { dir, time, log, broker, published } = place;
  const { clock, kill, sleepers } = time.process();
  const state = { dead: false };
  const storage = openStorage(dir, log);
  const last = { poll: false };
  const counting: CallHistory = {
    kept: storage.calls.kept,
    lost: storage.calls.lost,
    append: (line) => {
      if (line.kind === 'call') last.poll = line.poll;
      storage.calls.append(line);
    },
    rewrite: (lines) => {
      last.poll = lines.findLast((line) => line.kind === 'call')?.poll ?? false;
      storage.calls.rewrite(lines);
    },
    holds: storage.calls.holds,
  };
  const quota: RateLimiter = rateLimiter(options.allowance, clock, counting, false);
  const adapters = await open(
    { clock, log, dir, calls: quota.calls },
    () => {
      quota.count();
      // As the answer tells what time it is.
      quota.calls.onClock(time.trueMs() - time.now());
    },
    () => bridge.authChanged(),
    () => last.poll,
  );
  const client = broker.connect(options.protocol, (message) => bridge.received(message));
  const connection = {
    window: 100,
    refusesDots: false,
    protocol: options.protocol,
    publish: async (message: Outgoing): Promise<void> => {
      if (state.dead) return new Promise(() => undefined);
      published(message);
      client.publish(message);
    },
    subscribe: async (filters: readonly string[], how?: SubscriptionOptions): Promise<void> => client.subscribe(filters, how),
    unsubscribe: async (filter: string): Promise<void> => client.unsubscribe(filter),
  };
  const { platform, auth } = adapters;
  const discovery = adapters.equipment && options.discovery?.({ equipment: adapters.equipment, storage, quota, clock });
  const bridge = createBridge(options.settings, {
    platform,
    connection,
    stores: storage,
    // Most tests need no values over time.
    ...(options.settings.seasons?.length ? { series: storage.series } : {}),
    ...(options.calendars ? { calendars: options.calendars } : {}),
    ...(options.priceSource ? { priceSource: options.priceSource } : {}),
    ...(adapters.events ? { events: adapters.events } : {}),
    ...(adapters.restarts ? { restarts: adapters.restarts } : {}),
    quota,
    auth,
    ...(discovery ? { discovery } : {}),
    clock,
    log,
  });
  bridge.start();
  void bridge.connected();
  const close = async (): Promise<void> => {
    client.end();
    storage.close();
    await adapters.close();
  };
  await time.pass(0);
  return {
    bridge,
    quota,
    sleepers,
    end: async () => {
      let hasEnded = false;
      const ended = bridge.stop().then(() => {
        hasEnded = true;
      });
      await time.until(() => hasEnded, 5 * SECOND_MS);
      await ended;
      kill();
      await close();
    },
    kill: () => {
      state.dead = true;
      kill();
      client.end();
      // Of what a killed process has written nothing is lost; its files are left as they are.
      onTestFinished(close);
    },
  };
};

/** The real bridge with its real files in a time of its own, behind a broker in memory. It is not started yet. */
export const virtualSystem = (devices: readonly Device[], open: OpenPlatform, options: VirtualSystemOptions = {}, time = virtualTime()) => {
  const dir = tempDir();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const logged: Logged[] = [];
  const log = { ...recordingLog(logged), debug: () => undefined };
  const messages: PublishedMessage[] = [];
  const broker = memoryBroker();
  const published = ({ topic, payload, retain }: Outgoing): void => void messages.push({ atMs: time.elapsedMs(), topic, payload, retain });
  const settings: BridgeSettings = {
    ...SETTINGS,
    devices,
    read: options.read ?? SETTINGS.read,
    poll: { ...SETTINGS.poll, ...options.poll },
    commands: { ...SETTINGS.commands, ...options.commands },
    timeZone: options.timeZone ?? SETTINGS.timeZone,
    language: options.language ?? SETTINGS.language,
    profiles: options.profiles ?? SETTINGS.profiles,
    ...(options.seasons ? { seasons: options.seasons } : {}),
    ...(options.calendarRules ? { calendarRules: options.calendarRules } : {}),
    ...(options.pricePlan ? { pricePlan: options.pricePlan } : {}),
  };
  const allowance = options.allowance ?? ALLOWANCE;
  let run: VirtualRun | undefined;
  const running = (): VirtualRun => {
    if (!run) throw new Error('the bridge is not running');
    return run;
  };
  const stop = async (): Promise<void> => {
    const last = run;
    run = undefined;
    const endMs = time.elapsedMs() + 5 * SECOND_MS;
    await last?.end();
    if (last) await time.pass(Math.max(0, endMs - time.elapsedMs()));
  };
  onTestFinished(stop);
  const system: VirtualSystem = {
    time,
    dir,
    logged,
    messages,
    retained: broker.retained,
    quota: () => running().quota,
    view: () => running().bridge.view,
    sleepers: () => running().sleepers(),
    forget: () => void messages.splice(0),
    start: async () => {
      run = await startRun({ dir, time, log, broker, published }, open, {
        settings,
        allowance,
        protocol: '5',
        priceSource: options.priceSource,
      });
    },
    stop,
    kill: () => {
      running().kill();
      run = undefined;
    },
    send: (topic, payload) => running().bridge.received({ topic, payload: Buffer.from(payload), retain: false }),
  };
  return system;
};

export type Called = { readonly atMs: number; readonly method: string; readonly path: string; readonly status: number };

export type WiredSystem = VirtualSystem & {
  readonly simulator: Simulator;
  /** Calls that the platform counts, since `fromMs`, in order; without those of the identity service. */
  calls(fromMs?: number): readonly Called[];
  identityCalls(fromMs?: number): readonly Called[];
  /** Leaves a new login beside the running bridge. */
  login(): Promise<void>;
};

export type WiredSystemOptions = VirtualSystemOptions & {
  readonly simulator?: SimulatorOptions;
  /** Where the wall's clock begins, epoch milliseconds. */
  readonly startMs?: number;
};

const pathOf = ({ device = '', feature }: Target): string => `/devices/${device}/features${feature === undefined ? '' : `/${feature}`}`;

/** The platform as the bridge opens it, whose calls go over a wire of the test's own. */
export const openInTime = async (
  settings: Settings,
  { clock, log, calls }: Parameters<OpenPlatform>[0],
  onAuth: () => void,
  time: VirtualTime,
  onWire: <T>(method: string, path: string, call: () => Promise<T>) => Promise<T>,
): Promise<PlatformDoors> => {
  const { identity, tokens, platform, close } = openPlatform(settings, log, clock, calls);
  const refresh = identity.refresh.bind(identity);
  identity.refresh = (...given) => onWire('POST', '/token', () => refresh(...given));
  tokens.onChange(onAuth);
  const inTime: Platform & Equipment & EventHistory & GatewayRestart = {
    fetchFeatures: (...given) => onWire('GET', pathOf(given[0]), () => platform.fetchFeatures(...given)),
    execute: (...given) => onWire('POST', `${pathOf(given[0])}/commands/${given[1]}`, () => platform.execute(...given)),
    restartGateway: (...given) => onWire('POST', '/reboot', () => platform.restartGateway(...given)),
    readEvents: (...given) => onWire('GET', '/events', () => platform.readEvents(...given)),
    readInstallations: (signal, beforePage) => time.busy(platform.readInstallations(signal, () => time.idle(beforePage()))),
  };
  const auth = () => {
    const { state, since, message } = tokens.state();
    return { state, since: new Date(since).toISOString(), message };
  };
  const hasEvents = templatesOf(settings.platform).events !== undefined;
  return { platform: inTime, equipment: inTime, ...(hasEvents ? { events: inTime, restarts: inTime } : {}), auth, close };
};

/** A test system against the simulated platform over real sockets, with real tokens on disk; both live in the same virtual time. */
export const wiredSystem = async (options: WiredSystemOptions = {}): Promise<WiredSystem> => {
  const time = virtualTime(options.startMs);
  const beganMs = time.now();
  const simulator = await startSimulator({
    rotateRefreshTokens: true,
    home: stillHome,
    ...options.simulator,
    now: () => beganMs + Math.floor(time.elapsedMs()),
  });
  onTestFinished(() => simulator.close());
  const open: OpenPlatform = (parts, _, onAuth) => {
    const settings = testSettings(simulator, 'mqtt://memory', parts.dir, {}, { platform: { timeout_s: 60 } });
    return openInTime(settings, parts, onAuth, time, (_method, _path, call) => time.busy(call()));
  };
  const [id = '0'] = simulator.devices;
  const own = { name: 'home', installation: String(simulator.installation), gateway: simulator.gateway, device: id, exclude: [] };
  const system = virtualSystem(options.devices ?? [{ ...own, features: ['heating.circuits.0.heating.schedule'] }], open, options, time);
  const login = (): Promise<void> => storeTokens(system.dir, simulator, 'IoT User offline_access', time.now());
  await login();
  const isIdentity = ({ path }: Called): boolean => !path.includes('/equipment') && !path.includes('/features');
  const all = (fromMs: number): readonly Called[] =>
    simulator
      .calls()
      .map(({ at, method, path, status }) => ({ atMs: at - beganMs, method, path, status }))
      .filter(({ atMs }) => atMs >= fromMs);
  return {
    ...system,
    simulator,
    login,
    calls: (fromMs = 0) => all(fromMs).filter((call) => !isIdentity(call)),
    identityCalls: (fromMs = 0) => all(fromMs).filter(isIdentity),
  };
};

/** The most of these moments that lie in any stretch of this length. */
export const mostWithin = (moments: readonly number[], lengthMs: number): number => {
  let [first, most] = [0, 0];
  for (const [index, at] of moments.entries()) {
    while ((moments[first] ?? at) <= at - lengthMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
};
