import { decide, isPlanner, LONGEST_RETRY_MS, type PlanCommand, type Planner, type Wish } from '../../schedule/plans/precedence.ts';
import { type Clock, isWaiting } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { Answer } from '../../topics/resultPayload.ts';
import { commandTopic } from '../../topics/topicNames.ts';
import type { KeyedStore } from '../ports.ts';
import { type DeviceState, entryNamed } from '../state/deviceState.ts';
import type { Ends } from '../writes/ends/ends.ts';
import type { LocalCommand } from '../writes/intake/commandReceiver.ts';
import { type Place, placeKey, type WriteLog } from '../writes/write/writeLog.ts';
import type { Answered, PlanCalls } from './planCalls.ts';
import { type KeptBegun, PlanNotes } from './planNotes.ts';
import { endFailed, FAILED, failedOf, instant, type Standing, shows } from './planOutcome.ts';
import type { PlanOwners } from './planOwners.ts';

/** A clock that was set is noticed within this time. */
const LOOK_MS = 60_000;
/** So often it is tried to end one write early, or to move its end. Then it ends at its end. */
const MOST_END_TRIES = 6;

export type PlanExecutorParts = {
  readonly base: string;
  readonly states: ReadonlyMap<string, DeviceState>;
  readonly writes: Pick<WriteLog, 'sent' | 'sentOn'>;
  readonly ends: Pick<Ends, 'running' | 'contested'>;
  /** The entrance of commands that do not come by the broker. */
  readonly submit: (command: LocalCommand) => void;
  /** Nothing is written while polls have no calls left. */
  readonly quota: { mayRead(nowMs: number): boolean };
  readonly calls: Pick<PlanCalls, 'write'>;
  readonly store: KeyedStore;
  /** Where it tells who has what. */
  readonly owners: PlanOwners;
};

/**
 * Carries out what planners wish for features: it writes a wish as an ordinary temporary command, ends it early where the wish goes, and leaves
 * a feature to a person who has written to it (`decide`). Plans take a bounded number of calls (`PlanCalls`).
 */
export class PlanExecutor {
  readonly #parts: PlanExecutorParts;
  readonly #clock: Clock;
  readonly #log: Pick<Log, 'info' | 'warn'>;
  readonly #notes: PlanNotes;
  readonly #wishes = new Map<Planner, readonly Wish[]>();
  readonly #hasLookedAt = new Map<Planner, (place: Place) => boolean>();
  readonly #underWay = new Set<string>();
  #woken = new AbortController();

  constructor(parts: PlanExecutorParts, clock: Clock, log: Pick<Log, 'info' | 'warn'>) {
    this.#parts = parts;
    this.#clock = clock;
    this.#log = log;
    this.#notes = new PlanNotes(parts.store, clock.now());
  }

  /**
   * All that a planner wishes from now on. What it has in force and no longer wishes is ended, but not before it was asked, and not where it has
   * not looked yet: after a kill the features of a device are not known until they are read.
   */
  wish(owner: Planner, wishes: readonly Wish[], hasLookedAt: (place: Place) => boolean = () => true): void {
    this.#hasLookedAt.set(owner, hasLookedAt);
    // Ends of temporary writes have whole seconds: else its own would be taken for one that a person has moved.
    this.#wishes.set(
      owner,
      wishes.map((one) => ({ ...one, untilMs: Math.ceil(one.untilMs / 1000) * 1000 })),
    );
    this.wake();
  }

  /** Something has changed of what is in force. */
  wake(): void {
    this.#woken.abort();
  }

  /** The platform has accepted a write to the feature. One of a person pauses plans there; a season's is none. */
  accepted(place: Place, kinds: readonly (string | undefined)[]): void {
    if (kinds.some((kind) => kind !== 'end' && kind !== 'season' && !isPlanner(kind)))
      this.#notes.put(place, { handMs: this.#clock.now() });
    const { begun } = this.#notes.of(place);
    // It came back at its end, whatever a clock that was set says of that.
    if (kinds.includes('end') && begun?.state === 'written') this.#notes.put(place, { begun: { ...begun, state: 'ended' } });
    this.wake();
  }

  /** Looks at each begin and end of a wish, and whenever it is woken. Resolves when the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#woken = new AbortController();
      for (const place of this.#places()) this.#look(place);
      await this.#clock.sleep(this.#pauseMs(), AbortSignal.any([signal, this.#woken.signal])).catch(() => undefined);
    }
  }

  #pauseMs(): number {
    const now = this.#clock.now();
    const moments = [...this.#wishes.values()].flat().flatMap(({ beginMs, untilMs }) => [beginMs, untilMs]);
    return Math.min(LOOK_MS, ...moments.filter((ms) => ms > now).map((ms) => ms - now));
  }

  /** Every feature that a plan concerns. */
  #places(): readonly Place[] {
    const places = [...this.#wishes.values()].flat().flatMap(({ device, feature }): Place[] => {
      const [key] = entryNamed(this.#parts.states, device) ?? [];
      return key === undefined ? [] : [{ device: key, feature }];
    });
    const all: readonly Place[] = [...places, ...this.#notes.all().filter(({ begun }) => begun), ...this.#parts.owners.all()];
    return [...new Map(all.map(({ device, feature }) => [placeKey({ device, feature }), { device, feature }])).values()];
  }

  #look(place: Place): void {
    const { states, writes } = this.#parts;
    const state = states.get(place.device);
    // What became of a write of an earlier run may not be known yet.
    const isOpen = writes.sentOn(place).some(({ by, isPossible }) => isPossible && isPlanner(by?.kind));
    if (!state || isOpen || this.#underWay.has(placeKey(place))) return;
    const inForce = this.#inForce(place);
    const nowMs = this.#clock.now();
    const begun = this.#begunOn(place, state, inForce);
    const wishes = [...this.#wishes.values()].flat().filter((one) => one.device === state.device.name && one.feature === place.feature);
    const { handMs = Number.NEGATIVE_INFINITY } = this.#notes.of(place);
    // A person cannot have acted later than now: the clock was set back.
    if (handMs > nowMs) this.#notes.put(place, { handMs: nowMs });
    const { owner, act, wish, isHand } = decide({ nowMs, wishes, inForce, handMs: Math.min(handMs, nowMs), begun });
    if (isHand) this.#notes.put(place, { handMs: nowMs });
    if (act === 'write' && wish && !this.#write(place, wish, begun)) {
      this.#waitsForCalls(place, wish);
      return;
    }
    if (act === 'move' && wish && begun && inForce) this.#move(place, wish, begun, inForce);
    else if (begun && this.#hasLookedAt.get(begun.owner)?.(place)) {
      if (act === 'end') this.#end(place, state, begun);
      else if (act === 'cancel') this.#cancel(place, state, begun);
    }
    const reason = wish?.reason ?? (owner === begun?.owner ? begun?.reason : undefined);
    this.#parts.owners.set(place, owner && { owner, ...(reason === undefined || owner === 'hand' ? {} : { reason }) });
  }

  #inForce(place: Place): Standing | undefined {
    const { ends, writes } = this.#parts;
    const running = ends.running(place);
    const write = running && writes.sent(running.key);
    if (!write) return undefined;
    const kind = write.by?.kind;
    const isContested = ends.contested(place).length > 0;
    return { by: isPlanner(kind) ? kind : 'hand', untilMs: running.untilMs, isContested, sentMs: write.at };
  }

  /** What was begun on the feature, after a look at what became of a write that an earlier run has asked for. */
  #begunOn(place: Place, state: DeviceState, inForce: Standing | undefined): KeptBegun | undefined {
    const { begun } = this.#notes.of(place);
    // The clock was set back before its begin: at that it begins anew.
    if (begun?.state === 'written' && !inForce && this.#clock.now() < begun.beginMs) {
      const over: KeptBegun = { ...begun, state: 'ended' };
      this.#notes.put(place, { begun: over });
      return over;
    }
    if (begun?.state !== 'asked') return begun;
    const isInForce = inForce?.by === begun.owner && inForce.sentMs >= begun.askedMs;
    const isShown = begun.command.cancel !== undefined && shows(state, place.feature, begun.command);
    const found: KeptBegun = isInForce
      ? { ...begun, state: 'written' }
      : isShown
        ? { ...begun, state: 'deviceEnds' }
        : failedOf(begun, this.#clock.now(), 0);
    this.#notes.put(place, { begun: found });
    return found;
  }

  /** What a plan wishes has to wait until fewer calls count; it may be over before. */
  #waitsForCalls(place: Place, { owner, device, feature, reason }: Wish): void {
    const before = this.#parts.owners.of(place);
    if (before?.waits === undefined || before.owner !== owner)
      this.#log.warn(
        { device, feature },
        `the ${owner} plan waits: the calls that plans may take in 24 hours, or those for reading, are used`,
      );
    this.#parts.owners.set(place, { owner, reason, waits: 'calls' });
  }

  /** False where no call is left for it. */
  #write(place: Place, wish: Wish, before: KeptBegun | undefined): boolean {
    const { cancel, ...sent } = wish.command;
    // What the device ends has no return.
    const takes = cancel === undefined ? { untilMs: wish.untilMs } : {};
    const answered = this.#parts.quota.mayRead(this.#clock.elapsedMs()) ? this.#parts.calls.write(takes) : undefined;
    if (!answered) return false;
    const isSame = before?.owner === wish.owner && before.beginMs === wish.beginMs;
    const { owner, beginMs, untilMs, command, reason } = wish;
    const begun: KeptBegun = {
      ...{ owner, beginMs, command, reason, state: 'asked', askedMs: this.#clock.now() },
      untils: [untilMs],
      writes: (isSame ? before.writes : 0) + 1,
      tries: isSame ? before.tries : 0,
    };
    this.#notes.put(place, { begun });
    this.#log.info({ device: wish.device, feature: wish.feature, until: instant(untilMs) }, `the ${owner} plan changes this feature`);
    const value = cancel === undefined ? { value: sent.value, until: instant(untilMs) } : sent.value;
    this.#submit(place, wish, { ...sent, value }, (answer) => {
      answered(answer);
      this.#written(place, begun, answer);
    });
    return true;
  }

  /** What became of a write. */
  #written(place: Place, asked: KeptBegun, { status, until }: Answer): void {
    const { begun } = this.#notes.of(place);
    if (begun?.askedMs !== asked.askedMs) return;
    const untilMs = Math.max(...asked.untils);
    if (FAILED.has(status)) this.#notes.put(place, { begun: failedOf(begun, this.#clock.now()) });
    else if (status === 'unchanged') this.#notes.put(place, { begun: { ...begun, state: 'unchanged', writes: begun.writes - 1 } });
    else if (begun.state === 'asked') {
      const isOwnEnd = asked.command.cancel !== undefined || until === undefined;
      this.#notes.put(place, { begun: { ...begun, state: isOwnEnd ? 'deviceEnds' : 'written', untils: [untilMs] } });
    }
  }

  #move(place: Place, wish: Wish, begun: KeptBegun, { untilMs }: Standing): void {
    const moved = { ...begun, beginMs: wish.beginMs, reason: wish.reason };
    if (wish.untilMs === untilMs) {
      this.#notes.put(place, { begun: { ...moved, untils: [untilMs] } });
      return;
    }
    if (this.#waits(begun)) return;
    this.#notes.put(place, { begun: { ...moved, untils: [untilMs, wish.untilMs] } });
    this.#submit(place, wish, { leaf: 'until', value: instant(wish.untilMs) }, ({ status }) => {
      const isMoved = !FAILED.has(status);
      const ended = { ...moved, untils: [isMoved ? wish.untilMs : untilMs] };
      this.#notes.put(place, { begun: isMoved ? { ...ended, ending: undefined } : endFailed(ended, this.#clock.now()) });
    });
  }

  /** Has the values before come back now, once there is room for that; at their end they come back all the same. */
  #end(place: Place, state: DeviceState, begun: KeptBegun): void {
    const answered = this.#waits(begun) ? undefined : this.#parts.calls.write({ ends: place });
    if (!answered) return;
    this.#notes.put(place, { begun: { ...begun, state: 'ended' } });
    this.#sendEnd(place, state, begun, { leaf: 'until', value: 'now' }, answered);
  }

  /** Ends what the device would end, where it still shows it. */
  #cancel(place: Place, state: DeviceState, begun: KeptBegun): void {
    const { cancel, ...command } = begun.command;
    if (this.#waits(begun) || cancel === undefined) return;
    if (shows(state, place.feature, command)) {
      const answered = this.#parts.calls.write();
      if (answered) this.#sendEnd(place, state, begun, { call: cancel, value: {} }, answered);
      return;
    }
    this.#notes.put(place, { begun: { ...begun, state: 'ended' } });
    this.wake();
  }

  /** A try that fails is made again some times. */
  #sendEnd(place: Place, { device }: DeviceState, begun: KeptBegun, command: PlanCommand, answered: Answered): void {
    this.#submit(place, { ...begun, device: device.name, feature: place.feature }, command, (answer) => {
      answered(answer);
      const now = this.#notes.of(place).begun ?? begun;
      this.#notes.put(place, { begun: FAILED.has(answer.status) ? endFailed(now, this.#clock.now()) : { ...now, state: 'ended' } });
    });
  }

  #waits({ ending }: KeptBegun): boolean {
    return ending !== undefined && (ending.tries >= MOST_END_TRIES || isWaiting(ending.retryMs, this.#clock.now(), LONGEST_RETRY_MS));
  }

  /** Sends a command as a client would. `onAnswer` gets each of its answers; from `accepted` on the feature is looked at again. */
  #submit(
    place: Place,
    { owner, device, feature }: Pick<Wish, 'owner' | 'device' | 'feature'>,
    { leaf, call, value }: PlanCommand,
    onAnswer: (answer: Answer) => void,
  ): void {
    const key = placeKey(place);
    const path = [...feature.split('.'), ...(leaf === undefined ? [] : [leaf])];
    const address =
      call === undefined ? ({ kind: 'set', device, path } as const) : ({ kind: 'call', device, path, command: call } as const);
    this.#underWay.add(key);
    this.#parts.submit({
      topic: commandTopic(this.#parts.base, address),
      payload: new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value)),
      by: { kind: owner },
      onAnswer: (answer) => {
        this.#underWay.delete(key);
        onAnswer(answer);
        this.wake();
      },
    });
  }
}
