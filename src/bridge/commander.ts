import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { nearestWords } from '../base/nearest.ts';
import type { Feature } from '../features/feature.ts';
import { type CommandAddress, featureTopic, propertyTopic, readCommandTopic } from '../topics/address.ts';
import { readText } from '../topics/payload.ts';
import { revision } from '../topics/record.ts';
import { schedulePropertyOf } from '../topics/state.ts';
import type { Answers, Said } from './answers.ts';
import type { Confirmations, Confirmed } from './confirm.ts';
import { type Decision, type Effect, evaluate, type Rules, type Write } from './evaluate.ts';
import { type DeviceState, deviceKey, type Wish } from './home.ts';
import type { CallFailure, Incoming, Platform } from './ports.ts';
import type { Publisher } from './publisher.ts';
import type { Quota } from './quota.ts';
import { isCallFailure, type Reader } from './reader.ts';
import type { Read } from './targets.ts';
import { placeOf, type Refusal, understand } from './understand.ts';

export type CommanderOptions = {
  readonly base: string;
  readonly maxPayload: number;
  readonly rules: Rules & { readonly fresh_s: number };
};

export type CommanderParts = {
  readonly states: ReadonlyMap<string, DeviceState>;
  readonly platform: Platform;
  readonly reader: Reader;
  readonly readFor: (state: DeviceState, feature: string) => Read;
  readonly confirmations: Confirmations;
  readonly answers: Answers;
  readonly publisher: Publisher;
  readonly quota: Quota;
  readonly clock: Clock;
  readonly log: Log;
  /** Shows a feature of a device anew: its wishes changed. */
  readonly showFeature: (state: DeviceState, feature: string) => void;
  readonly onFailure: (failure: CallFailure) => void;
  /** Told of each read, since it stands for a poll. */
  readonly counted: (read: Read) => void;
  /** With MQTT 5 the retain flag of live messages is seen, and our own messages do not come back. */
  readonly knowsRetainFlag: () => boolean;
  readonly signal: AbortSignal;
};

const HOUR_MS = 3_600_000;
/** So long a retained copy of what was just executed is known for what it is. */
const ECHO_MS = 10_000;

type FeatureAddress = Exclude<CommandAddress, { readonly to: 'bridge' }>;

export type BridgeCommand = 'poll' | 'auth' | 'republish';

/** Whom a message is for. `shows` is the state topic of what it writes. */
type Whom = { readonly state?: DeviceState; readonly device?: string; readonly feature?: string; readonly shows?: string };

/** One message on its way to an answer. */
type Request = {
  readonly message: Incoming;
  readonly whom: Whom;
  readonly address: FeatureAddress;
  readonly state: DeviceState;
  readonly text: string;
};

/** Takes messages on command topics and gives each exactly one terminal answer (CONTRACT §3, §4). */
export class Commander {
  readonly #options: CommanderOptions;
  readonly #parts: CommanderParts;
  readonly #turns = new Map<string, Promise<void>>();
  readonly #confirming = new Set<Promise<void>>();
  readonly #sent = new Map<string, number[]>();
  readonly #live = new Map<string, { readonly payload: Uint8Array; readonly atMs: number }>();
  readonly #clearing = new Map<string, number>();

  constructor(options: CommanderOptions, parts: CommanderParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** A message on a command topic; `bridge` takes what is for the bridge itself. */
  receive(message: Incoming, bridge: (what: BridgeCommand, text: string) => void): void {
    const address = readCommandTopic(this.#options.base, message.topic);
    const whom = address && address.to !== 'bridge' ? this.#whom(address) : {};
    if (message.payload.length === 0) {
      if (!message.retain && !this.#isOwnEcho(message.topic)) this.#refuse(message, whom, EMPTY);
      return;
    }
    if (message.retain) {
      this.#refuseRetained(message, whom);
      return;
    }
    if (!this.#parts.knowsRetainFlag()) this.#live.set(message.topic, { payload: message.payload, atMs: this.#parts.clock.elapsedMs() });
    if (!address) {
      this.#refuse(message, whom, { code: 'unknown_topic', message: 'no command has such a topic' });
      return;
    }
    const text = readText(message.payload, this.#options.maxPayload);
    if (!text.ok) this.#refuse(message, whom, { code: 'invalid', message: text.issues[0]?.message ?? '', errors: text.issues });
    else if (address.to === 'bridge') bridge(address.what, text.value);
    else this.#begin(message, whom, address, text.value);
  }

  /** What was cleared on an earlier connection is not echoed on a new one. */
  reconnected(): void {
    this.#clearing.clear();
  }

  /** Resolves when every message that was received has its terminal answer. */
  async idle(): Promise<void> {
    await Promise.all(this.#turns.values());
    await Promise.all(this.#confirming);
  }

  #begin(message: Incoming, whom: Whom, address: FeatureAddress, text: string): void {
    const { state } = whom;
    if (!state) {
      this.#refuse(message, whom, this.#unknownDevice(address.device));
      return;
    }
    const place = placeOf(state, address);
    if (place.is === 'unknown') {
      this.#refuse(message, whom, place.refusal);
      return;
    }
    const request: Request = { message, whom, address, state, text };
    const write = place.is === 'known' ? this.#understood(request, place.feature, place.leaf) : undefined;
    if (write === 'refused') return;
    const key = deviceKey(state.device);
    const turn = (this.#turns.get(key) ?? Promise.resolve())
      .then(() => this.#turn(request, write))
      .catch((cause: unknown) => {
        this.#parts.log.error({ topic: message.topic, why: String(cause) }, 'a write ended by a fault of the bridge');
        this.#answer(request, {
          status: 'failed',
          code: 'internal',
          message: 'the bridge made a mistake with this message; please report it',
        });
      });
    this.#turns.set(key, turn);
    void turn.then(() => {
      if (this.#turns.get(key) === turn) this.#turns.delete(key);
    });
  }

  #understood(request: Request, feature: Feature, leaf: string | undefined): Write | 'refused' {
    const { message, whom, address, text } = request;
    const read = understand(message.topic, address, feature, leaf, text);
    if (read.ok) return read.write;
    this.#refuse(message, whom, read.refusal);
    return 'refused';
  }

  /** One write, from the check to the platform's answer. */
  async #turn(request: Request, understood: Write | undefined): Promise<void> {
    if (this.#parts.signal.aborted) {
      this.#answer(request, STOPPING);
      return;
    }
    const write = understood ?? (await this.#afterFirstRead(request));
    if (!write) return;
    const decided = await this.#decide(request, write);
    if (!decided) return;
    const { decision, feature } = decided;
    switch (decision.do) {
      case 'reject': {
        const { code, message, errors } = decision;
        this.#answer(request, { status: 'rejected', code, message, ...(errors ? { errors } : {}) }, write);
        return;
      }
      case 'unchanged':
        this.#answer(request, { status: 'unchanged', rev: revision(feature) }, write);
        return;
      case 'send':
        if (write.dryRun) this.#answer(request, { status: 'valid', ...valid(decision) }, write);
        else await this.#send(request, write, decision, feature);
        return;
      default:
        decision satisfies never;
    }
  }

  async #afterFirstRead(request: Request): Promise<Write | undefined> {
    const { state, address } = request;
    const place = placeOf(state, address);
    if (place.is === 'unread' && !(await this.#readNow(request, place.name))) return undefined;
    const now = placeOf(state, address);
    if (now.is === 'known') {
      const write = this.#understood(request, now.feature, now.leaf);
      return write === 'refused' ? undefined : write;
    }
    const refusal =
      now.is === 'unknown' ? now.refusal : { code: 'unknown_feature', message: `the platform shows no feature ${now.name} of this device` };
    this.#refuse(request.message, request.whom, refusal);
    return undefined;
  }

  /** Decides by a record that is fresh enough (CONTRACT §3.10); a payload that is wrong in itself costs no call. */
  async #decide(request: Request, write: Write): Promise<{ readonly decision: Decision; readonly feature: Feature } | undefined> {
    const { state } = request;
    const first = this.#evaluate(state, write);
    if (first && first.decision.do === 'reject' && !first.decision.mayAge) return first;
    const readAtMs = state.features.get(write.feature)?.readAtMs ?? Number.NEGATIVE_INFINITY;
    const fresh = this.#parts.clock.elapsedMs() - readAtMs <= this.#options.rules.fresh_s * 1000;
    if (fresh || !this.#mayCall()) return first;
    if (!(await this.#readNow(request, write.feature, write))) return undefined;
    return this.#evaluate(state, write);
  }

  #evaluate(state: DeviceState, write: Write): { readonly decision: Decision; readonly feature: Feature } | undefined {
    const feature = state.shown(write.feature);
    return feature && { decision: evaluate(write, feature, this.#options.rules, this.#sentLately(state, write.feature).length), feature };
  }

  /** Reads a feature for a write; where that fails the write has failed. */
  async #readNow(request: Request, feature: string, write?: Write): Promise<boolean> {
    const read = this.#parts.readFor(request.state, feature);
    this.#parts.counted(read);
    const result = await this.#parts.reader.read(read);
    if (result.ok) return true;
    const why = `not sent, as the present state could not be read first: ${result.failure.message}`;
    this.#answer(request, { ...failed(result.failure), message: why }, write);
    return false;
  }

  async #send(request: Request, write: Write, decision: Decision & { readonly do: 'send' }, before: Feature): Promise<void> {
    const { state } = request;
    const { installation, gateway, device } = state.device;
    if (!this.#mayCall()) {
      this.#answer(
        request,
        { status: 'failed', code: 'rate_limited', message: 'not sent: the platform takes no calls now (see bridge/quota)' },
        write,
      );
      return;
    }
    this.#sentLately(state, write.feature).push(this.#parts.clock.elapsedMs());
    try {
      const target = { installation, gateway, device, feature: write.feature };
      const accepted = await this.#parts.platform.execute(target, write.command, decision.args, this.#parts.signal);
      this.#accepted(request, write, decision, before, accepted);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      this.#parts.onFailure(error);
      if (error.executed === 'unknown') this.#follow(this.#findOut(request, write, decision.effect, before, error));
      else this.#answer(request, failed(error), write);
    }
  }

  #accepted(
    request: Request,
    write: Write,
    decision: Decision & { readonly do: 'send' },
    before: Feature,
    said: { readonly adapted: boolean; readonly reason?: string; readonly message?: string },
  ): void {
    const { state } = request;
    const { effect } = decision;
    const words = { ...(said.reason ? { reason: said.reason } : {}), ...(said.message ? { message: said.message } : {}) };
    if (!effect) {
      this.#answer(request, { status: 'applied', ...words }, write);
      this.#follow(this.#parts.confirmations.look(this.#parts.readFor(state, write.feature)));
      return;
    }
    const wish: Wish = { feature: write.feature, values: effect.values };
    state.wish(wish);
    this.#parts.showFeature(state, write.feature);
    this.#answer(request, { status: 'accepted', ...words }, write);
    const confirmed = this.#parts.confirmations.wait({
      state,
      feature: write.feature,
      effect,
      before,
      adapted: said.adapted,
      read: this.#parts.readFor(state, write.feature),
    });
    const changed = decision.changed ? { changed: decision.changed } : {};
    this.#follow(confirmed.then((how) => this.#finish(request, write, wish, how, { ...words, ...changed })));
  }

  #finish(request: Request, write: Write, wish: Wish, confirmed: Confirmed, words: Partial<Said>): void {
    const { state } = request;
    if (confirmed.how === 'no_quota') state.lapse(wish);
    else state.unwish(wish);
    this.#parts.showFeature(state, write.feature);
    const feature = state.shown(write.feature);
    const rev = feature ? { rev: revision(feature) } : {};
    if (confirmed.how === 'shown') this.#answer(request, { status: 'applied', ...words, ...rev }, write);
    else if (confirmed.how === 'adapted') this.#answer(request, { status: 'applied', ...words, ...rev, adapted: confirmed.shows }, write);
    else
      this.#answer(request, { status: 'unconfirmed', ...words, code: confirmed.how, message: UNCONFIRMED[confirmed.how], ...rev }, write);
  }

  /** An answer that got lost is never followed by sending again: the platform is asked what it shows (CONTRACT §4). */
  async #findOut(request: Request, write: Write, effect: Effect | undefined, before: Feature, failure: CallFailure): Promise<void> {
    const read = this.#parts.readFor(request.state, write.feature);
    if (effect) {
      const what = { state: request.state, feature: write.feature, effect, before, adapted: false, read };
      const confirmed = await this.#parts.confirmations.wait(what);
      if (confirmed.how === 'shown') {
        const feature = request.state.shown(write.feature);
        this.#answer(request, { status: 'applied', ...(feature ? { rev: revision(feature) } : {}) }, write);
        return;
      }
    } else await this.#parts.confirmations.look(read);
    const message = `it is not known whether the platform carried this out, and it does not show it: ${failure.message}`;
    this.#answer(request, { ...failed(failure), code: 'unknown_outcome', message }, write);
  }

  #follow(work: Promise<void>): void {
    const followed = work.finally(() => this.#confirming.delete(followed));
    this.#confirming.add(followed);
  }

  #answer(request: Request, said: Said, write?: Write): void {
    const { message, whom } = request;
    const of = write
      ? { feature: write.feature, command: write.command, ...(write.envelope.id === undefined ? {} : { id: write.envelope.id }) }
      : {};
    this.#give(message, { ...whom, ...(write ? { feature: write.feature } : {}) }, { ...said, ...of });
  }

  #refuse(message: Incoming, whom: Whom, { code, message: sentence, errors }: Refusal): void {
    this.#give(message, whom, { status: 'rejected', code, message: sentence, ...(errors ? { errors } : {}) });
  }

  /** After a write that ended other than `applied` the present value is shown once more (CONTRACT §2.1). */
  #give(message: Incoming, whom: Whom, said: Said): void {
    if (said.status !== 'applied' && said.status !== 'accepted' && said.status !== 'valid' && whom.shows)
      this.#parts.publisher.show(whom.shows);
    const { device, feature } = whom;
    this.#parts.answers.give(
      message,
      { ...(device === undefined ? {} : { device }), ...(feature === undefined ? {} : { feature }), ...said },
      whom.state !== undefined,
    );
  }

  /** Whom a message is for: names for the answer, and the state topic that shows what it writes. */
  #whom(address: FeatureAddress): Whom {
    const state = [...this.#parts.states.values()].find(({ device }) => device.name === address.device);
    if (!state) return { device: address.device, feature: address.path.join('.') };
    const place = placeOf(state, address);
    const feature = place.is === 'known' ? place.feature.name : place.is === 'unread' ? place.name : address.path.join('.');
    const whom = { state, device: state.device.name, feature };
    if (place.is !== 'known' || address.to !== 'set') return whom;
    const { base } = this.#options;
    if (place.leaf !== undefined && place.leaf !== 'entries')
      return { ...whom, shows: propertyTopic(base, whom.device, feature, place.leaf) };
    return schedulePropertyOf(place.feature) === undefined ? whom : { ...whom, shows: featureTopic(base, whom.device, feature, 'entries') };
  }

  #refuseRetained(message: Incoming, whom: Whom): void {
    const live = this.#live.get(message.topic);
    this.#live.delete(message.topic);
    this.#clear(message.topic);
    // With MQTT 3.1.1 the flag of a live message is not seen; its retained copy comes a moment after it was executed.
    const executed =
      live !== undefined && Buffer.from(message.payload).equals(live.payload) && this.#parts.clock.elapsedMs() - live.atMs < ECHO_MS;
    this.#parts.log.warn(
      { topic: message.topic },
      executed ? 'a command was published retained; its topic was cleared' : 'a retained command was not executed; its topic was cleared',
    );
    if (!executed) this.#refuse(message, whom, RETAINED);
  }

  #clear(topic: string): void {
    if (!this.#parts.knowsRetainFlag()) this.#clearing.set(topic, (this.#clearing.get(topic) ?? 0) + 1);
    this.#parts.publisher.send({ topic, payload: '', retain: true });
  }

  #isOwnEcho(topic: string): boolean {
    const echoes = this.#clearing.get(topic) ?? 0;
    if (echoes > 1) this.#clearing.set(topic, echoes - 1);
    else this.#clearing.delete(topic);
    return echoes > 0;
  }

  #mayCall(): boolean {
    return this.#parts.quota.mayCommand(this.#parts.clock.elapsedMs());
  }

  #sentLately(state: DeviceState, feature: string): number[] {
    const key = `${deviceKey(state.device)} ${feature}`;
    const since = this.#parts.clock.elapsedMs() - HOUR_MS;
    const lately = (this.#sent.get(key) ?? []).filter((at) => at > since);
    this.#sent.set(key, lately);
    return lately;
  }

  #unknownDevice(name: string): Refusal {
    const known = [...this.#parts.states.values()].map(({ device }) => device.name);
    const near = nearestWords(name, known);
    const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `there ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}`;
    return { code: 'unknown_device', message: `there is no device ${name}; ${hint}` };
  }
}

const EMPTY: Refusal = { code: 'empty', message: 'an empty payload is no command; to empty a day of a schedule send [] for it' };
const RETAINED: Refusal = {
  code: 'retained',
  message: 'commands are executed only when they are not retained: publish without the retain flag',
};
const STOPPING: Said = { status: 'failed', code: 'stopping', message: 'not sent: the bridge is being stopped' };

const UNCONFIRMED: Readonly<Record<'not_shown' | 'no_quota' | 'stopping', string>> = {
  not_shown: 'the platform said yes, but did not show it in any of the confirming reads',
  no_quota: 'the platform said yes; there is no call left to see whether it shows it, so the next poll will tell',
  stopping: 'the platform said yes; the bridge was stopped before it could see it',
};

const failed = ({ code, message, errorType, reason, viErrorId }: CallFailure): Said => ({
  status: 'failed',
  code,
  message,
  ...(errorType ? { errorType } : {}),
  ...(reason ? { reason } : {}),
  ...(viErrorId ? { viErrorId } : {}),
});

/** The week as it would be sent, and the days that would change. */
const valid = ({ args, changed }: Decision & { readonly do: 'send' }): Partial<Said> => {
  const week = Object.values(args)[0];
  return { ...(week === undefined ? {} : { week }), ...(changed ? { changed } : {}) };
};
