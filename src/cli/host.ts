import { existsSync } from 'node:fs';
import { type App, type Surroundings, startApp } from '../app.ts';
import type { PageState } from '../bridge/publish/status/bridgeStates.ts';
import type { Settings } from '../config/settings.ts';
import { type Clock, later, systemClock, within } from '../shared/clock.ts';
import { messageOf, UsageError } from '../shared/errors.ts';
import { oneAtATime } from '../shared/serialQueue.ts';
import type { WebMode } from '../web/security/listeners.ts';
import type { WebOptions, WebServer } from '../web/server.ts';
import type { Restart } from '../web/setup/services.ts';
import type { Io } from './terminal/io.ts';

const NOT_SERVED =
  'The page could not be reached any more: web.listen is not an address of this machine, web.port is in use or not allowed, or web.password is missing.';

/** How long the page waits for the first published messages: once without a broker, else up to six times. */
const PAGE_WITHIN_MS = 5000;
const MOST_WAITS = 6;

/** The retry interval if the bridge does not start with the settings that worked before. */
const AGAIN_MS = 30_000;

/** What the page needs before the bridge has settings. */
export type PageSettings = Pick<Settings, 'web' | 'data_dir' | 'log'>;

export type HostOptions = Pick<WebOptions, 'isContainer' | 'logRing' | 'log' | 'routes' | 'anyPort' | 'hub' | 'accounts'> &
  Pick<Surroundings, 'onTaken' | 'gateways' | 'isForeign' | 'changed'> & {
    readonly clock?: Clock;
    /** The further accounts. `halt` precedes a file replacement, `resume` follows a restart of the bridge. */
    readonly others?: { readonly flush: () => void; readonly halt: () => Promise<void>; readonly resume: () => void };
    /** Applies other log settings. */
    readonly configureLog?: (settings: Settings['log']) => Promise<void>;
  };

/** Starts the bridge, then the page, once the bridge has published its state. Rejects like `startApp`. */
export const startHost = async (settings: Settings, options: HostOptions): Promise<Host> => {
  let host: Host | undefined;
  const app = await startApp(settings, options.log, options.clock, { ...options, page: () => host?.page() ?? 'off' });
  host = makeHost(options, settings, { app, settings });
  return host;
};

/** Starts only the page, for the set-up or (mode `run`) further accounts; `restart` starts the bridge. */
export const startPage = (settings: PageSettings, options: HostOptions, mode: WebMode = 'setup'): Host =>
  makeHost(options, settings, undefined, mode);

type Running = { readonly app: App; readonly settings: Settings };

/** The process: the bridge and the page. The page stays open while the bridge restarts. */
export type Host = ReturnType<typeof makeHost>;

const makeHost = (options: HostOptions, first: PageSettings, started: Running | undefined, mode: WebMode = 'setup') => {
  const { log, clock = systemClock } = options;
  const stopping = new AbortController();
  let running = started;
  /** The last settings with which the bridge started. */
  let known = started?.settings;
  /** What the page uses while no bridge runs. */
  let idle = { settings: first, mode };
  let web: WebServer | undefined;

  /** True after the page was loaded, some time after the start. */
  let isOpened = false;
  const loadPage = async ({ web: settings, data_dir: dataDir }: PageSettings, shown: WebMode): Promise<void> => {
    try {
      // Loaded late: the first messages need the time and memory more.
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

  /** Starts the bridge with the last working settings; retries on failure, for example on a full disk. */
  const startBefore = async (settings: Settings): Promise<void> => {
    try {
      await startBridge(settings);
    } catch (cause) {
      log.error({ why: messageOf(cause) }, 'the bridge does not start with the previous settings either; it is tried again');
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
      // A user who changed this in the page could not undo it there.
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
          'the files that the restore replaced could not be put back; they are in the folder before-restore of data_dir',
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
    /** Resolves when the page listens or has failed to. */
    ready,
    /** The bridge; undefined while none runs. */
    app: (): App | undefined => running?.app,
    /** The page; undefined while it is not loaded. */
    web: (): WebServer | undefined => web,
    /** For `check`: whether the page can be reached. */
    page,
    /** Writes data that the bridge holds only in memory to the database. */
    flush: (): void => {
      running?.app.flush();
      options.others?.flush();
    },
    /**
     * Stops the bridge, if one runs, and starts it with these settings. `how.swap` replaces files in
     * `data_dir` meanwhile and returns its undo. On failure the former bridge starts again; rejects with the
     * reason.
     */
    restart: (settings: Settings, how?: Restart): Promise<void> => inTurn(() => restart(settings, how)),
    /** Resolves when no restart is running: until then a restart may revert its settings. */
    settled: (): Promise<void> => inTurn(async () => undefined),
    stop: async (how?: Parameters<App['stop']>[0]): Promise<void> => {
      stopping.abort();
      await ready;
      // Waits for a running restart.
      await inTurn(async () => {
        await web?.close();
        await running?.app.stop(how);
      });
    },
  };
};

/** True in a container (Docker, Podman, nspawn, Kubernetes, Home Assistant): 127.0.0.1 is not the host's. */
export const isInContainer = ({ env }: Pick<Io, 'env'>): boolean =>
  ['/.dockerenv', '/run/.containerenv'].some((mark) => existsSync(mark)) ||
  [env.container, env.KUBERNETES_SERVICE_HOST, env.SUPERVISOR_TOKEN].some(Boolean);
