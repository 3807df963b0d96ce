import type { Feature } from '../features/feature.ts';
import type { Profile } from '../schedule/profile.ts';
import { featureTopic, propertyTopic, readCommandTopic } from '../topics/address.ts';
import { readText } from '../topics/payload.ts';
import { revision } from '../topics/record.ts';
import { schedulePropertyOf } from '../topics/state.ts';
import type { About, Said } from './answers.ts';
import type { CommandParts } from './commandParts.ts';
import type { CompositePlace } from './composites.ts';
import { type Decision, evaluate, type Rules, type Write } from './evaluate.ts';
import { type DeviceState, deviceKey } from './home.ts';
import { answerInterrupted } from './interrupted.ts';
import type { Incoming } from './ports.ts';
import { invalid, type Refusal } from './refusal.ts';
import type { FeatureAddress, Request, Whom } from './request.ts';
import { RetainedCommands } from './retained.ts';
import { failed, Sender, STOPPING } from './sender.ts';
import { type Place, placeOf, understand, unknownDevice } from './understand.ts';
import { understandComposite } from './understandComposite.ts';
import { valid } from './valid.ts';
import { aboutOf, type Chosen, chosenNow, type Wanted } from './wanted.ts';

export type CommanderOptions = {
  readonly base: string;
  readonly maxPayload: number;
  readonly profiles: readonly Profile[];
  readonly rules: Rules & { readonly fresh_s: number };
};

export type BridgeCommand = 'poll' | 'auth' | 'republish';

type Understood = Write | Wanted;
type Composed = CompositePlace & { readonly is: 'composite' };
type Unchosen = Exclude<Chosen, { readonly is: 'write' }>;
type Decided = { readonly decision: Decision; readonly feature: Feature; readonly write: Write; readonly from: readonly string[] };

/** Takes messages on command topics and gives each exactly one terminal answer (CONTRACT §3, §4). */
export class Commander {
  readonly #options: CommanderOptions;
  readonly #parts: CommandParts;
  readonly #sender: Sender;
  readonly #retained: RetainedCommands;
  readonly #turns = new Map<string, Promise<void>>();

  constructor(options: CommanderOptions, parts: CommandParts) {
    this.#options = options;
    this.#parts = parts;
    this.#sender = new Sender(parts);
    this.#retained = new RetainedCommands(parts.clock);
  }

  /** A message on a command topic; `bridge` takes what is for the bridge itself. */
  receive(message: Incoming, bridge: (what: BridgeCommand, text: string) => void): void {
    const { answers, knowsRetainFlag } = this.#parts;
    const address = readCommandTopic(this.#options.base, message.topic);
    const whom = address && address.to !== 'bridge' ? this.#whom(address) : {};
    if (message.payload.length === 0) {
      if (!message.retain && !this.#retained.isOwnEcho(message.topic)) answers.refuse(message, whom, EMPTY);
      return;
    }
    if (message.retain) {
      this.#refuseRetained(message, whom);
      return;
    }
    if (!knowsRetainFlag()) this.#retained.live(message);
    if (!address) {
      answers.refuse(message, whom, UNKNOWN_TOPIC);
      return;
    }
    const text = readText(message.payload, this.#options.maxPayload);
    if (!text.ok) answers.refuse(message, whom, invalid(text.issues));
    else if (address.to === 'bridge') bridge(address.what, text.value);
    else this.#begin(message, whom, address, text.value);
  }

  /** What belonged to an earlier connection does not come on a new one. */
  reconnected(): void {
    this.#retained.reconnected();
  }

  /** Answers what a killed process had sent and not answered. */
  answerInterrupted(): Promise<void> {
    return answerInterrupted(this.#parts);
  }

  /** Resolves when every message that was received has its terminal answer. */
  async idle(): Promise<void> {
    await Promise.all(this.#turns.values());
    await this.#sender.idle();
  }

  #begin(message: Incoming, whom: Whom, address: FeatureAddress, text: string): void {
    const { state } = whom;
    if (!state) {
      const known = [...this.#parts.states.values()].map(({ device }) => device.name);
      this.#parts.answers.refuse(message, whom, unknownDevice(address.device, known));
      return;
    }
    const place = this.#place(state, address);
    if (place.is === 'unknown') {
      this.#parts.answers.refuse(message, whom, place.refusal);
      return;
    }
    const request: Request = { message, whom, address, state, text };
    const write = place.is === 'unread' ? undefined : this.#understood(request, place);
    if (write === 'refused') return;
    const key = deviceKey(state.device);
    const turn = (this.#turns.get(key) ?? Promise.resolve())
      .then(() => this.#turn(request, write))
      .catch((cause: unknown) => {
        this.#parts.log.error({ topic: message.topic, why: String(cause) }, 'a write ended by a fault of the bridge');
        this.#answer(request, MISTAKE);
      });
    this.#turns.set(key, turn);
    void turn.then(() => {
      if (this.#turns.get(key) === turn) this.#turns.delete(key);
    });
  }

  /** A real feature wins over a composite of its name. */
  #place(state: DeviceState, address: FeatureAddress): Place | Composed {
    const place = placeOf(state, address);
    if (place.is === 'unread' || (place.is === 'known' && (place.leaf === undefined || place.feature.properties.has(place.leaf))))
      return place;
    const part = this.#parts.composites.find(state, address);
    if (part) return { is: 'composite', ...part };
    const refusal = this.#parts.composites.near(state, address);
    return refusal ? { is: 'unknown', refusal } : place;
  }

  #understood(request: Request, place: Composed | (Place & { readonly is: 'known' })): Understood | 'refused' {
    const { message, whom, address, text } = request;
    if (place.is === 'composite') return understandComposite(this.#parts.composites, message.topic, place, text);
    const read = understand(message.topic, address, place.feature, place.leaf, text, this.#options.profiles);
    if (read.ok) return read.write;
    this.#parts.answers.refuse(message, whom, read.refusal);
    return 'refused';
  }

  /** One write, from the check to the platform's answer. */
  async #turn(request: Request, understood: Understood | undefined): Promise<void> {
    if (this.#parts.signal.aborted) {
      this.#answer(request, STOPPING, understood && aboutOf(understood, request.state));
      return;
    }
    if (!understood) {
      await this.#afterFirstRead(request);
      return;
    }
    const decided = await this.#decide(request, understood);
    if (!decided) return;
    if (!('is' in decided)) await this.#carryOut(request, decided.write, decided);
    else if (decided.is === 'refused') this.#parts.answers.refuse(request.message, request.whom, decided.refusal, decided.about);
    else this.#answer(request, { status: 'unchanged', ...(decided.feature ? { rev: revision(decided.feature) } : {}) }, decided.about);
  }

  async #carryOut(request: Request, write: Write, { decision, feature }: Decided): Promise<void> {
    switch (decision.do) {
      case 'reject': {
        const { code, message, errors } = decision;
        this.#parts.answers.refuse(request.message, request.whom, { code, message, ...(errors ? { errors } : {}) }, write);
        return;
      }
      case 'unchanged':
        this.#answer(request, write.dryRun ? valid(feature) : { status: 'unchanged', rev: revision(feature) }, write);
        return;
      case 'send':
        if (write.dryRun) this.#answer(request, valid(feature, decision), write);
        else await this.#sender.send(request, write, decision, feature);
        return;
      default:
        decision satisfies never;
    }
  }

  /** A message for a feature that was not read yet. */
  async #afterFirstRead(request: Request): Promise<void> {
    const { state, address } = request;
    const place = placeOf(state, address);
    if (place.is === 'unread' && !(await this.#readNow(request, place.name))) return;
    const now = this.#place(state, address);
    const whom = this.#whom(address);
    if (now.is === 'known' || now.is === 'composite') {
      const known = { ...request, whom };
      const write = this.#understood(known, now);
      if (write !== 'refused') await this.#turn(known, write);
      return;
    }
    const refusal: Refusal =
      now.is === 'unknown' ? now.refusal : { code: 'unknown_feature', message: `the platform shows no feature ${now.name} of this device` };
    this.#parts.answers.refuse(request.message, whom, refusal);
  }

  /** Decides by a record that is fresh enough (CONTRACT §3.10); a payload that is wrong in itself costs no call. */
  async #decide(request: Request, understood: Understood): Promise<Decided | Unchosen | undefined> {
    const { state } = request;
    const read = new Set<string>();
    for (;;) {
      const decided = this.#evaluate(state, understood);
      if (decided && isFinal(decided)) return decided;
      const from = decided?.from ?? [understood.feature];
      const stale = from.find((name) => !read.has(name) && !(decided && this.#isFresh(state, name)));
      if (decided && (stale === undefined || !this.#sender.mayCall())) return decided;
      if (stale === undefined) {
        this.#parts.answers.refuse(request.message, request.whom, gone(understood.feature), aboutOf(understood, state));
        return undefined;
      }
      read.add(stale);
      if (!(await this.#readNow(request, stale, aboutOf(understood, state)))) return undefined;
    }
  }

  #isFresh(state: DeviceState, name: string): boolean {
    const readAtMs = state.features.get(name)?.readAtMs ?? Number.NEGATIVE_INFINITY;
    return this.#parts.clock.elapsedMs() - readAtMs <= this.#options.rules.fresh_s * 1000;
  }

  #evaluate(state: DeviceState, understood: Understood): Decided | Unchosen | undefined {
    const chosen = chosenNow(understood, state);
    if (chosen?.is !== 'write') return chosen;
    const { write, from } = chosen;
    const feature = state.shown(write.feature);
    const sent = this.#sender.sentLately(state, write.feature);
    return feature && { decision: evaluate(write, feature, this.#options.rules, sent), feature, write, from };
  }

  /** Reads a feature for a write; where that fails the write has failed. */
  async #readNow(request: Request, feature: string, write?: About): Promise<boolean> {
    const refused = await this.#sender.callRefused();
    if (refused) {
      this.#answer(request, refused, write);
      return false;
    }
    const read = this.#parts.readFor(request.state, feature);
    this.#parts.counted(read);
    const result = await this.#parts.reader.read(read);
    if (result.ok) return true;
    const why = `not sent, as the present state could not be read first: ${result.failure.message}`;
    this.#answer(request, this.#parts.signal.aborted ? STOPPING : { ...failed(result.failure), message: why }, write);
    return false;
  }

  #answer(request: Request, said: Said, write?: About): void {
    this.#parts.answers.answer(request.message, request.whom, said, write);
  }

  /** Whom a message is for: names for the answer, and the state topic that shows what it writes. */
  #whom(address: FeatureAddress): Whom {
    const state = [...this.#parts.states.values()].find(({ device }) => device.name === address.device);
    if (!state) return { device: address.device, feature: address.path.join('.') };
    const place = this.#place(state, address);
    if (place.is === 'composite') {
      const { composite, part } = place;
      const shows = featureTopic(this.#options.base, state.device.name, composite, part);
      return { state, device: state.device.name, feature: composite, shows };
    }
    const feature = place.is === 'known' ? place.feature.name : place.is === 'unread' ? place.name : address.path.join('.');
    const whom = { state, device: state.device.name, feature };
    if (place.is !== 'known' || address.to !== 'set') return whom;
    const { base } = this.#options;
    if (place.leaf !== undefined && place.leaf !== 'entries')
      return { ...whom, shows: propertyTopic(base, whom.device, feature, place.leaf) };
    return schedulePropertyOf(place.feature) === undefined ? whom : { ...whom, shows: featureTopic(base, whom.device, feature, 'entries') };
  }

  #refuseRetained(message: Incoming, whom: Whom): void {
    const { topic } = message;
    const { knowsRetainFlag, publisher, log, answers } = this.#parts;
    const what = knowsRetainFlag() ? 'waited' : this.#retained.whatIs(message);
    if (what === 'again') return;
    if (!knowsRetainFlag()) this.#retained.clearing(topic);
    publisher.send({ topic, payload: '', retain: true });
    if (what === 'executed') log.warn({ topic }, 'a command was published retained; its topic was cleared');
    else {
      log.warn({ topic }, 'a retained command was not executed; its topic was cleared');
      answers.refuse(message, whom, RETAINED);
    }
  }
}

const EMPTY: Refusal = { code: 'empty', message: 'an empty payload is no command; a day of a schedule is emptied with none' };
const UNKNOWN_TOPIC: Refusal = { code: 'unknown_topic', message: 'no command has such a topic' };
const RETAINED: Refusal = {
  code: 'retained',
  message: 'commands are executed only when they are not retained: publish without the retain flag',
};
const MISTAKE: Said = {
  status: 'failed',
  code: 'internal',
  message: 'the bridge made a mistake with this message; please report it',
};

const gone = (feature: string): Refusal => ({ code: 'unknown_feature', message: `the platform no longer shows ${feature} of this device` });

/** True where a newer record would decide no other. */
const isFinal = (decided: Decided | Unchosen): boolean =>
  'is' in decided ? decided.is === 'refused' && !decided.mayAge : decided.decision.do === 'reject' && !decided.decision.mayAge;
