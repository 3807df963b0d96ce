import { rmSync } from 'node:fs';
import { publishedDevices } from '../../../src/bridge/publish/broker/topicOwnership.ts';
import { deviceDiscovery } from '../../../src/bridge/reads/deviceDiscovery.ts';
import { bridgeSettings } from '../../../src/bridgeSettings.ts';
import { calendarSources } from '../../../src/calendar/calendarSources.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { memoryBroker } from '../network/memoryBroker.ts';
import type { Heard, Recorder } from '../network/mqttRecorder.ts';
import { type VirtualTime, virtualTime } from '../time/virtualTime.ts';
import { slowWire } from './slowWire.ts';
import { type BridgeSystem, recordingLog, stillHome, storeTokens, type TestSystemOptions, tempDir, testSettings } from './testSystem.ts';
import { type OpenPlatform, openInTime, startRun, type VirtualRun } from './virtualSystem.ts';

/** A Saturday. No schedule of the simulated home changes its mode within the next nine minutes. */
const START_MS = Date.parse('2026-11-21T06:01:00Z');
/** The most that may pass while a test waits for one thing: more than any pause of the bridge that a test waits for. */
const LONGEST_MS = 10 * 60_000;

export type VirtualTestSystem = BridgeSystem & {
  readonly time: VirtualTime;
  /** What lies retained on the broker. */
  readonly onBroker: ReadonlyMap<string, string>;
  /** The process ends at once, with nothing said and nothing finished. */
  kill(): void;
};

export type VirtualTestOptions = Omit<TestSystemOptions, 'brokerUrl' | 'clock' | 'prepare'> & {
  /** Before the bridge starts. */
  readonly prepare?: (simulator: Simulator, recorder: Recorder) => Promise<void> | void;
  /** Epoch milliseconds. */
  readonly startMs?: number;
};

/**
 * The same bridge, settings, platform and messages as `startTestSystem` in virtual time: between the simulated platform, over real sockets,
 * and a broker in memory. Waiting lets time pass up to the moment that is waited for; else it stands still. Schedules are in UTC.
 */
export const startVirtualSystem = async (options: VirtualTestOptions = {}): Promise<VirtualTestSystem> => {
  const time = virtualTime(options.startMs ?? START_MS);
  const dir = tempDir();
  const wire = await startSimulator({ home: stillHome, ...options.simulator, now: time.now });
  const slowness = slowWire(wire, time);
  const simulator: Simulator = { ...wire, control: slowness.control };
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const log = recordingLog(logged);
  const broker = memoryBroker();
  const heard: Heard[] = [];
  const ear = broker.connect('3.1.1', () => undefined);
  const record = (message: Heard): void => void heard.push(message);
  const untilSo = (isSo: () => boolean): Promise<void> => time.until(isSo, LONGEST_MS);
  const until: Recorder['until'] = async (fits, from = 0, timeoutMs = LONGEST_MS) => {
    let next = from;
    let found: Heard | undefined;
    const isHeard = (): boolean => {
      for (; !found && next < heard.length; next += 1) {
        const message = heard[next];
        if (message && fits(message)) found = message;
      }
      return found !== undefined;
    };
    await time.until(isHeard, timeoutMs).catch((cause: unknown) => {
      throw new Error(`not heard within ${timeoutMs} ms: ${fits}; heard last: ${JSON.stringify(heard.slice(-8))}`, { cause });
    });
    if (!found) throw new Error('unreachable');
    return found;
  };
  const recorder: Recorder = {
    heard,
    last: (topic) => heard.findLast((message) => message.topic === topic)?.payload || undefined,
    until,
    untilTopic: (topic, payload, from) =>
      until((message) => message.topic === topic && (payload === undefined || message.payload === payload), from),
    caughtUp: () => time.pass(0),
    publish: async (topic, payload, { retain = false, responseTopic, correlation } = {}) => {
      // Also on its way to the bridge a message takes some time.
      await time.pass(10);
      record({ topic, payload: payload.toString(), retain: false, ...(correlation === undefined ? {} : { correlation }) });
      const correlationData = correlation === undefined ? undefined : Buffer.from(correlation);
      ear.publish({ topic, payload, retain, responseTopic, correlationData });
    },
    close: async () => undefined,
  };
  await options.prepare?.(simulator, recorder);
  if (!options.withoutTokens) await storeTokens(dir, simulator, 'IoT User offline_access', time.now());
  const settingsWith = (overrides: TestSystemOptions['overrides']) =>
    testSettings(simulator, 'mqtt://memory', dir, options.device, {
      ...overrides,
      schedules: { time_zone: 'UTC', ...overrides?.schedules },
    });
  let settings = settingsWith(options.overrides);
  const open: OpenPlatform = (parts, _, onAuth) =>
    openInTime(settings, parts, onAuth, time, async (method, path, call) => {
      // Every call takes some time: what is asked for before it is older than its answer.
      if (path !== '/token') await parts.clock.sleep(1);
      return slowness.call(method, path, call, parts.clock, settings.platform.timeout_s * 1000);
    });
  let run: VirtualRun | undefined;
  const running = (): VirtualRun => {
    if (!run) throw new Error('the bridge is stopped');
    return run;
  };
  const start = async (): Promise<void> => {
    const { choices, platform, mqtt, poll } = settings;
    run = await startRun(
      {
        dir,
        time,
        log,
        broker,
        published: ({ topic, payload, correlationData }) =>
          record({ topic, payload, retain: false, ...(correlationData ? { correlation: Buffer.from(correlationData).toString() } : {}) }),
      },
      open,
      {
        settings: bridgeSettings(settings),
        allowance: platform.quota,
        protocol: mqtt.version === '3.1.1' ? '3.1.1' : '5',
        calendars: calendarSources(settings.calendar),
        ...(choices
          ? {
              discovery: ({ equipment, storage, quota, clock }) =>
                deviceDiscovery({
                  account: settings.account,
                  equipment,
                  store: storage.inventory,
                  choices,
                  goneAfterH: poll.gone_after_h,
                  published: publishedDevices(storage.publishedTopics.held),
                  quota,
                  clock,
                  log,
                }),
            }
          : {}),
      },
    );
  };
  const stopApp = async (): Promise<void> => {
    const last = run;
    run = undefined;
    await last?.end();
  };
  await start();
  const features = () => simulator.calls().filter(({ path }) => path.includes('/features'));
  return {
    time,
    onBroker: broker.retained,
    simulator,
    recorder,
    logged,
    get app() {
      const { bridge } = running();
      return {
        status: () => ({ ...bridge.status(), stalled_s: 0 }),
        view: bridge.view,
        flush: () => undefined,
        stop: () => stopApp().then(() => true),
      };
    },
    get settings() {
      return settings;
    },
    retained: async () => new Map(broker.retained),
    untilSo,
    awayFromChange: async () => undefined,
    reads: () => features().filter(({ method }) => method === 'GET').length,
    posts: () => features().filter(({ method }) => method === 'POST'),
    lastMethod: () => features().at(-1)?.method,
    restart: async (overrides) => {
      await stopApp();
      settings = settingsWith({ ...options.overrides, ...overrides });
      await start();
    },
    stopApp,
    kill: () => {
      running().kill();
      run = undefined;
    },
    close: async () => {
      await stopApp();
      await simulator.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
};
