import type { Profile } from '../../schedule/profile.ts';
import { Turns } from '../../shared/serialQueue.ts';
import { readText } from '../../topics/commandPayload.ts';
import { revision } from '../../topics/recordPayload.ts';
import { readCommandTopic } from '../../topics/topicNames.ts';
import type { CommandParts } from '../commandDependencies.ts';
import type { FeatureAddress, Request, Whom } from '../commands/command.ts';
import { type AddresseeParts, type Composed, placeOn, whomOf } from '../commands/commandTarget.ts';
import { type Place, placeOf, type Understanding, understand, unknownDevice } from '../commands/parseCommand.ts';
import { understandComposite } from '../commands/parseCompositeWrite.ts';
import { addressRefusal, invalid, type Refusal } from '../commands/rejection.ts';
import { refuseRetained } from '../commands/rejectRetained.ts';
import { aboutOf, type Understood } from '../commands/resolveWrite.ts';
import { RetainedCommands } from '../commands/retainedCommands.ts';
import { valid } from '../commands/validation.ts';
import { deviceKey } from '../devices/deviceState.ts';
import { withEnd } from '../overrides/requestedEnd.ts';
import type { Incoming } from '../ports.ts';
import { Deciding, type DecidingRules } from './admission.ts';
import { Settling } from './coalescer.ts';
import { Sender } from './commandSender.ts';
import { answerInterrupted } from './journalRecovery.ts';
import { type Member, mergeable, mergeWrites, superseded } from './mergeWrites.ts';
import type { About, Said } from './resultPublisher.ts';
import { STOPPING } from './results.ts';
import type { Sent } from './sentCommand.ts';

export type CommanderOptions = {
  readonly base: string;
  readonly maxPayload: number;
  readonly profiles: readonly Profile[];
  readonly rules: DecidingRules & { readonly settle_ms: number };
};

export type BridgeCommand = 'poll' | 'auth' | 'republish';

/** Takes messages on command topics and gives each exactly one terminal answer (CONTRACT §3, §4). */
export class Commander {
  readonly #options: CommanderOptions;
  readonly #parts: CommandParts;
  readonly #addressees: AddresseeParts;
  readonly #sender: Sender;
  readonly #retained: RetainedCommands;
  readonly #deciding: Deciding;
  readonly #settling: Settling<Member>;
  /** One command at a time for each device. */
  readonly #turns = new Turns();

  constructor(options: CommanderOptions, parts: CommandParts) {
    this.#options = options;
    this.#parts = parts;
    this.#addressees = { base: options.base, states: parts.states, composites: parts.composites };
    this.#sender = new Sender(parts, parts.watchers);
    this.#deciding = new Deciding(options.rules, parts, this.#sender);
    this.#settling = new Settling(options.rules.settle_ms, parts.clock, ({ request }, take) =>
      this.#queue(deviceKey(request.state.device), take),
    );
    this.#retained = new RetainedCommands(parts.clock);
  }

  /** A message on a command topic; `bridge` takes what is for the bridge itself. */
  receive(message: Incoming, bridge: (what: BridgeCommand, text: string) => void): void {
    const { answers, knowsRetainFlag } = this.#parts;
    const address = readCommandTopic(this.#options.base, message.topic);
    const whom = address && address.to !== 'bridge' ? whomOf(this.#addressees, address) : {};
    if (message.payload.length === 0) {
      if (!message.retain && !this.#retained.isOwnEcho(message.topic)) answers.refuse(message, whom, EMPTY);
      return;
    }
    if (message.retain) {
      refuseRetained(message, whom, this.#retained, this.#parts);
      return;
    }
    if (!knowsRetainFlag()) this.#retained.live(message);
    const text = readText(message.payload, this.#mostBytes(message, whom));
    if (!text.ok) answers.refuse(message, whom, invalid(text.issues));
    else if (!address) answers.refuse(message, whom, addressRefusal(text.value, UNKNOWN_TOPIC));
    else if (address.to === 'bridge') bridge(address.what, text.value);
    else this.#begin(message, whom, address, text.value, this.#parts.clock.elapsedMs());
  }

  /** What a topic shows can always be sent back, also with an envelope round it. */
  #mostBytes({ topic, payload }: Incoming, { shows }: Whom): number {
    const { maxPayload } = this.#options;
    if (payload.length <= maxPayload) return maxPayload;
    const shown = [topic.replace(/\/set$/u, ''), ...(shows === undefined ? [] : [shows])];
    return Math.max(maxPayload, ...shown.map((one) => this.#parts.publisher.bytesOn(one) + ENVELOPE_BYTES));
  }

  /** What belonged to an earlier connection does not come on a new one. */
  reconnected(): void {
    this.#retained.reconnected();
  }

  /** Finds out about the writes that an earlier run had sent, and answers those that it had not answered. */
  answerInterrupted(): Promise<void> {
    return answerInterrupted(this.#parts, (device, work) => this.#turns.add(device, work));
  }

  /** Resolves when every message that was received has its terminal answer; nobody waits for company any more. */
  async idle(): Promise<void> {
    this.#settling.flush();
    await this.#turns.idle();
    await this.#sender.idle();
  }

  /** Carries out a write when its turn comes; the answers go where the request says. */
  submit(request: Request, write: Understood): void {
    const device = deviceKey(request.state.device);
    const key = `${device} ${write.feature}`;
    const member = { request, write };
    if (!mergeable(write)) {
      if (!('dryRun' in write && write.dryRun)) this.#settling.close(key);
      this.#queue(device, () => [member]);
    } else if (!this.#deciding.refusesAtOnce(member)) this.#settling.join(key, member, this.#deciding.isWhole(member));
  }

  #begin(message: Incoming, whom: Whom, address: FeatureAddress, text: string, atMs: number): void {
    const { state } = whom;
    if (!state) {
      const known = [...this.#parts.states.values()].map(({ device }) => device.name);
      this.#parts.answers.refuse(message, whom, addressRefusal(text, unknownDevice(address.device, known)));
      return;
    }
    const place = placeOn(this.#parts, state, address);
    if (place.is === 'unknown') {
      this.#parts.answers.refuse(message, whom, addressRefusal(text, place.refusal));
      return;
    }
    const request: Request = { message, whom, address, state, text, atMs };
    if (place.is === 'unread') {
      void this.#turns.add(deviceKey(state.device), () => this.#guarded([{ request }], () => this.#afterFirstRead(request)));
      return;
    }
    if (place.is === 'known' && place.leaf === 'until') {
      void this.#turns.add(deviceKey(state.device), () => this.#guarded([{ request }], async () => this.#parts.ends.setUntil(request)));
      return;
    }
    const write = this.#understood(request, place);
    if (write !== 'refused') this.submit(request, write);
  }

  #understood(request: Request, place: Composed | (Place & { readonly is: 'known' })): Understood | 'refused' {
    const { message, whom, state } = request;
    const { answers, clock, ends } = this.#parts;
    const read = this.#read(request, place);
    const here = { nowMs: clock.now(), zone: ends.zone(state.device) };
    const ending = read.ok ? withEnd(read.write, state, here) : read;
    if (ending.ok) return ending.write;
    answers.refuse(message, whom, ending.refusal, read.ok && 'wants' in read.write ? read.write : undefined);
    return 'refused';
  }

  #read(request: Request, place: Composed | (Place & { readonly is: 'known' })): Understanding {
    const { message, address, text } = request;
    if (place.is === 'composite') return { ok: true, write: understandComposite(this.#parts.composites, message.topic, place, text) };
    const { feature, leaf } = place;
    const undoing = address.to === 'set' && leaf === 'undo' ? this.#parts.undo.understand(request, feature) : undefined;
    const read = undoing ?? understand(message.topic, address, feature, leaf, text, this.#options.profiles);
    return read.ok ? read : { ok: false, refusal: addressRefusal(text, read.refusal) };
  }

  /** Those that `take` gives when the turn comes go together. */
  #queue(device: string, take: () => readonly Member[]): void {
    void this.#turns.add(device, async () => {
      const members = take();
      const sent = await this.#guarded(members, () => this.#decide(members));
      if (sent) await this.#guarded(sent.shares, () => this.#sender.send(sent));
    });
  }

  /** What is to be sent of these; who is done without is answered. */
  async #decide(members: readonly Member[]): Promise<Sent | undefined> {
    if (this.#parts.signal.aborted) {
      for (const { request, write } of members) this.#answer(request, STOPPING, aboutOf(write, request.state));
      return undefined;
    }
    const decided = await this.#deciding.decide(members);
    const { sending, shares, unchanged, overwritten } = mergeWrites(decided);
    for (const { request, write, feature } of unchanged) {
      const said = this.#parts.ends.returns.moved(request, write) ?? { status: 'unchanged' };
      this.#answer(request, write.dryRun ? valid(feature) : { ...said, rev: revision(feature) }, write);
    }
    for (const { request, write } of overwritten) this.#answer(request, superseded(), write);
    const [{ feature: before } = {}] = decided;
    const [first] = shares;
    if (!sending || !first || !before) return undefined;
    const { request, write } = first;
    if (!write.dryRun) return { ...sending, state: request.state, feature: write.feature, shares, before };
    this.#answer(request, valid(before, sending), write);
    return undefined;
  }

  /** A fault of the bridge ends the messages that it hits, and nothing else. */
  async #guarded<T>(
    members: readonly { readonly request: Request; readonly write?: Understood }[],
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await work();
    } catch (cause) {
      for (const { request, write } of members) {
        this.#parts.log.error({ topic: request.message.topic, why: String(cause) }, 'a write ended by a fault of the bridge');
        this.#answer(request, MISTAKE, write && 'wants' in write ? write : undefined);
      }
      return undefined;
    }
  }

  /** A message for a feature that was not read yet: when it was, the message begins anew. */
  async #afterFirstRead(request: Request): Promise<void> {
    const { state, address, message, text, atMs } = request;
    const place = placeOf(state, address);
    if (place.is === 'unread' && !(await this.#deciding.readNow(state, place.name, [{ request }]))) return;
    const now = placeOn(this.#parts, state, address);
    const whom = whomOf(this.#addressees, address);
    if (now.is === 'unread') {
      const refusal: Refusal = { code: 'unknown_feature', message: `the platform shows no feature ${now.name} of this device` };
      this.#parts.answers.refuse(message, whom, addressRefusal(text, refusal));
    } else this.#begin(message, whom, address, text, atMs);
  }

  #answer(request: Request, said: Said, write?: About): void {
    this.#parts.answers.answer(request.message, request.whom, said, write);
  }
}

const ENVELOPE_BYTES = 1024;
const EMPTY: Refusal = { code: 'empty', message: 'an empty payload is no command; a day of a schedule is emptied with none' };
const UNKNOWN_TOPIC: Refusal = { code: 'unknown_topic', message: 'no command has such a topic' };
const MISTAKE: Said = {
  status: 'failed',
  code: 'internal',
  message: 'the bridge made a mistake with this message; please report it',
};
