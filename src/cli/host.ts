import { existsSync } from 'node:fs';
import { type App, type Surroundings, startApp } from '../app.ts';
import type { PageState } from '../bridge/publish/status/bridgeStates.ts';
import type { Settings } from '../config/settings.ts';
import { type Clock, later, systemClock, within } from '../shared/clock.ts';
import { messageOf, UsageError } from '../shared/errors.ts';
import { oneAtATime } from '../shared/serialQueue.ts';
import type { WebMode } from '../web/security/listeners.ts';
import type { WebOptions, WebServer } from '../web/server.ts';
import type { Io } from './terminal/io.ts';

const NOT_SERVED =
  'The page itself could not be reached any more: web.listen is no address of this machine, web.port is taken or not allowed, or web.password is missing.';

/** While the broker is away the page waits no longer than this for what the start publishes; else, where that is much, six times as long. */
const PAGE_WITHIN_MS = 5000;
const MOST_WAITS = 6;

/** A bridge that does not start with the settings that worked before is tried again after so long. */
const AGAIN_MS = 30_000;

/** What the page needs before there are any settings of the bridge. */
export type PageSettings = Pick<Settings, 'web' | 'data_dir' | 'log'>;

export type HostOptions = Pick<WebOptions, 'isContainer' | 'logRing' | 'log' | 'routes' | 'anyPort' | 'hub' | 'accounts'> &
  Pick<Surroundings, 'onTaken' | 'gateways' | 'isForeign'> & {
    readonly clock?: Clock;
    /** The further accounts of the process. `halt` before their files are replaced; `resume` where the bridge has other settings or files. */
    readonly others?: { readonly flush: () => void; readonly halt: () => Promise<void>; readonly resume: () => void };
    /** Has the log follow other settings. */
    readonly configureLog?: (settings: Settings['log']) => Promise<void>;
  };

/** Changes the files in `data_dir` while no bridge runs; gives what takes the change back. */
type Swap = () => () => void;

/**
 * `hasMain` false: there are further accounts alone, so no bridge starts here. `takeBack` puts the former settings back where the bridge does not start:
 * the further accounts read them.
 */
type Restart = { readonly swap?: Swap; readonly hasMain?: boolean; readonly takeBack?: () => void };

/** Starts the bridge, and when it has published what it knows, the page. Rejects as `startApp`. */
export const startHost = async (settings: Settings, options: HostOptions): Promise<Host> => {
  let host: Host | undefined;
  const app = await startApp(settings, options.log, options.clock, { ...options, page: () => host?.page() ?? 'off' });
  host = makeHost(options, settings, { app, settings });
  return host;
};

/** Starts the page alone, for the set-up or, in the mode `run`, where there are further accounts only; the bridge starts with `restart`. */
export const startPage = (settings: PageSettings, options: HostOptions, mode: WebMode = 'setup'): Host =>
  makeHost(options, settings, undefined, mode);

type Running = { readonly app: App; readonly settings: Settings };

/** The process: the bridge, and the page, which outlives a new start of the bridge with other settings. */
export type Host = ReturnType<typeof makeHost>;

const makeHost = (options: HostOptions, first: PageSettings, started: Running | undefined, mode: WebMode = 'setup') => {
  const { log, clock = systemClock } = options;
  const stopping = new AbortController();
  let running = started;
  /** The last settings with which the bridge has started. */
  let known = started?.settings;
  /** What the page has while there is no bridge. */
  let idle = { settings: first, mode };
  let web: WebServer | undefined;

  /** The page is loaded some time after the start. */
  let isOpened = false;
  const loadPage = async ({ web: settings, data_dir: dataDir }: PageSettings, shown: WebMode): Promise<void> => {
    try {
      // Loaded late: it takes time and memory that the first messages need more.
      const { startWeb } = await import('../web/server.ts');
      if (stopping.signal.aborted) return;
      web = await startWeb({ ...options, clock, settings, dataDir, mode: shown });
      web.attach(running?.app.view);
    } catch (cause) {
      log.error({ why: messageOf(cause) }, 'the page cannot be served; the bridge runs without it');
    }
    isOpened = true;
  };

  const openPage = async (settings: PageSettings): Promise<void> => {
    if (!settings.web.enabled) return;
    const settled = running?.app.view.settled.then(() => true) ?? Promise.resolve(true);
    for (let waits = 0; waits < MOST_WAITS && !stopping.signal.aborted; waits += 1) {
      const isSettled = await within(clock, PAGE_WITHIN_MS, settled, stopping.signal);
      if (isSettled || !running?.app.status().broker) break;
    }
    if (!stopping.signal.aborted) await loadPage(settings, running ? 'run' : mode);
  };

  const startBridge = async (settings: Settings, hasMain = true): Promise<void> => {
    await options.configureLog?.(settings.log);
    if (hasMain) running = { app: await startApp(settings, log, clock, { ...options, page }), settings };
    if (!settings.web.enabled) {
      await web?.close();
      web = undefined;
    } else if (web) {
      await web.configure(settings.web, 'run');
      web.attach(running?.app.view);
    } else await loadPage(settings, 'run');
  };

  const page = (): PageState => (known?.web.enabled && isOpened ? (web?.reach() ?? 'unserved') : 'off');

  const isServed = (): boolean => (web?.addresses().length ?? 0) > 0;

  const stopBridge = async (): Promise<void> => {
    const last = running;
    web?.attach(undefined);
    running = undefined;
    await last?.app.stop();
  };

  /** Starts the bridge with the settings that worked before; where they do not now, as on a full disk, it is tried again. */
  const startBefore = async (settings: Settings): Promise<void> => {
    try {
      await startBridge(settings);
    } catch (cause) {
      log.error({ why: messageOf(cause) }, 'the bridge does not start with the settings before either; it is tried again');
      later(clock, AGAIN_MS, stopping.signal, () =>
        inTurn(async () => (running || stopping.signal.aborted ? undefined : startBefore(settings))),
      );
    }
  };

  const restart = async (settings: Settings, { swap, hasMain = true, takeBack }: Restart = {}): Promise<void> => {
    const before = known;
    const wasServed = isServed();
    await stopBridge();
    if (swap) await options.others?.halt();
    let swapBack: (() => void) | undefined;
    try {
      swapBack = swap?.();
      await startBridge(settings, hasMain);
      // Whoever changed that by the page could not take it back.
      if (wasServed && settings.web.enabled && settings.web.ingress === undefined && !isServed())
        throw new UsageError('page_unreachable', NOT_SERVED);
      known = hasMain ? settings : undefined;
      if (!hasMain) idle = { settings, mode: 'run' };
      options.others?.resume();
    } catch (cause) {
      await stopBridge();
      try {
        takeBack?.();
        swapBack?.();
      } catch (why) {
        log.error(
          { why: messageOf(why) },
          'what the restore has replaced could not be put back: it is in the folder before-restore of data_dir',
        );
      }
      if (before) await startBefore(before);
      else {
        await options.configureLog?.(idle.settings.log);
        await web?.configure(idle.settings.web, idle.mode);
      }
      options.others?.resume();
      throw cause;
    }
  };

  const ready = openPage(first);
  const inTurn = oneAtATime();
  return {
    /** Resolves when the page listens, or will not. */
    ready,
    /** The bridge; undefined while none runs. */
    app: (): App | undefined => running?.app,
    /** The page; undefined while it is not loaded. */
    web: (): WebServer | undefined => web,
    /** For `check`: whether the page can be reached. */
    page,
    /** Writes to the database what the bridge has in memory alone. */
    flush: (): void => {
      running?.app.flush();
      options.others?.flush();
    },
    /**
     * Stops the bridge, where one runs, and starts it with these settings. `swap` of `how` puts other files into `data_dir` meanwhile, and
     * gives what takes that back. Where something fails, the bridge before runs again; rejects then with the reason.
     */
    restart: (settings: Settings, how?: Restart): Promise<void> => inTurn(() => restart(settings, how)),
    /** Resolves when no new start is under way: until then its settings may be taken back. */
    settled: (): Promise<void> => inTurn(async () => undefined),
    stop: async (how?: Parameters<App['stop']>[0]): Promise<void> => {
      stopping.abort();
      await ready;
      // After a new start that is under way.
      await inTurn(async () => {
        await web?.close();
        await running?.app.stop(how);
      });
    },
  };
};

/** True in a container, by the marks of Docker, Podman, systemd-nspawn, Kubernetes and Home Assistant: its 127.0.0.1 is not that of the machine. */
export const isInContainer = ({ env }: Pick<Io, 'env'>): boolean =>
  ['/.dockerenv', '/run/.containerenv'].some((mark) => existsSync(mark)) ||
  [env.container, env.KUBERNETES_SERVICE_HOST, env.SUPERVISOR_TOKEN].some(Boolean);
