import type { CallFailure, Platform, WriteStore } from '../../../src/bridge/ports.ts';
import { type RateLimiter, rateLimiter } from '../../../src/bridge/reads/rateLimiter.ts';
import { makeComposites } from '../../../src/bridge/state/composites.ts';
import { type Device, DeviceState, deviceKey } from '../../../src/bridge/state/deviceState.ts';
import { PendingWrites } from '../../../src/bridge/state/pendingWrites.ts';
import type { ReadResult, ReadTarget } from '../../../src/bridge/state/readTarget.ts';
import { type Ends, makeEnds } from '../../../src/bridge/writes/ends/ends.ts';
import { revertScheduler } from '../../../src/bridge/writes/ends/revertScheduler.ts';
import { type CommandHandler, commandHandler } from '../../../src/bridge/writes/intake/commandHandler.ts';
import { type CommandParser, commandParser } from '../../../src/bridge/writes/intake/commandParser.ts';
import { surplusCharge } from '../../../src/bridge/writes/intake/surplusCharge.ts';
import type { CommandResult, ReplyAddress } from '../../../src/bridge/writes/request/commandRequest.ts';
import { admission } from '../../../src/bridge/writes/send/admission.ts';
import { beginWrites } from '../../../src/bridge/writes/send/beginWrites.ts';
import { coalescerOf } from '../../../src/bridge/writes/send/coalescer.ts';
import { commandSender } from '../../../src/bridge/writes/send/commandSender.ts';
import { type Confirmation, confirmationOf } from '../../../src/bridge/writes/send/confirmation.ts';
import type { Member } from '../../../src/bridge/writes/send/mergeWrites.ts';
import { recordReader } from '../../../src/bridge/writes/send/recordReader.ts';
import { waitingWrites } from '../../../src/bridge/writes/send/waiting.ts';
import { scheduleUndo } from '../../../src/bridge/writes/undo/undo.ts';
import { writeLog } from '../../../src/bridge/writes/write/writeLog.ts';
import type { Feature, Property } from '../../../src/features/feature.ts';
import { lastHour } from '../../../src/shared/clock.ts';
import { SerialQueue } from '../../../src/shared/serialQueue.ts';
import type { FeatureAddress } from '../../../src/topics/topicNames.ts';
import { writeStore } from '../system/keptInMemory.ts';
import { fakeClock } from '../time/fakeClock.ts';

export const DEVICE: Device = { name: 'home', installation: '1', gateway: '757', device: '0', features: ['*'], exclude: [] };
const RULES = { allow: ['*'], deny: [] as readonly string[], per_hour: 60, fresh_s: 5, confirm_s: [5, 15, 30, 60], settle_ms: 500 };
const silent = () => undefined;

/** The way of a command without MQTT: the handler between a platform and reply addresses that are literals, in virtual time. */
export class CommandWorld {
  readonly clock = fakeClock();
  readonly stop = new AbortController();
  readonly state = new DeviceState(DEVICE, new PendingWrites(60_000));
  /** What the platform has, by name. */
  readonly platform: Map<string, Feature>;
  /** What happened, in order: reads, what is stored of writes, and calls. */
  readonly steps: string[] = [];
  /** What the next calls do instead of being carried out. */
  readonly failures: Error[] = [];
  readonly faults: string[] = [];
  /** False while the disk takes nothing. */
  isKept = true;
  readonly parser: CommandParser;
  readonly handler: CommandHandler;
  readonly quota: RateLimiter;
  readonly ends: Ends;
  readonly #confirmation: Confirmation;

  /** `known`: read already. */
  constructor(features: readonly Feature[], known = true, rules: Partial<typeof RULES> = {}) {
    this.platform = new Map(features.map((feature) => [feature.name, feature]));
    if (known) for (const feature of features) this.state.take(feature, 0);
    const { clock, stop } = this;
    const log = { debug: silent, info: silent, warn: silent, error: (facts: object) => void this.faults.push(JSON.stringify(facts)) };
    const states = new Map([[deviceKey(DEVICE), this.state]]);
    this.quota = rateLimiter({ per_10_minutes: 1000, per_day: 10_000, reserve_for_commands: 0 }, clock);
    const { quota } = this;
    const zone = () => 'UTC';
    const base = 'heating2mqtt';
    const showing = (_: DeviceState, feature: string) => ({
      device: DEVICE,
      target: { installation: '1', gateway: '757', device: '0', feature },
    });
    const reader = { read: ({ target }: ReadTarget) => this.#read(target.feature ?? '') };
    const records = recordReader({ reader, reads: { showing }, poller: { counted: silent }, quota }, RULES.confirm_s, clock, stop.signal);
    const results = { replyTo: () => this.replyTo() };
    const store = this.#writes();
    const writes = writeLog(store, states, results, clock, log);
    this.#confirmation = confirmationOf(writes, records, clock, RULES.confirm_s, stop.signal);
    this.ends = makeEnds(writes, states);
    const waiting = waitingWrites({ zone }, states, writes, clock);
    const begin = beginWrites(writes, this.ends, waiting, clock);
    const sentLately = lastHour(clock);
    const sender = commandSender(this.#port(), quota, sentLately, writes, begin, this.#confirmation, clock, stop.signal);
    sender.on('accepted', () => void this.steps.push('accepted'));
    sender.on('callFailed', ({ code }) => void this.steps.push(`failed ${code}`));
    const admissions = admission({ ...RULES, ...rules }, sentLately, records, this.ends, waiting, writes, clock, stop.signal);
    const reverts = revertScheduler({ base, rules: RULES }, states, this.ends, results, { forReturn: () => () => undefined }, clock, log);
    writes.on('endChanged', () => reverts.wake());
    const composites = makeComposites({ read: () => new Map(), write: () => true });
    const presses = {
      undo: scheduleUndo(writes, store, clock),
      surplus: surplusCharge({ charges: () => ({ roomInMs: 0, agesMs: [] }) }, clock),
    };
    this.parser = commandParser({ base, profiles: [], zone }, states, composites, presses, waiting, clock);
    const coalescer = coalescerOf<Member>(RULES.settle_ms, clock);
    this.handler = commandHandler(this.parser, admissions, coalescer, sender, reverts, new SerialQueue(), log);
    stop.signal.addEventListener('abort', () => this.handler.stop());
  }

  /** A reply address, with the results that have come to it. */
  replyTo(): ReplyAddress & { readonly results: CommandResult[] } {
    const results: CommandResult[] = [];
    const address: ReplyAddress = (_, result, onDelivered) => {
      results.push(result);
      this.steps.push(`result ${result.status}`);
      onDelivered?.();
    };
    return Object.assign(address, { results });
  }

  /** Submits a command as a page of the web would; `path` ends in the verb, as topics do. */
  submit(path: string, text: string, id?: number): readonly CommandResult[] {
    const [device = '', ...levels] = path.split('/');
    const call = levels.indexOf('call');
    const address: FeatureAddress =
      call < 0
        ? { kind: 'set', device, path: levels.slice(0, -1) }
        : { kind: 'call', device, path: levels.slice(0, call), command: levels[call + 1] ?? '' };
    const replyTo = this.replyTo();
    const target = this.parser.resolve(address);
    this.handler.submit({ source: path, replyTo, id, address, target, text, atMs: this.clock.elapsedMs() });
    return replyTo.results;
  }

  async #read(name: string): Promise<ReadResult> {
    this.steps.push('read');
    const feature = this.platform.get(name);
    // A list that leaves it out.
    if (!feature) return { ok: true };
    this.state.take(feature, this.clock.elapsedMs());
    this.#confirmation.seen(this.state, [feature]);
    return { ok: true };
  }

  #port(): Pick<Platform, 'execute'> {
    return {
      execute: async ({ feature: name }, command, args) => {
        this.steps.push(`call ${command} ${JSON.stringify(args)}`);
        const error = this.failures.shift();
        if (error) throw error;
        const feature = this.platform.get(name);
        const properties = Object.entries(args).map(([key, value]): [string, Property] => [key, { type: typeof value, value }]);
        if (feature) this.platform.set(name, { ...feature, properties: new Map([...feature.properties, ...properties]) });
        return { adapted: false };
      },
    };
  }

  /** A step for each state that is stored. */
  #writes(): WriteStore {
    const states = new Map<number, string>();
    const store = writeStore();
    return {
      ...store,
      together: (work) => ({ result: work(), isKept: this.isKept }),
      put: (write, isDurable) => {
        const { state = '', answer = '' } = write.facts as { state?: string; answer?: string };
        const is = answer === 'delivered' && states.get(write.key) === state ? answer : state;
        if (states.get(write.key) !== is) this.steps.push(`stored ${is} ${write.key}`);
        states.set(write.key, is);
        store.put(write, isDurable);
      },
    };
  }
}

export const failure = (code: string, executed: CallFailure['executed']): CallFailure =>
  Object.assign(new Error(`the platform says ${code}`), { code, executed });
