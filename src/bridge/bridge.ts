import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { bridgeDocument, type Where } from '../discovery/document.ts';
import type { Feature } from '../features/feature.ts';
import { TIME_ZONE_FEATURE } from '../features/timeZone.ts';
import { bridgeTopic, commandFilters, deviceTopic, filterOf } from '../topics/address.ts';
import { featureState } from '../topics/state.ts';
import { Answers } from './answers.ts';
import { Availability } from './availability.ts';
import { Clockwork } from './clockwork.ts';
import { type BridgeCommand, Commander } from './commander.ts';
import { Confirmations } from './confirm.ts';
import { Documents, documentOwner, identityOf } from './documents.ts';
import type { Rules } from './evaluate.ts';
import type { Finder } from './finder.ts';
import { Gone } from './gone.ts';
import { type Device, DeviceState, deviceKey } from './home.ts';
import { Poller, type PollSettings } from './poller.ts';
import {
  type Broker,
  type CallFailure,
  type FinishLogin,
  type Incoming,
  isRefusal,
  type Journal,
  type Ledger,
  type Memory,
  type Platform,
} from './ports.ts';
import { Publisher } from './publisher.ts';
import type { Quota } from './quota.ts';
import { quotaReport } from './quotaReport.ts';
import { Reader, type ReadResult } from './reader.ts';
import { planReads, type ReadMode, Refusals } from './readPlan.ts';
import { Recollection } from './recollection.ts';
import { Reporter } from './reporter.ts';
import type { AuthReport } from './reports.ts';
import { devicesOf, isChosen, type Read, readKey } from './targets.ts';

export type BridgeSettings = {
  readonly base: string;
  readonly version: string;
  readonly maxPayload: number;
  /** Those named in the settings; empty where they are found (`Doors.finder`). */
  readonly devices: readonly Device[];
  readonly read: ReadMode;
  /** True where one call reads a gateway with all its devices. */
  readonly gateways: boolean;
  readonly poll: PollSettings & { readonly gone_after_h: number };
  readonly commands: Rules & { readonly fresh_s: number; readonly confirm_s: readonly number[] };
  readonly discovery: { readonly mode: 'device' | 'off'; readonly prefix: string; readonly statusTopic: string };
  /** The setting (`auto`, or a zone), and the zone of the machine. */
  readonly timeZone: { readonly setting: string; readonly machine: string };
  /** Shown in `bridge/info`; holds no secret. */
  readonly shown: object;
};

/** The connection as the bridge sees it: publishing, subscribing, and which version of MQTT was agreed. */
export interface Connection extends Broker {
  /** Rejects with `why: 'refused'` where the broker stands but does not allow it. */
  subscribe(filters: readonly string[], retainAsPublished?: boolean): Promise<void>;
  unsubscribe(filter: string): Promise<void>;
  readonly protocol: '5' | '3.1.1' | undefined;
}

export type Doors = {
  readonly platform: Platform;
  readonly connection: Connection;
  readonly ledger: Ledger;
  readonly memory: Memory;
  readonly journal: Journal;
  readonly quota: Quota;
  readonly auth: () => AuthReport;
  /** Absent where the settings allow no login over MQTT. */
  readonly finishLogin?: FinishLogin;
  readonly clock: Clock;
  readonly log: Log;
  /** Present where devices are found by asking. */
  readonly finder?: Finder;
};

/** How the bridge stands, for whoever asks it (`check --health`). */
export type Standing = {
  readonly broker: boolean;
  readonly platform: boolean;
  /** Seconds since the last good read; absent before the first. */
  readonly last_success_s?: number;
  readonly poll_seconds: number;
  readonly auth: string;
};

/** A sentinel that is there comes at once; this long we wait for one that is not. */
const SENTINEL_MS = 300;
const STOP_MS = 3000;
const FIRST_ROUND_MS = 10_000;

/** The process between the two doors: polls, publishes, listens, answers. */
export class Bridge {
  readonly #settings: BridgeSettings;
  readonly #doors: Doors;
  readonly #stopping = new AbortController();
  readonly #publisher: Publisher;
  readonly #states = new Map<string, DeviceState>();
  readonly #availability = new Map<string, Availability>();
  readonly #gone = new Map<string, Gone>();
  readonly #recollection: Recollection;
  readonly #reader: Reader;
  readonly #poller: Poller;
  readonly #answers: Answers;
  readonly #commander: Commander;
  readonly #documents: Documents;
  readonly #reporter: Reporter;
  readonly #confirmations: Confirmations;
  readonly #clockwork: Clockwork;
  readonly #where: Where;
  readonly #startedAt: string;
  readonly #toldHomeless = new Set<string>();
  /** Reads that the platform refuses for good: a document does not wait for them. */
  readonly #unreadable = new Set<string>();
  readonly #strangers = new Set<string>();
  readonly #refusals = new Refusals();
  #reads: readonly Read[];
  #firstRound = true;
  #connected = false;
  /** Counts connections begun and ended. */
  #attempt = 0;
  #beatSeen: ((beat: number | undefined) => void) | undefined;
  readonly #toldRefused = new Set<string>();
  #rebirth: Promise<void> | undefined;
  #lastPollMs: number | undefined;
  #lastSuccessMs: number | undefined;
  #failures = 0;
  #running: Promise<unknown> = Promise.resolve();

  constructor(settings: BridgeSettings, doors: Doors) {
    const { clock, log, platform, quota } = doors;
    const { signal } = this.#stopping;
    this.#settings = settings;
    this.#doors = doors;
    this.#startedAt = new Date(clock.now()).toISOString();
    this.#where = { base: settings.base, prefix: settings.discovery.prefix, version: settings.version };
    this.#publisher = new Publisher(doors.connection, doors.ledger, log);
    this.#recollection = new Recollection(doors.memory, clock);
    for (const device of doors.finder ? (doors.finder.devices() ?? []) : settings.devices) this.#add(device);
    this.#clockwork = new Clockwork({
      states: this.#states,
      zones: { ...settings.timeZone, installation: (id) => doors.finder?.timeZoneOf(id) },
      show: (state, feature) => this.#show(state, feature),
      clock,
      log,
    });
    this.#reader = new Reader(
      platform,
      this.#states,
      {
        seen: (state, features, startedAtMs) => this.#seen(state, features, startedAtMs),
        listed: (state, names) => this.#listed(state, names),
        ended: (state, read, result) => this.#readEnded(state, read, result),
        failed: (read, failure) => this.#readFailed(read, failure),
        stranger: (gateway, device) => this.#stranger(gateway, device),
      },
      clock,
      log,
      signal,
    );
    this.#reads = this.#plan();
    const lastReadMs = (read: Read): number | undefined => this.#recollection.lastReadMs(read);
    this.#poller = new Poller(this.#reads, settings.poll, this.#reader, quota, clock, log, lastReadMs);
    const counted = (read: Read): void => this.#poller.counted(read);
    this.#confirmations = new Confirmations(this.#reader, quota, clock, settings.commands.confirm_s, counted, signal);
    this.#answers = new Answers(settings.base, this.#publisher, clock);
    this.#documents = new Documents(this.#where, this.#publisher, clock, signal);
    this.#reporter = this.#makeReporter();
    this.#commander = new Commander(
      { base: settings.base, maxPayload: settings.maxPayload, rules: settings.commands },
      {
        states: this.#states,
        platform,
        reader: this.#reader,
        readFor: (state, feature) => this.#readFor(state, feature),
        confirmations: this.#confirmations,
        answers: this.#answers,
        publisher: this.#publisher,
        quota,
        journal: doors.journal,
        clock,
        log,
        showFeature: (state, feature) => this.#show(state, feature),
        onFailure: (failure) => this.#heed(failure),
        counted,
        knowsRetainFlag: () => doors.connection.protocol === '5',
        signal,
      },
    );
  }

  /** Begins to poll and to report. The connection is told by `connected`. */
  start(): void {
    // Before the first list nobody knows what is still there.
    if (this.#doors.finder === undefined || this.#doors.finder.devices() !== undefined) this.#dropUnconfigured();
    this.#reporter.info();
    this.#reporter.auth();
    if (this.#settings.discovery.mode === 'device') this.#publisher.own(documentOwner('bridge'), [bridgeDocument(this.#where)]);
    const { signal } = this.#stopping;
    const isWarm = this.#restore();
    if ([...this.#states.values()].some(({ features }) => features.size > 0)) this.#clockwork.settle();
    const polling = this.#poller.run(signal, () => this.#firstRoundEnded());
    const finding = this.#doors.finder?.run(
      signal,
      (devices) => this.#setDevices(devices),
      (failure) => this.#heed(failure),
    );
    this.#running = Promise.all([polling, finding, this.#clockwork.run(signal), this.#commander.answerInterrupted()]);
    if (isWarm) this.#firstRoundEnded();
    // Where the platform hangs, what is known is told all the same.
    this.#doors.clock.sleep(FIRST_ROUND_MS, signal).then(
      () => this.#firstRoundEnded(),
      () => undefined,
    );
  }

  /** The connection stands: subscribes, finds out what the broker still holds, and brings it up to date. */
  async connected(): Promise<void> {
    const { connection, ledger } = this.#doors;
    this.#attempt += 1;
    const attempt = this.#attempt;
    this.#commander.reconnected();
    const { base, discovery } = this.#settings;
    const health = bridgeTopic(base, 'health');
    const asks = ledger.held.size > 0;
    const online = connection.publish({ topic: bridgeTopic(base, 'state'), payload: 'online', retain: true });
    const beat = asks ? await this.#sentinel(health) : undefined;
    await Promise.all([
      online,
      this.#listen(commandFilters(base)),
      discovery.mode === 'off' || this.#listen([discovery.statusTopic], false),
    ]);
    // Another connection has come meanwhile: what this one has shown counts no more.
    if (attempt !== this.#attempt) return;
    this.#connected = true;
    this.#reporter.info();
    this.#publisher.connected(beat);
    this.#reporter.connected();
  }

  disconnected(): void {
    this.#attempt += 1;
    this.#connected = false;
    this.#publisher.disconnected();
  }

  received(message: Incoming): void {
    const { base, discovery } = this.#settings;
    if (message.topic === bridgeTopic(base, 'health')) {
      this.#beatSeen?.(beatOf(message.payload));
      return;
    }
    if (message.topic === discovery.statusTopic) {
      if (!message.retain && new TextDecoder().decode(message.payload).trim() === 'online') this.#hubBorn();
      return;
    }
    // A feature with a part called `call` has state topics that look like commands; what lies retained there is its state.
    if (message.retain && this.#publisher.isOurs(message.topic)) return;
    this.#commander.receive(message, (what, text) => this.#bridgeCommand(message, what, text));
    if (this.#doors.connection.protocol !== '5' && !message.retain && message.payload.length > 0) this.#lookForRetained(message.topic);
  }

  /** The token changed its state. */
  authChanged(): void {
    this.#reporter.auth();
    this.#doors.finder?.retry();
  }

  /** Ends polling, answers whoever waits, says goodbye, with `withdraw` by clearing everything it has retained. At most some seconds. */
  async stop(options: { readonly withdraw?: boolean } = {}): Promise<void> {
    const { clock, connection } = this.#doors;
    const { base } = this.#settings;
    const ended = new AbortController();
    this.#stopping.abort();
    const farewell = async (): Promise<void> => {
      await this.#running;
      await this.#commander.idle();
      if (options.withdraw) for (const owner of this.#publisher.owners()) this.#publisher.own(owner, []);
      await this.#publisher.flushed();
      if (!options.withdraw) await this.#reporter.seal();
      if (!this.#connected) return;
      if (options.withdraw) await connection.publish({ topic: bridgeTopic(base, 'health'), payload: '', retain: true });
      await connection.publish({ topic: bridgeTopic(base, 'state'), payload: options.withdraw ? '' : 'offline', retain: true });
    };
    const enough = clock.sleep(STOP_MS, ended.signal).catch(() => undefined);
    await Promise.race([farewell().catch(() => undefined), enough]);
    ended.abort();
  }

  standing(): Standing {
    const now = this.#doors.clock.elapsedMs();
    const age = this.#lastSuccessMs === undefined ? undefined : Math.round((now - this.#lastSuccessMs) / 1000);
    const patience = Math.max(3 * this.#poller.interval.seconds, 900);
    const waits = this.#doors.quota.pausedForMs(now) > 0 || !this.#doors.quota.mayRead(now);
    return {
      broker: this.#connected,
      platform: (age !== undefined && age <= patience) || (waits && age !== undefined),
      ...(age === undefined ? {} : { last_success_s: age }),
      poll_seconds: this.#poller.interval.seconds,
      auth: this.#doors.auth().state,
    };
  }

  #devices(): readonly Device[] {
    return [...this.#states.values()].map(({ device }) => device);
  }

  #add(device: Device): void {
    const key = deviceKey(device);
    this.#states.set(key, new DeviceState(device));
    if (this.#gone.has(key)) return;
    this.#availability.set(key, new Availability(this.#doors.clock.elapsedMs(), this.#recollection.availability(device)));
    this.#gone.set(key, new Gone(this.#settings.poll.gone_after_h));
  }

  /** Other devices from now on: new ones are read, and what was published for those that are gone is cleared. */
  #setDevices(devices: readonly Device[]): void {
    const keys = new Set(devices.map(deviceKey));
    for (const [key, { device }] of this.#states) {
      if (keys.has(key)) continue;
      for (const known of [this.#states, this.#availability, this.#gone]) known.delete(key);
      this.#doors.log.info({ device: device.name }, 'this device is gone; its topics are cleared');
    }
    for (const device of devices) if (!isDeepStrictEqual(this.#states.get(deviceKey(device))?.device, device)) this.#add(device);
    this.#dropUnconfigured();
    this.#clockwork.zonesRead();
    this.#reporter.info();
    this.#replan();
  }

  #plan(): readonly Read[] {
    const now = this.#doors.clock.elapsedMs();
    return planReads(this.#devices(), {
      mode: this.#settings.read,
      gateways: this.#settings.gateways,
      barred: (kind, target) => this.#refusals.isBarred(kind, target, now),
      known: (device) => this.#knownFeatures(deviceKey(device)),
    });
  }

  /** Names of features that were read in this run or published in an earlier one. */
  #knownFeatures(key: string): readonly string[] {
    const start = `feature ${key} `;
    const published = this.#publisher.owners().flatMap((owner) => (owner.startsWith(start) ? [owner.slice(start.length)] : []));
    return [...new Set([...(this.#states.get(key)?.features.keys() ?? []), ...published])];
  }

  #replan(): void {
    const reads = this.#plan();
    const signs = (all: readonly Read[]): readonly string[] =>
      all.map((read) => [readKey(read.target), ...devicesOf(read).map((device) => `${deviceKey(device)} ${device.name}`)].join(' '));
    if (isDeepStrictEqual(signs(reads), signs(this.#reads))) return;
    this.#reads = reads;
    this.#poller.setReads(reads);
  }

  #readsOf({ device }: DeviceState): readonly Read[] {
    return this.#reads.filter((read) => devicesOf(read).some((one) => deviceKey(one) === deviceKey(device)));
  }

  #readFailed(read: Read, failure: CallFailure): void {
    this.#heed(failure);
    if (this.#refusals.note(read, failure, this.#doors.clock.elapsedMs())) this.#replan();
    if (failure.code === 'not_found') this.#doors.finder?.look();
  }

  #stranger(gateway: string, device: string): void {
    const key = deviceKey({ gateway, device });
    if (this.#strangers.has(key)) return;
    this.#strangers.add(key);
    this.#doors.finder?.look();
  }

  #makeReporter(): Reporter {
    const { clock, log, quota, auth, connection } = this.#doors;
    const at = (ms: number | undefined): string | undefined =>
      ms === undefined ? undefined : new Date(clock.now() - (clock.elapsedMs() - ms)).toISOString();
    return new Reporter(
      this.#settings.base,
      this.#publisher,
      {
        info: () => ({
          version: this.#settings.version,
          started_at: this.#startedAt,
          ...(connection.protocol ? { protocol: connection.protocol } : {}),
          devices: this.#devices().map((device) => {
            const zone = this.#clockwork.zone(device);
            const { name, gateway, device: id } = device;
            return { name, gateway, device: id, ...(zone ? { time_zone: zone.name, time_zone_from: zone.from } : {}) };
          }),
          settings: this.#settings.shown,
        }),
        auth,
        quota: () => quotaReport(quota, this.#poller.interval, clock),
        health: () => {
          const [lastPoll, lastSuccess] = [at(this.#lastPollMs), at(this.#lastSuccessMs)];
          return {
            ...(lastPoll ? { last_poll_at: lastPoll } : {}),
            ...(lastSuccess ? { last_success_at: lastSuccess } : {}),
            poll_seconds: this.#poller.interval.seconds,
            failures: this.#failures,
            published: this.#publisher.published,
            commands: { ...this.#answers.counts },
            memory: Math.round(process.memoryUsage.rss() / 1e6),
          };
        },
      },
      clock,
      log,
    );
  }

  #readFor(state: DeviceState, feature: string): Read {
    const whole = this.#readsOf(state).find(({ target }) => target.feature === undefined);
    const { installation, gateway, device } = state.device;
    return whole ?? { device: state.device, target: { installation, gateway, device, feature } };
  }

  #seen(state: DeviceState, features: readonly Feature[], startedAtMs: number): void {
    this.#confirmations.seen(state, features);
    const [first] = features;
    if (!first) return;
    const looksOther = this.#documents.noteShapes(state, features);
    const whole = this.#readFor(state, first.name).target.feature === undefined;
    this.#recollection.seen(state, features, startedAtMs, whole, this.#documents);
    for (const { name } of features) this.#show(state, name);
    if (features.some(({ name }) => name === TIME_ZONE_FEATURE)) this.#clockwork.zonesRead();
    if (looksOther && !this.#firstRound) this.#publishDocument(state);
  }

  /** Tells what an earlier run knew; true where that is all there is to tell, so that nobody has to wait for the first reads. */
  #restore(): boolean {
    let isAll = this.#states.size > 0;
    for (const state of this.#states.values()) {
      for (const name of this.#recollection.restore(state, this.#documents)) this.#show(state, name);
      isAll &&= this.#isComplete(state);
    }
    return isAll;
  }

  #show(state: DeviceState, name: string): void {
    const feature = state.shown(name);
    if (!feature) return;
    const { messages, homeless } = featureState(this.#settings.base, state.device.name, feature, this.#clockwork.moments(state, feature));
    for (const property of homeless) this.#tellHomeless(state, name, property);
    this.#publisher.own(featureOwner(state, name), messages);
  }

  #tellHomeless(state: DeviceState, feature: string, property: string): void {
    const key = `${deviceKey(state.device)} ${feature} ${property}`;
    if (this.#toldHomeless.has(key)) return;
    this.#toldHomeless.add(key);
    this.#doors.log.warn(
      { device: state.device.name, feature, property },
      'this property has a name that the topics keep for themselves; its value is in the record only',
    );
  }

  /** A complete read: what was published of the device, also in an earlier run, and is not listed any more, will be gone some time. */
  #listed(state: DeviceState, listed: ReadonlySet<string>): void {
    const prefix = featureOwner(state, '');
    const published = this.#publisher.owners().flatMap((owner) => (owner.startsWith(prefix) ? [owner.slice(prefix.length)] : []));
    const missing = [...new Set([...state.features.keys(), ...published])].filter((name) => !listed.has(name));
    const gone = this.#gone.get(deviceKey(state.device))?.note(missing, this.#doors.clock.elapsedMs()) ?? [];
    for (const name of gone) {
      state.features.delete(name);
      this.#publisher.own(featureOwner(state, name), []);
    }
    if (gone.length === 0) return;
    this.#doors.log.info(
      { device: state.device.name, features: gone },
      'the platform no longer has these features; their topics were cleared',
    );
    this.#recollection.gone(state, gone);
    this.#documents.forget(state, gone);
    this.#publishDocument(state);
  }

  #readEnded(state: DeviceState, read: Read, result: ReadResult): void {
    const now = this.#doors.clock.elapsedMs();
    const key = readKey(read.target);
    this.#lastPollMs = now;
    if (result.ok) {
      this.#lastSuccessMs = now;
      this.#unreadable.delete(key);
    } else {
      this.#failures += 1;
      if (NEVER_READ.has(result.failure.code) && !this.#unreadable.has(key)) {
        this.#unreadable.add(key);
        if (!this.#firstRound) this.#publishDocument(state);
      }
    }
    this.#availability.get(deviceKey(state.device))?.read(result, now, key);
    this.#showDevice(state);
  }

  #showDevice(state: DeviceState): void {
    const { base } = this.#settings;
    const availability = this.#availability.get(deviceKey(state.device))?.message(base, state);
    if (!availability) return;
    this.#recollection.keepAvailability(state, availability.payload === 'online' ? 'online' : 'offline');
    this.#publisher.own(`availability ${deviceKey(state.device)}`, [availability]);
    const info = { topic: deviceTopic(base, state.device.name, 'info'), payload: JSON.stringify(identityOf(state)), retain: true };
    if (!this.#firstRound) this.#publisher.own(`info ${deviceKey(state.device)}`, [info]);
  }

  /** What a failed call says about all others. */
  #heed(failure: CallFailure): void {
    if (failure.code !== 'rate_limited') return;
    const { clock, quota, log } = this.#doors;
    const now = clock.elapsedMs();
    if (!quota.refused(failure, now)) return;
    const until = new Date(clock.now() + quota.pausedForMs(now)).toISOString();
    log.warn({ until }, 'the platform refuses further calls (429); nothing is sent until then');
  }

  #firstRoundEnded(): void {
    if (!this.#firstRound) return;
    this.#firstRound = false;
    this.#clockwork.settle();
    this.#clockwork.warn();
    for (const state of this.#states.values()) {
      this.#showDevice(state);
      this.#publishDocument(state);
    }
    const { signal } = this.#stopping;
    this.#running = Promise.all([this.#running, this.#reporter.run(signal), this.#watch(signal)]);
  }

  /** Looks every minute whether a device has been silent for too long. */
  async #watch(signal: AbortSignal): Promise<void> {
    const { clock, quota } = this.#doors;
    for (let last = clock.elapsedMs(); !signal.aborted; ) {
      await clock.sleep(WATCH_MS, signal).catch(() => undefined);
      const now = clock.elapsedMs();
      for (const [key, availability] of this.#availability) {
        // Waiting for the allowance is nobody's fault and never `offline`.
        if (!quota.mayRead(now)) availability.excuse(now - last);
        availability.look(now, this.#poller.interval.seconds);
        const state = this.#states.get(key);
        if (state) this.#showDevice(state);
      }
      last = now;
      this.#replan();
    }
  }

  #publishDocument(state: DeviceState): void {
    if (this.#settings.discovery.mode === 'off') return;
    const complete = this.#isComplete(state);
    // An incomplete document would take entities away that the next read brings back; only the very first one may be incomplete.
    const owner = documentOwner(deviceKey(state.device));
    if (state.features.size > 0 && (complete || !this.#publisher.owners().includes(owner))) this.#documents.publish(state);
  }

  /** True where every read of the device has shown something, in this run or an earlier one, or is refused for good. */
  #isComplete(state: DeviceState): boolean {
    const { features } = state;
    return this.#readsOf(state).every(({ target }) =>
      target.feature === undefined ? features.size > 0 : features.has(target.feature) || this.#unreadable.has(readKey(target)),
    );
  }

  /** Clears what an earlier run published for devices and features that the settings no longer name. */
  #dropUnconfigured(): void {
    const devices = new Map([...this.#states.values()].map(({ device }) => [deviceKey(device), device]));
    for (const owner of this.#publisher.owners()) {
      const [kind = '', key = '', ...rest] = owner.split(' ');
      const device = devices.get(key);
      const feature = rest.join(' ');
      const stays =
        kind === 'bridge' ||
        (kind === 'document' && this.#settings.discovery.mode === 'device' && (key === 'bridge' || device !== undefined)) ||
        (kind === 'feature' && device !== undefined && isChosen(device, feature)) ||
        ((kind === 'availability' || kind === 'info') && device !== undefined);
      if (!stays) this.#publisher.own(owner, []);
    }
  }

  /** The beat that the broker shows on `topic`, or undefined where it shows none soon after it has accepted the subscription. */
  async #sentinel(topic: string): Promise<number | undefined> {
    const { connection, clock } = this.#doors;
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    this.#beatSeen = resolve;
    await connection.subscribe([topic]);
    void clock.sleep(SENTINEL_MS).then(() => resolve(undefined));
    const beat = await promise;
    await connection.unsubscribe(topic);
    return beat;
  }

  /** Subscribes; a broker whose rules refuse it gets all the rest all the same, and the user one sentence. */
  async #listen(filters: readonly string[], retainAsPublished = true): Promise<void> {
    try {
      await this.#doors.connection.subscribe(filters, retainAsPublished);
    } catch (cause) {
      if (!isRefusal(cause)) throw cause;
      const [first] = filters;
      if (first === undefined || this.#toldRefused.has(first)) return;
      this.#toldRefused.add(first);
      this.#doors.log.warn(
        { topic: first, why: cause.message },
        'the broker does not let the bridge subscribe here; give its user the right to read it',
      );
    }
  }

  /** A hub was born: after some seconds it is offered the documents again (reference/home-assistant.md §3). */
  #hubBorn(): void {
    if (this.#rebirth) return;
    const { clock } = this.#doors;
    this.#rebirth = clock.sleep(1000 + 4000 * Math.random(), this.#stopping.signal).then(
      () => {
        for (const owner of this.#publisher.owners()) if (owner.startsWith('document ')) this.#publisher.showAll(owner);
        this.#documents.offeredAgain();
        this.#rebirth = undefined;
      },
      () => undefined,
    );
  }

  /** With MQTT 3.1.1 a retained command looks like any other; asking again shows whether it stayed on the broker. */
  #lookForRetained(topic: string): void {
    const filter = filterOf(this.#settings.base, topic);
    if (filter) this.#doors.connection.subscribe([filter]).catch(() => undefined);
  }

  async #finishLogin(address: string): ReturnType<FinishLogin> {
    const { finishLogin } = this.#doors;
    if (!finishLogin) {
      const message = 'platform.login_over_mqtt is not true in the settings; run `heating2mqtt login` beside the bridge';
      return { status: 'rejected', code: 'forbidden', message };
    }
    const ended = await finishLogin(address);
    if (ended.status === 'applied') this.#poller.pollNow();
    return ended;
  }

  #bridgeCommand(message: Incoming, what: BridgeCommand, text: string): void {
    const answer = (said: Awaited<ReturnType<FinishLogin>>): void => this.#answers.give(message, said, false);
    if (what === 'auth') {
      void this.#finishLogin(text).then(answer);
      return;
    }
    if (what === 'republish') {
      this.#publisher.showAll();
      answer({ status: 'applied', message: 'everything is published again' });
      return;
    }
    if (!this.#doors.quota.mayRead(this.#doors.clock.elapsedMs())) {
      answer({ status: 'rejected', code: 'no_quota', message: 'there is no call left for a poll now; see bridge/quota' });
      return;
    }
    const device = this.#devices().find(({ name }) => name === text.trim())?.name;
    if (device === undefined) this.#doors.finder?.look();
    this.#poller.pollNow(device);
    answer({ status: 'applied', message: device === undefined ? 'all devices are read now' : `${device} is read now` });
  }
}

const WATCH_MS = 60_000;
const NEVER_READ: ReadonlySet<string> = new Set(['not_found', 'not_paid', 'gone', 'forbidden']);

/** Features have dots and no blanks; a name with one still stays whole, being the last part. */
const featureOwner = (state: DeviceState, feature: string): string => `feature ${deviceKey(state.device)} ${feature}`;

const beatOf = (payload: Uint8Array): number | undefined => {
  try {
    const health: unknown = JSON.parse(new TextDecoder().decode(payload));
    const beat = typeof health === 'object' && health !== null && 'beat' in health ? health.beat : undefined;
    return typeof beat === 'number' ? beat : undefined;
  } catch {
    return undefined;
  }
};
