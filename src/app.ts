import type { BridgeView } from './bridge/bridgeView.ts';
import { createBridge } from './bridge/compose.ts';
import type { AccountGateways } from './bridge/ports.ts';
import { publishedDevices } from './bridge/publish/broker/topicOwnership.ts';
import { orphanedTopics } from './bridge/publish/devices/orphanedTopics.ts';
import type { BridgeStatus, PageState } from './bridge/publish/status/bridgeStates.ts';
import { deviceDiscovery } from './bridge/reads/deviceDiscovery.ts';
import { type RateLimiter, rateLimiter } from './bridge/reads/rateLimiter.ts';
import { bridgeSettings } from './bridgeSettings.ts';
import { brokerOptionsOf } from './brokerOptions.ts';
import { calendarSources, priceSource } from './calendar/calendarSources.ts';
import type { Settings } from './config/settings.ts';
import { documentFilter, documentHead } from './homeassistant/documents/publishedDocument.ts';
import { BrokerClient } from './mqtt/client.ts';
import type { BrokerOptions } from './mqtt/connect.ts';
import { readAllRetained } from './mqtt/readRetained.ts';
import { authReport } from './platform/auth/authState.ts';
import { identityService } from './platform/auth/identityService.ts';
import { readLoginId } from './platform/auth/readLoginId.ts';
import { remoteLogin } from './platform/auth/remoteLogin.ts';
import { tokenFile } from './platform/auth/tokenFile.ts';
import { tokenKeeper } from './platform/auth/tokenKeeper.ts';
import { type CallKind, platformClient } from './platform/client.ts';
import { pathsOf } from './platform/paths.ts';
import { type Clock, systemClock } from './shared/clock.ts';
import { UsageError } from './shared/errors.ts';
import type { Log } from './shared/log.ts';
import type { Outgoing } from './shared/message.ts';
import type { DatabaseFollower } from './storage/backup/databaseCopy.ts';
import { dataDirFault, isOpenToAll, makeDataDir } from './storage/dataDir.ts';
import { type Lock, takeLock } from './storage/lock.ts';
import { openStorage } from './storage/storage.ts';
import { bridgeTopic } from './topics/topicNames.ts';

/** A bridge without known published topics searches the broker for old ones this long after its start. */
const LOOK_AFTER_MS = 5000;
/** The retry interval after a search that the broker interrupted. */
const LOOK_AGAIN_MS = 300_000;

/**
 * Restoring and publishing takes some hundred ms of CPU at the start, during which no packet is read. So it
 * waits until commands are received, but at most this long if the broker is slow or away.
 */
const HEAR_MS = 200;

/** A fleet account is handed over after a pending renewal. A worker has more time than an ending process. */
const HAND_OVER_ANSWER_MS = 10_000;

const OPEN_TO_ALL =
  'every user of this machine can change what the bridge keeps, its login too; take the right to write data_dir from others (chmod o-w)';

export type App = {
  status(): BridgeStatus;
  /** The bridge as seen by other parts of this process, with their input for commands. */
  readonly view: BridgeView;
  /** Writes pending data from memory to the database. */
  flush(): void;
  /** Ends within seconds, publishes `offline` and stores all data. False if the broker did not get all. */
  stop(options?: { readonly withdraw?: boolean }): Promise<boolean>;
};

export type Surroundings = {
  /** For `check`: whether the page can be reached. */
  readonly page?: () => PageState;
  /** Another process now has the data folder; this one must end without changing it. */
  readonly onTaken?: (error: UsageError) => void;
  /** The owners of gateways that several accounts of this process can see. */
  readonly gateways?: AccountGateways;
  /** True for topics below `mqtt.base` that belong to another account of this process. */
  readonly isForeign?: (topic: string) => boolean;
  /** Another process keeps taking over the client id at the broker: see `BrokerEvents.contested`. */
  readonly onClientIdTaken?: (isReported: boolean) => true;
  /** Whether the broker is connected, or the login, has changed. */
  readonly changed?: () => void;
  /** Present if several processes share the accounts. */
  readonly guard?: Guard | undefined;
};

/** Conditions for irreversible sends, for accounts that may move to another process at any moment. */
export type Guard = {
  /** Keeps a copy of the database and the tokens. */
  readonly follower: DatabaseFollower;
  /** The refresh token may be new: the next owner needs it. `unstored`: tokens that the disk rejected. */
  readonly tokensChanged: (unstored: string | undefined) => void;
  /** Resolves when a command or token renewal may be sent: we own the account and the copy is current. */
  beforeWrite(): Promise<void>;
  /** False if this process may have lost the account since, for example if it was paused while connecting. */
  readonly mayLeave: () => boolean;
  /** The same for repeatable calls. */
  beforeRead(): Promise<void>;
  /** Resolves when the copy holds the data that an answer reports. */
  beforeAnswer(): Promise<void>;
};

/** Creates, connects and starts all parts. Throws UsageError (wrong settings) or StorageError (disk). */
export const startApp = async (settings: Settings, log: Log, clock = systemClock, surroundings: Surroundings = {}): Promise<App> => {
  makeDataDir(settings.data_dir);
  const brokerOptions = brokerOptionsOf(settings);
  let status: () => object = () => ({ starting: true });
  const { data_dir } = settings;
  const lock = await takeLock(data_dir, () => status(), surroundings.onTaken);
  if (!lock) {
    throw new UsageError(
      'other_runs',
      `another heating2mqtt is running with data_dir ${data_dir}; stop it, or give this one its own data_dir and mqtt.base`,
    );
  }
  try {
    if (isOpenToAll(data_dir)) log.warn({ data_dir }, OPEN_TO_ALL);
    const app = await startHolding(lock, brokerOptions, settings, log, clock, surroundings);
    status = () => ({ ...app.status(), page: surroundings.page?.() ?? 'off' });
    return app;
  } catch (cause) {
    await lock.release();
    throw dataDirFault(data_dir, cause);
  }
};

/** The same, with the data folder locked. Throws the system's error if a file in it cannot be read. */
const startHolding = async (
  lock: Lock,
  brokerOptions: BrokerOptions,
  settings: Settings,
  log: Log,
  clock: Clock,
  { gateways, isForeign = () => false, onClientIdTaken, changed = () => undefined, guard }: Surroundings,
): Promise<App> => {
  const { base } = settings.mqtt;
  const storage = openStorage(settings.data_dir, log, lock, guard?.follower);
  const quota = rateLimiter(settings.platform.quota, clock, storage.calls, false);
  const { tokens, identity, platform, loginIdOf, close } = openPlatform(settings, log, clock, quota.calls, guard);
  const connection = guard ? new GuardedClient(guard, brokerOptions, clock, log) : new BrokerClient(brokerOptions, clock, log);
  const { auth_url, client_id, redirect_uri, scope, login_over_mqtt } = settings.platform;
  const login = login_over_mqtt
    ? remoteLogin({
        account: settings.account,
        tokens,
        identity,
        store: tokenFile(settings.data_dir),
        pending: storage.logins,
        client: JSON.stringify([auth_url, client_id, redirect_uri, scope]),
        whoIs: loginIdOf,
        log,
      })
    : undefined;
  const auth = () => authReport(tokens.state(), login?.address());
  const discovery =
    settings.choices &&
    deviceDiscovery({
      ...{ account: settings.account, equipment: platform },
      store: storage.inventory,
      choices: settings.choices,
      goneAfterH: settings.poll.gone_after_h,
      published: publishedDevices(storage.publishedTopics.held),
      quota,
      clock,
      log,
      gateways,
    });
  if (settings.history.days === 0) storage.series.clear();
  const { events, reboot } = pathsOf(settings.platform);
  const bridge = createBridge(bridgeSettings(settings), {
    ...{ platform, connection, stores: storage, quota, auth },
    ...(events === undefined ? {} : { events: platform }),
    ...(reboot === undefined ? {} : { restarts: platform }),
    calendars: calendarSources(settings.calendar),
    priceSource: priceSource(settings.prices),
    ...(settings.history.days > 0 ? { series: storage.series } : {}),
    ...(login ? { finishLogin: (address) => login.finish(address) } : {}),
    takeUpLogin: tokens.takeUp,
    ...(discovery ? { discovery } : {}),
    clock,
    log,
  });
  const told = ['state', 'auth'].map((leaf) => bridgeTopic(base, leaf));
  bridge.view.on('topic', (topic) => told.includes(topic) && changed());
  const stopped = new AbortController();
  const watchTokens = (): void => {
    tokens.takeUp();
    tokens.ensureStored();
  };
  storage.watchFiles(clock, stopped.signal, watchTokens).catch(() => undefined);
  let isLooking = false;
  const lookForLeft = async (): Promise<void> => {
    // The first messages are more urgent.
    await clock.sleep(LOOK_AFTER_MS, stopped.signal);
    if (isLooking || !storage.mayLackChanges) return;
    isLooking = true;
    const kept = (topic: string, payload: Buffer): string | undefined => {
      if (!topic.startsWith(`${base}/`)) return documentHead(base, payload);
      return isForeign(topic) ? undefined : payload.toString();
    };
    const { signal } = stopped;
    const own = `${base}/#`;
    const common = documentFilter(settings.homeassistant.prefix);
    const look = () => readAllRetained({ options: connection.options, common, kept, own, clock, signal });
    let retained = await look();
    for (; !retained && !signal.aborted; retained = await look()) await clock.sleep(LOOK_AGAIN_MS, signal);
    if (!retained || signal.aborted) return;
    bridge.found(orphanedTopics(base, retained));
    storage.brokerSearched();
  };
  tokens.onChange(() => {
    guard?.follower.committed();
    bridge.authChanged();
    void login?.look();
  });
  login?.onChange(() => bridge.authChanged());
  void login?.look();
  // If data is missing, reading it is more urgent, and less is restored.
  const isAllKnown = bridge.isAllKnown();
  if (!isAllKnown) await platform.prepare();
  connection.start({
    connected: (_, isElsewhere) => {
      lookForLeft().catch(() => undefined);
      return bridge.connected(isElsewhere);
    },
    disconnected: () => bridge.disconnected(),
    message: (message) => {
      if (!isForeign(message.topic)) bridge.received(message);
    },
    contested: onClientIdTaken ?? bridge.view.contested,
  });
  if (isAllKnown) await bridge.hear(HEAR_MS);
  bridge.start();
  // The first command need not wait for it.
  await platform.prepare();
  return {
    status: () => ({ ...bridge.status(), stalled_s: Math.round(connection.stalledMs / 1000) }),
    view: bridge.view,
    flush: () => storage.flush(),
    stop: async (options) => {
      stopped.abort();
      const isTaken = await bridge.stop(options);
      await connection.stop();
      await close();
      storage.close();
      await lock.release();
      return isTaken;
    },
  };
};

/** Answers wait for the copy. */
class GuardedClient extends BrokerClient {
  readonly #guard: Guard;

  constructor(guard: Guard, ...options: ConstructorParameters<typeof BrokerClient>) {
    super(...options);
    this.#guard = guard;
  }

  override async publish(message: Outgoing): Promise<void> {
    if (!message.retain) await this.#guard.beforeAnswer();
    return super.publish(message);
  }
}

/** The adapter of the platform with its tokens. */
export const openPlatform = (
  { platform: settings, data_dir, account }: Settings,
  log: Log,
  clock: Clock,
  calls: RateLimiter['calls'],
  guard?: Guard,
) => {
  const { base_url: baseUrl, timeout_s, consent_days: consentDays } = settings;
  const identity = identityService(settings, clock);
  const renewer: Pick<typeof identity, 'refresh'> = guard
    ? { refresh: (token, signal) => guard.beforeWrite().then(() => identity.refresh(token, signal, guard.mayLeave)) }
    : identity;
  const permit = guard && ((kind: CallKind) => (kind === 'command' ? guard.beforeWrite() : guard.beforeRead()));
  const countLogin = (): void => calls.onCall('identity');
  const store = tokenFile(data_dir, guard?.tokensChanged);
  const onLogin = (): void => {
    countLogin();
    // It is now on the disk, which had rejected the previous tokens.
    guard?.tokensChanged(undefined);
  };
  const tokens = tokenKeeper({
    ...{ store, renewer, clock, log, consentDays, account, onLogin },
    ...(guard ? { lastAnswerMs: HAND_OVER_ANSWER_MS } : {}),
  });
  const platform = platformClient({
    baseUrl,
    paths: pathsOf(settings),
    timeoutMs: timeout_s * 1000,
    tokens,
    log,
    clock,
    permit,
    mayLeave: guard?.mayLeave,
    ...calls,
  });
  const close = async (): Promise<void> => {
    await Promise.all([platform.close(), tokens.close().then(() => identity.close())]);
  };
  const loginIdOf = (token: string): Promise<string | undefined> => readLoginId(settings, token, countLogin);
  return { tokens, identity, platform, loginIdOf, close };
};
