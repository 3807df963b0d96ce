import { bridgeTopic } from '../topics/topicNames.ts';
import { CommandReceiver } from './commands/commandReceiver.ts';
import { DuplicateMessages } from './commands/duplicateMessages.ts';
import { RetainedCommands } from './commands/retainedCommands.ts';
import { makeReading, type Reading } from './compose.ts';
import { type Commands, makeCommands } from './composeCommands.ts';
import type { BridgeSettings, Dependencies } from './dependencies.ts';
import { watchAvailability } from './devices/availabilityWatchdog.ts';
import { type Device, deviceKey } from './devices/deviceState.ts';
import type { BridgeStatus } from './polling/pollStatistics.ts';
import type { Incoming } from './ports.ts';
import { MqttSession } from './publishing/mqttSession.ts';
import { RetainedMonitor } from './publishing/retainedMonitor.ts';
import { dropUnconfigured } from './publishing/topicOwnership.ts';
import { BridgeCommands } from './status/bridgeCommands.ts';
import { ProfileCheck } from './status/profileCheck.ts';
import { reportSources } from './status/reportSources.ts';
import { StatusPublisher } from './status/statusPublisher.ts';
import type { AuthReport } from './status/statusReports.ts';

const STOP_MS = 3000;
const FIRST_ROUND_MS = 10_000;

/** The process between the two doors: polls, publishes, listens, answers. */
export class Bridge {
  readonly #settings: BridgeSettings;
  readonly #doors: Dependencies;
  readonly #stopping = new AbortController();
  readonly #reading: Reading;
  readonly #commands: Commands;
  readonly #receiver: CommandReceiver;
  readonly #reporter: StatusPublisher;
  readonly #session: MqttSession;
  readonly #watch: RetainedMonitor;
  readonly #copies: DuplicateMessages;
  #login: string | undefined;
  #running: Promise<unknown> = Promise.resolve();

  constructor(settings: BridgeSettings, doors: Dependencies) {
    this.#settings = settings;
    this.#doors = doors;
    this.#reading = makeReading(settings, doors, this.#stopping.signal, {
      onAccess: () => this.#reporter.auth(),
      onSeen: ({ device }, features) => {
        for (const one of features) this.#commands.overrides.seen({ device: deviceKey(device), feature: one.name }, one);
      },
    });
    this.#commands = makeCommands(settings, doors, this.#reading, this.#stopping.signal);
    this.#receiver = this.#makeReceiver();
    this.#reporter = this.#makeReporter();
    this.#session = this.#makeSession();
    this.#watch = this.#makeWatch();
    this.#copies = new DuplicateMessages(settings.base, doors.clock);
  }

  /** Begins to poll and to report. The connection is told by `connected`. */
  start(): void {
    const { finder, clock } = this.#doors;
    const { documents, poller, clockwork, tally, heed } = this.#reading;
    // Before the first list nobody knows what is still there.
    if (finder === undefined || finder.devices() !== undefined) this.#dropUnconfigured();
    this.#reporter.info();
    this.#reporter.auth();
    this.#login = loginOf(this.#doors.auth());
    if (this.#settings.discovery.mode !== 'off') documents.publishBridge();
    const { signal } = this.#stopping;
    const isWarm = this.#restore();
    const polling = poller.run(signal, () => this.#firstRoundEnded());
    const finding = finder?.run(
      signal,
      (devices) => this.#setDevices(devices),
      (failure) => {
        tally.failed(failure);
        heed(failure);
      },
    );
    this.#commands.overrides.show();
    this.#running = Promise.all([polling, finding, clockwork.run(signal), this.#commands.runReverts(), this.#commands.recover()]);
    if (isWarm) this.#firstRoundEnded();
    // Where the platform hangs, what is known is told all the same.
    clock.sleep(FIRST_ROUND_MS, signal).then(
      () => this.#firstRoundEnded(),
      () => undefined,
    );
  }

  /** The connection stands: subscribes, finds out what the broker still holds, and brings it up to date. */
  connected(): Promise<void> {
    return this.#session.connected(this.#doors.ledger.held.size > 0);
  }

  disconnected(): void {
    this.#session.disconnected();
  }

  received(message: Incoming): void {
    this.#session.received(message);
  }

  /** What an earlier run has left on the broker, where the ledger of it was lost: by topic, with its owner. */
  found(left: ReadonlyMap<string, string>): void {
    const { finder } = this.#doors;
    const { publisher, devices, topics } = this.#reading;
    publisher.find(left);
    if (finder === undefined || finder.devices() !== undefined) this.#dropUnconfigured();
    for (const state of devices.states.values()) topics.showComposites(state);
  }

  /** The token changed its state. */
  authChanged(): void {
    this.#reporter.auth();
    this.#doors.finder?.retry();
    const login = loginOf(this.#doors.auth());
    if (login === this.#login) return;
    this.#login = login;
    // Whatever was refused to the login before may be open to this one.
    this.#doors.finder?.retry(true);
    this.#reading.poller.pollNow();
  }

  standing(): BridgeStatus {
    const { quota, auth } = this.#doors;
    const { tally, poller, access } = this.#reading;
    const { state, message } = access.report(auth());
    return { broker: this.#session.isReady, ...tally.standing(poller, quota), auth: state, auth_message: message };
  }

  /** Ends polling, answers whoever waits, says goodbye, with `withdraw` by clearing everything it has retained. At most some seconds. */
  async stop(options: { readonly withdraw?: boolean } = {}): Promise<void> {
    const ended = new AbortController();
    this.#stopping.abort();
    const enough = this.#doors.clock.sleep(STOP_MS, ended.signal).catch(() => undefined);
    await Promise.race([this.#farewell(options.withdraw === true).catch(() => undefined), enough]);
    ended.abort();
  }

  async #farewell(withdraw: boolean): Promise<void> {
    const { connection } = this.#doors;
    const { base } = this.#settings;
    const { publisher } = this.#reading;
    await this.#running;
    await this.#commands.handler.idle();
    if (withdraw) for (const owner of publisher.owners()) publisher.assign(owner, []);
    await publisher.flushed();
    if (!withdraw) await this.#reporter.seal();
    if (!this.#session.isReady) return;
    if (withdraw) await connection.publish({ topic: bridgeTopic(base, 'health'), payload: '', retain: true });
    await this.#session.farewell(withdraw);
  }

  /** Everything retained once more: whoever asks for it has lost something. */
  #republish(): void {
    this.#reading.publisher.showAll();
    this.#session.announce().catch(() => undefined);
    this.#reporter.again();
  }

  /** Tells what an earlier run knew; true where that is all there is to tell, so that nobody has to wait for the first reads. */
  #restore(): boolean {
    const { devices, recollection, documents, topics, clockwork, reads } = this.#reading;
    let isAll = devices.all.length > 0;
    for (const state of devices.states.values()) {
      for (const name of recollection.restore(state, documents)) topics.showFeature(state, name);
      if (state.features.size > 0) topics.showComposites(state);
      isAll &&= reads.areComplete(state);
    }
    if ([...devices.states.values()].some(({ features }) => features.size > 0)) clockwork.settle();
    return isAll;
  }

  #firstRoundEnded(): void {
    if (!this.#reading.topics.isFirstRound) return;
    this.#reading.topics.firstRoundEnded();
    this.#reading.clockwork.settle();
    this.#reading.clockwork.warn();
    this.#commands.overrides.show();
    const { signal } = this.#stopping;
    const profiles = new ProfileCheck({ ...this.#settings, ...this.#reading, ...this.#doors });
    profiles.look();
    const watching = watchAvailability({ ...this.#reading, ...this.#doors }, signal, () => {
      this.#reading.replan();
      profiles.look();
    });
    this.#running = Promise.all([this.#running, this.#reporter.run(signal), watching]);
  }

  /** Other devices from now on: new ones are read, and what was published for those that are gone is cleared. */
  #setDevices(devices: readonly Device[]): void {
    const gone = this.#reading.devices.replace(devices);
    for (const { name } of gone) this.#doors.log.info({ device: name }, 'this device is gone; its topics are cleared');
    this.#dropUnconfigured();
    this.#reading.clockwork.zonesRead();
    this.#commands.overrides.show();
    this.#reporter.info();
    this.#reading.replan();
  }

  #dropUnconfigured(): void {
    const { publisher, devices, offers } = this.#reading;
    const spared = this.#doors.finder?.unlisted() ?? new Set();
    dropUnconfigured(publisher, devices.all, this.#settings.discovery.mode !== 'off', spared, (owner) => offers.withdraw(owner));
  }

  #receiveCommand(message: Incoming): void {
    if (this.#copies.isCopy(message)) return;
    // A feature with a part called `call` has state topics that look like commands; what lies retained there is its state.
    if (message.retain && this.#reading.publisher.isOurs(message.topic)) return;
    this.#receiver.receive(message);
    this.#session.lookForRetained(message);
  }

  #makeReceiver(): CommandReceiver {
    const { publisher } = this.#reading;
    const { connection, clock, log } = this.#doors;
    const { parser, handler, results } = this.#commands;
    const own = new BridgeCommands({ ...this.#reading, ...this.#doors, results, republish: () => this.#republish() });
    const retained = new RetainedCommands(connection, publisher, clock, log);
    return new CommandReceiver(this.#settings, parser, handler, own, results, publisher, retained, clock);
  }

  #makeReporter(): StatusPublisher {
    const { clock, log } = this.#doors;
    const sources = reportSources(this.#settings, { ...this.#reading, ...this.#doors, results: this.#commands.results });
    return new StatusPublisher(this.#settings.base, this.#reading.publisher, sources, clock, log);
  }

  #makeSession(): MqttSession {
    const { connection, clock, log } = this.#doors;
    const { base, discovery } = this.#settings;
    const { publisher, offers, deepFeatures } = this.#reading;
    const hubTopic = discovery.mode === 'off' && !offers.matters ? undefined : discovery.statusTopic;
    const events = {
      begun: () => this.#receiver.reconnected(),
      ready: (beat: number | undefined) => {
        this.#reporter.info();
        publisher.connected(beat);
        this.#watch.connected();
        deepFeatures.connected();
        this.#reporter.connected();
      },
      ended: () => {
        publisher.disconnected();
        this.#watch.disconnected();
        deepFeatures.disconnected();
        offers.hubLost();
      },
      hubBorn: () => offers.hubBorn(),
      hubLost: () => offers.hubLost(),
      watched: (message: Incoming) => this.#watch.received(message),
      command: (message: Incoming) => this.#receiveCommand(message),
    };
    return new MqttSession({ base, hubTopic }, connection, events, clock, log);
  }

  #makeWatch(): RetainedMonitor {
    return new RetainedMonitor({
      ...this.#doors,
      publisher: this.#reading.publisher,
      state: { topic: bridgeTopic(this.#settings.base, 'state'), payload: 'online', announce: () => this.#session.announce() },
      documentLost: (owner) => this.#reading.offers.lost(owner),
      signal: this.#stopping.signal,
    });
  }
}

/** A login is told from the one before by when it ends. */
const loginOf = ({ consent_expires_at: consent, login_needed_at: end }: AuthReport): string | undefined => consent ?? end;
