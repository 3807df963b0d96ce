import { networkInterfaces } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { BridgeView } from '../bridge/bridgeView.ts';
import type { PageState } from '../bridge/publish/status/bridgeStates.ts';
import { pageUrl } from '../config/pageUrl.ts';
import type { Settings } from '../config/settings.ts';
import { type Clock, later } from '../shared/clock.ts';
import { codeOf } from '../shared/errors.ts';
import type { Log, LogRing } from '../shared/log.ts';
import { makeAccountPages } from './accounts/accountPages.ts';
import { type AccountsParts, accountsRoutes, type Finish } from './accounts/accountsRoutes.ts';
import { bridgeReads } from './api/bridgeReads.ts';
import { monitoringRoutes } from './api/metrics.ts';
import { type HubStatistics, pastRoutes } from './api/past.ts';
import { makeReleases, releaseRoutes } from './api/releases.ts';
import { sessionRoutes } from './api/session.ts';
import { stateRoutes } from './api/state.ts';
import { writeRoutes } from './api/write.ts';
import { type Listening, listen, type Place, type Timeouts } from './listen.ts';
import { LiveState } from './live/liveState.ts';
import { Streams } from './live/streams.ts';
import { assetRoutes, cardRoutes, pageAssets } from './pageAssets.ts';
import { RequestHandler } from './requestHandler.ts';
import { type Found, findRoute, type Route } from './routes.ts';
import { type Entry, ingressAddress, planListeners, type WebMode } from './security/listeners.ts';
import { type Sessions, sessionsIn } from './security/sessions.ts';

/** The Supervisor of Home Assistant, which provides the ingress. */
const SUPERVISOR = ['172.30.32.2'];
/** The retry interval for an address that does not exist yet, for example after a boot, or a port in use. */
const AGAIN_MS = 30_000;

/** The log message for an address where the page cannot be served. */
const notServed = (why: string, port: number): string =>
  why === 'EADDRINUSE'
    ? `port ${port} is used by another program; trying again. Set web.port to use another`
    : 'the page cannot be served there; it is tried again';

type WebSettings = Settings['web'];

export type WebOptions = {
  readonly settings: WebSettings;
  readonly mode: WebMode;
  readonly dataDir: string;
  readonly isContainer: boolean;
  readonly logRing: LogRing;
  readonly log: Log;
  readonly clock: Clock;
  /** If the port is in use, any other is accepted, for example in a demo. */
  readonly anyPort?: boolean;
  /** Further routes, for the set-up and the settings. */
  readonly routes?: (parts: WebParts) => Promise<readonly Route[]>;
  readonly timeouts?: Timeouts;
  /** The accounts of this process. */
  readonly accounts?: AccountsParts | undefined;
  /** Present in a Home Assistant app. */
  readonly hub?: HubStatistics | undefined;
  /** The address for the newest release. */
  readonly releases?: string;
  /** Peers of the ingress listener. */
  readonly supervisor?: readonly string[];
};

/** The parts that further routes use. */
export type WebParts = {
  readonly sessions: Sessions;
  readonly state: LiveState;
  readonly log: Log;
  readonly clock: Clock;
  readonly finishAny?: Finish | undefined;
};

export type WebServer = {
  /** The addresses of the page for a browser; empty if it is not served. */
  addresses(): readonly string[];
  /** How users log in on the open listener. */
  entry(): Entry;
  /** Whether the page can be reached; `full`: all connections in use; `off`: not served, by its settings. */
  reach(): PageState;
  /** Shows this bridge from now on; undefined if none is running. */
  attach(view: BridgeView | undefined): void;
  /** Applies other settings or another mode. A set-up that ends with a password keeps its sessions. */
  configure(settings: WebSettings, mode: WebMode): Promise<void>;
  close(): Promise<void>;
};

/** `only`: there is no main account. */
const accountsShown = (list: readonly { readonly name: string }[]): 'beside' | 'only' | undefined =>
  list.some(({ name }) => name !== '') ? (list[0]?.name === '' ? 'beside' : 'only') : undefined;

/** Serves the page of the bridge. It outlives the bridge, which can restart with other settings. */
export const startWeb = async (options: WebOptions): Promise<WebServer> => {
  const { dataDir, isContainer, logRing, log, clock } = options;
  let { settings, mode } = options;
  let entry: Entry = 'none';
  /** The number of listeners that the settings require. */
  let planned = 0;
  const state = new LiveState(logRing, () => clock.now());
  const streams = new Streams(state);
  const sessions = sessionsIn(dataDir, settings.password, clock, log);
  const releases = makeReleases(clock, log, options.releases);
  const asks = () => (settings.ingress !== undefined ? 'hub' : settings.update_check ? 'on' : 'off');
  const newer = (): string | undefined => {
    if (asks() !== 'on') return undefined;
    void releases.look();
    return releases.newer?.version;
  };
  /** The routes for one bridge. */
  const bridgeRoutes = (of: LiveState, followers: Streams): readonly Route[] => [
    ...stateRoutes(of, followers, newer),
    ...bridgeReads(of, clock),
    ...writeRoutes(of, clock, log),
  ];
  const { accounts } = options;
  const accountPages = accounts && makeAccountPages(accounts.view, bridgeRoutes, clock);
  const stylesheet = async () => (await pageAssets()).find(({ name }) => name.endsWith('.css'))?.name ?? '';
  const ofAccounts = accounts && accountsRoutes(accounts, { dataDir, clock, log, stylesheet });
  const findMore =
    ofAccounts &&
    ((method: string, path: string): Found | undefined => {
      const links = ofAccounts.linkRoutes(path);
      return links.length > 0 ? findRoute(links, method, path) : accountPages?.find(method, path);
    });
  const routes: readonly Route[] = [
    ...sessionRoutes({
      sessions,
      entry: () => entry,
      mode: () => mode,
      accounts: () => accounts && accountsShown(accounts.view.list()),
      ended: (token) => {
        streams.end(token);
        accountPages?.end(token);
      },
      elapsedMs: () => clock.elapsedMs(),
      log,
    }),
    ...cardRoutes(),
    ...bridgeRoutes(state, streams),
    ...releaseRoutes(releases, asks),
    ...pastRoutes(state, log, options.hub),
    ...monitoringRoutes(
      state,
      () => settings.metrics_token,
      () => accounts?.view.list() ?? [],
    ),
    ...(ofAccounts?.routes ?? []),
    ...((await options.routes?.({ sessions, state, log, clock, finishAny: ofAccounts?.finishAny })) ?? []),
  ];
  const open: Listening[] = [];
  /** The addresses of the open listener. */
  let addresses: readonly string[] = [];
  let closing = new AbortController();

  /** Listens there, now or as soon as possible. */
  const openListener = async (handler: RequestHandler, place: Place, signal: AbortSignal, isFirst = true): Promise<void> => {
    try {
      const listening = await listen(handler, place);
      if (signal.aborted) {
        await listening.close();
        return;
      }
      open.push(listening);
      if (handler.entry === 'ingress') {
        log.info({}, 'Home Assistant shows the page, by ingress');
        return;
      }
      const address = pageUrl(place.address ?? 'localhost', listening.port, settings);
      addresses = [address];
      // Nothing outside a Home Assistant app reaches its 127.0.0.1.
      if (settings.ingress === undefined || place.address !== '127.0.0.1') log.info({ address }, 'the page is served here');
    } catch (cause) {
      const why = codeOf(cause) ?? String(cause);
      if (options.anyPort && why === 'EADDRINUSE' && place.port !== 0) return openListener(handler, { ...place, port: 0 }, signal);
      if (isFirst) log.warn({ port: place.port, address: place.address, why }, notServed(why, place.port));
      later(clock, AGAIN_MS, signal, () => openListener(handler, place, signal, false));
    }
  };

  const openListeners = async (): Promise<void> => {
    closing = new AbortController();
    const { signal } = closing;
    addresses = [];
    const plan = planListeners(settings, { isContainer, mode });
    entry = plan.open?.entry ?? 'none';
    planned = [plan.open, settings.ingress].filter((one) => one !== undefined).length;
    if (plan.warning !== undefined) log.warn({}, plan.warning);
    const common = { settings, mode, routes, findMore, assets: assetRoutes, sessions, clock, log };
    const { port, ingress } = settings;
    const { timeouts, supervisor: peers = SUPERVISOR } = options;
    await Promise.all([
      plan.open &&
        openListener(new RequestHandler({ ...common, entry: plan.open.entry }), { address: plan.open.address, port, timeouts }, signal),
      ingress &&
        openListener(
          new RequestHandler({ ...common, entry: 'ingress' }),
          { address: ingressAddress(networkInterfaces()), port: ingress, peers, timeouts },
          signal,
        ),
    ]);
  };

  const closeListeners = async (): Promise<void> => {
    closing.abort();
    streams.end();
    accountPages?.end();
    await Promise.all(open.splice(0).map((listening) => listening.close()));
  };

  await openListeners();
  return {
    addresses: () => addresses,
    entry: () => entry,
    reach: () => {
      if (open.some((listening) => listening.isFull())) return 'full';
      if (planned === 0) return 'off';
      return open.length < planned ? 'unserved' : 'served';
    },
    attach: (view) => state.attach(view),
    configure: async (next, nextMode) => {
      if (isDeepStrictEqual(next, settings) && nextMode === mode) return;
      await closeListeners();
      if (next.password !== settings.password) await sessions.changePassword(next.password, { kept: mode === 'setup' });
      settings = next;
      mode = nextMode;
      await openListeners();
    },
    close: async () => {
      await closeListeners();
      accountPages?.close();
      logRing.follow(undefined);
    },
  };
};
