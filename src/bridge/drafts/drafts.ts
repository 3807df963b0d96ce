import type { Feature } from '../../features/feature.ts';
import { hasPlans, isCancelling } from '../../features/fields.ts';
import type { Clock } from '../../shared/clock.ts';
import { type CommandRequest, type DeviceRequest, reply } from '../commands/commandRequest.ts';
import type { Waiting, Write } from '../commands/evaluate.ts';
import { type Device, type DeviceState, deviceKey } from '../devices/deviceState.ts';
import type { FeatureStore } from '../devices/featureStore.ts';
import type { ResultPublisher } from '../execution/resultPublisher.ts';
import type { SendObserver, Sent } from '../execution/sentCommand.ts';
import type { DeviceDiscovery } from '../polling/deviceDiscovery.ts';
import { isChosen } from '../polling/readTarget.ts';
import type { KeyedStore } from '../ports.ts';
import { type Draft, type Joined, type KeptWrite, readKept, type ShownDraft, shownDraft } from './draft.ts';
import { CANCELLED, type Ended, noCommand, noDevice, noFeature, notFollowed, superseded } from './endings.ts';

const DAY_MS = 86_400_000;
// A clock that was set, or a machine that slept, is noticed within this time.
const LOOK_MS = 60_000;

/** What is known of the devices; it is told where something else is shown than before. */
type Devices = Pick<FeatureStore, 'states' | 'on' | 'emit'>;

type DraftSettings = {
  /** The time zone in which instants are shown. */
  readonly zone: (device: Device) => string;
  /** Undefined where the settings name the devices; it gives none while it is not known which there are. */
  readonly discovery?: Pick<DeviceDiscovery, 'devices'> | undefined;
};

/**
 * Writes of which the command needs other values too. They are kept, over restarts, until these are written; a day at most. Each gets its
 * one final answer: with the command, or when it ends without one.
 */
export class Drafts implements SendObserver {
  readonly #settings: DraftSettings;
  readonly #devices: Devices;
  readonly #store: KeyedStore;
  readonly #results: Pick<ResultPublisher, 'replyTo'>;
  readonly #clock: Clock;
  /** In the order in which they came. */
  readonly #kept = new Map<number, KeptWrite>();
  /** Those that came to this process: only these know their response topic. */
  readonly #requests = new Map<number, DeviceRequest>();
  /** Since when this process knows them (`Clock.elapsedMs`): none waits for longer than a day, wherever the clock is set. */
  readonly #knownMs = new Map<number, number>();
  /** Those that go with a command whose answer has not come: they are shown until then. */
  readonly #sending = new Map<Sent, readonly KeptWrite[]>();
  #next = 1;
  #woken = new AbortController();

  /** Loads what an earlier run has stored. What waits ends where its command, feature or device is gone. */
  constructor(settings: DraftSettings, devices: Devices, store: KeyedStore, results: Pick<ResultPublisher, 'replyTo'>, clock: Clock) {
    this.#settings = settings;
    this.#devices = devices;
    this.#store = store;
    this.#results = results;
    this.#clock = clock;
    const { kept, broken } = readKept(store.read());
    for (const name of broken) store.write(name, undefined);
    for (const [key, write] of [...kept].sort(([a], [b]) => a - b)) {
      this.#kept.set(key, write);
      this.#knownMs.set(key, clock.elapsedMs());
      this.#next = key + 1;
    }
    devices.on('featuresRead', ({ state, changed }) => {
      for (const feature of this.#kept.size > 0 ? changed : []) this.#seen(state, feature);
    });
    devices.on('featuresGone', (state, names) => {
      for (const [key, { device, feature }] of [...this.#kept])
        if (device === deviceKey(state.device) && names.includes(feature)) this.#end(key, noFeature(feature));
    });
    devices.on('devicesChanged', () => this.#dropUnknown());
  }

  /** What waits on the feature; undefined where nothing does. */
  of(state: DeviceState, feature: string): Draft | undefined {
    const all = this.#on(deviceKey(state.device), feature);
    const last = all.at(-1)?.[1];
    if (!last) return undefined;
    const values = new Map(all.flatMap(([, write]) => Object.entries(write.values)));
    return { command: last.command, values, writes: all.map(([key, write]) => this.#joined(state, key, write)) };
  }

  /** What is shown of it: also while the command is on its way. */
  shown(state: DeviceState, feature: string): ShownDraft | undefined {
    const device = deviceKey(state.device);
    const isOn = (write: KeptWrite): boolean => write.device === device && write.feature === feature;
    const all = [...[...this.#sending.values()].flat().filter(isOn), ...this.#on(device, feature).map(([, write]) => write)];
    return all.length === 0 ? undefined : shownDraft(all, this.#settings.zone(state.device));
  }

  /** Keeps a write that needs others. What it writes anew takes the place of what waited. */
  keep(request: DeviceRequest, write: Write, { values, missing }: Waiting): void {
    const { state } = request.target;
    const { feature, command, envelope } = write;
    const now = this.#clock.now();
    const key = this.#next++;
    const kept: KeptWrite = {
      device: deviceKey(state.device),
      name: state.device.name,
      feature,
      command,
      topic: request.source,
      id: envelope.id ?? request.id,
      by: request.by,
      values: Object.fromEntries(values),
      missing,
      sinceMs: now,
      untilMs: now + DAY_MS,
    };
    const older = this.#on(kept.device, feature);
    this.#kept.set(key, kept);
    this.#requests.set(key, request);
    this.#knownMs.set(key, this.#clock.elapsedMs());
    this.#store.write(String(key), kept);
    const names = [...values.keys()];
    for (const [other, { command: its }] of older) {
      if (its === command) this.#overwrite(other, names, `${names.join(', ')} was written again before it was sent`);
      else this.#end(other, superseded(`${names.join(', ')} of ${command} waits instead; it was not sent`));
    }
    const until = new Date(kept.untilMs).toISOString();
    const message = `${names.join(', ')} is kept until ${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} written too; nothing was sent yet`;
    this.#devices.emit('pendingChanged', state, feature);
    reply(request, { status: 'waiting', message, until, facts: { about: 'waits', names, missing } }, write);
    this.#woken.abort();
  }

  /** True for a command that has nothing to cancel but what waits. */
  isAllToCancel(state: DeviceState, feature: Feature, command: string): boolean {
    const draft = this.of(state, feature.name);
    if (!draft || !isCancelling(feature, command)) return false;
    return feature.commands.get(command)?.isExecutable !== true || !hasPlans(feature, draft.command);
  }

  /** Discards what waits on the feature. */
  cancel(state: DeviceState, feature: string): void {
    for (const [key] of this.#on(deviceKey(state.device), feature)) this.#end(key, CANCELLED);
    this.#devices.emit('pendingChanged', state, feature);
  }

  /** A write has changed nothing, as all of it is shown already: `joined` waited for it, and `properties` wait no more. */
  unchanged(state: DeviceState, feature: string, joined: readonly Joined[], properties: readonly string[]): void {
    if (this.#on(deviceKey(state.device), feature).length === 0) return;
    for (const { waited } of joined) this.#end(waited, { status: 'unchanged' });
    for (const [key] of this.#on(deviceKey(state.device), feature))
      this.#overwrite(key, properties, `${properties.join(', ')} was written back before it was sent`);
    this.#devices.emit('pendingChanged', state, feature);
  }

  beforeSend(sent: Sent): void {
    const { state, feature, command, shares, effect, before } = sent;
    const all = this.#on(deviceKey(state.device), feature);
    if (all.length === 0) return;
    const joined = new Set(shares.flatMap(({ waited }) => waited ?? []));
    this.#sending.set(
      sent,
      all.flatMap(([key, write]) => (joined.has(key) ? [write] : [])),
    );
    const isCancelled = isCancelling(before, command);
    for (const [key, write] of all) {
      // From here the journal keeps it.
      if (joined.has(key)) this.#forget(key);
      else if (isCancelled) this.#end(key, CANCELLED);
      else if (write.command === command) this.#end(key, superseded(`${command} was sent with other values`));
      else this.#overwrite(key, [...(effect?.values.keys() ?? [])], `${command} was sent instead`);
    }
    this.#devices.emit('pendingChanged', state, feature);
  }

  accepted(sent: Sent): void {
    this.#answered(sent);
  }

  ended(sent: Sent): void {
    this.#answered(sent);
  }

  /** A read has shown the feature. */
  #seen(state: DeviceState, feature: Feature): void {
    for (const [key, { command }] of this.#on(deviceKey(state.device), feature.name)) {
      if (feature.isEnabled && feature.commands.has(command)) continue;
      this.#end(key, noCommand(feature.name, command));
    }
  }

  /** Ends what waits on devices that are not known, and on features that the settings leave out. */
  #dropUnknown(): void {
    const { discovery } = this.#settings;
    if (discovery && discovery.devices() === undefined) return;
    for (const [key, { device, name, feature, ended }] of [...this.#kept]) {
      const known = this.#devices.states.get(device)?.device;
      if (ended || (known && isChosen(known, feature))) continue;
      this.#end(key, known ? noFeature(feature) : noDevice(name));
    }
  }

  /** Answers what an earlier run could not, and ends each write when its day is over. Resolves when the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    for (const [key, { ended }] of [...this.#kept]) if (ended) this.#end(key, ended as Ended);
    while (!signal.aborted) {
      this.#woken = new AbortController();
      this.#dropUnknown();
      for (const [key, write] of [...this.#kept]) if (!write.ended && this.#waitMs(key, write) <= 0) this.#expire(key, write);
      const waits = [...this.#kept].flatMap(([key, write]) => (write.ended ? [] : [this.#waitMs(key, write)]));
      const pause = Math.max(0, waits.length === 0 ? DAY_MS : Math.min(LOOK_MS, ...waits));
      await this.#clock.sleep(pause, AbortSignal.any([signal, this.#woken.signal])).catch(() => undefined);
    }
  }

  #waitMs(key: number, { untilMs }: KeptWrite): number {
    const knownMs = this.#knownMs.get(key) ?? 0;
    return Math.min(untilMs - this.#clock.now(), knownMs + DAY_MS - this.#clock.elapsedMs());
  }

  #expire(key: number, { values, missing, device, feature }: KeptWrite): void {
    this.#end(key, notFollowed(Object.keys(values), missing));
    const state = this.#devices.states.get(device);
    if (state) this.#devices.emit('pendingChanged', state, feature);
  }

  #on(device: string, feature: string): readonly (readonly [key: number, write: KeptWrite])[] {
    if (this.#kept.size === 0) return [];
    return [...this.#kept].filter(([, write]) => write.device === device && write.feature === feature && !write.ended);
  }

  #joined(state: DeviceState, waited: number, kept: KeptWrite): Joined {
    const { feature, command, id, values } = kept;
    const content = { kind: 'arguments', args: values, placeOf: (path: string) => path } as const;
    const write: Write = { feature, command, envelope: id === undefined ? {} : { id }, content, dryRun: false };
    return { waited, request: this.#requests.get(waited) ?? this.#requestOf(state, kept), write, properties: Object.keys(values) };
  }

  /** The request of a write that came to an earlier run. */
  #requestOf(state: DeviceState, { feature, topic, by, id }: KeptWrite): DeviceRequest {
    const device = state.device.name;
    return {
      source: topic,
      replyTo: this.#results.replyTo({ topic, by }),
      by,
      id,
      address: { kind: 'set', device, path: feature.split('.') },
      target: { kind: 'kept', state, device, feature },
      text: '',
      atMs: this.#clock.elapsedMs(),
    };
  }

  /** These properties of a write are written otherwise; the write ends where nothing is left of it. */
  #overwrite(key: number, properties: readonly string[], why: string): void {
    const write = this.#kept.get(key);
    if (!write) return;
    const values = Object.fromEntries(Object.entries(write.values).filter(([name]) => !properties.includes(name)));
    const left = Object.keys(values).length;
    if (left === 0) this.#end(key, superseded(why));
    else if (left < Object.keys(write.values).length) {
      this.#kept.set(key, { ...write, values });
      this.#store.write(String(key), { ...write, values });
    }
  }

  /** Gives a write its final answer. It is stored with it until the answer has arrived. */
  #end(key: number, result: Ended): void {
    const write = this.#kept.get(key);
    if (!write) return;
    const ended = { status: result.status, code: result.code, message: result.message };
    this.#kept.set(key, { ...write, ended });
    this.#store.write(String(key), { ...write, ended });
    const { device, name, feature, command, topic, by, id } = write;
    const state = this.#devices.states.get(device);
    const replyTo = this.#requests.get(key)?.replyTo ?? this.#results.replyTo({ topic, by });
    const known: CommandRequest['target'] = state
      ? { kind: 'kept', state, device: state.device.name, feature }
      : { kind: 'unknown', device: name, feature, refusal: noDevice(name) };
    const about = { envelope: id === undefined ? {} : { id }, feature, command };
    reply({ replyTo, target: known, id }, result, about, () => this.#forget(key));
  }

  #forget(key: number): void {
    this.#kept.delete(key);
    this.#requests.delete(key);
    this.#knownMs.delete(key);
    this.#store.write(String(key), undefined);
  }

  #answered(sent: Sent): void {
    if (this.#sending.delete(sent)) this.#devices.emit('pendingChanged', sent.state, sent.feature);
  }
}
