import { decide, type InForce, isPlanner, isResting, type PlanCommand, type Planner, type Wish } from '../../schedule/plans/precedence.ts';
import { CLOCK_CHECK_MS, type Clock, wakeLoop } from '../../shared/clock.ts';
import { isRecord } from '../../shared/json.ts';
import type { Log } from '../../shared/log.ts';
import type { Answer } from '../../topics/resultPayload.ts';
import { commandTopic } from '../../topics/topicNames.ts';
import type { KeyedStore } from '../ports.ts';
import { type DeviceState, entryNamed } from '../state/deviceState.ts';
import type { Quota } from '../state/readTarget.ts';
import type { Ends } from '../writes/ends/ends.ts';
import type { LocalCommand } from '../writes/intake/commandReceiver.ts';
import { type Place, placeKey, type WriteLog } from '../writes/write/writeLog.ts';
import type { OnAnswer, PlanCalls } from './planCalls.ts';
import { answeredOf, endAnsweredOf, FAILED, failedOf, type KeptBegun, notWritten, planNotes } from './planNotes.ts';
import type { PlanOwners } from './planOwners.ts';

type PlanExecutorParts = {
  readonly base: string;
  readonly states: ReadonlyMap<string, DeviceState>;
  readonly writes: Pick<WriteLog, 'at' | 'sent' | 'sentOn' | 'isLeft'>;
  readonly ends: Pick<Ends, 'running' | 'contested'>;
  /** Submits a command that does not come from the broker. */
  readonly submit: (command: LocalCommand) => void;
  /** Without calls left for polls nothing is written. */
  readonly quota: Pick<Quota, 'mayRead'>;
  readonly calls: Pick<PlanCalls, 'write' | 'mayReturn'>;
  readonly store: KeyedStore;
  /** Receives the owner of each feature. */
  readonly owners: PlanOwners;
};

export type PlanExecutor = ReturnType<typeof planExecutor>;

/**
 * Carries out the wishes of planners: writes a wish as an ordinary temporary command, ends it early when the
 * wish is withdrawn, and leaves a feature to a person who has written to it (`decide`). Plans have a limited
 * number of calls (`PlanCalls`).
 */
export const planExecutor = (
  { base, states, writes, ends, submit, quota, calls, store, owners }: PlanExecutorParts,
  clock: Clock,
  log: Pick<Log, 'info' | 'warn'>,
) => {
  const notes = planNotes(store);
  const wishesBy = new Map<Planner, readonly Wish[]>();
  const lookedAt = new Map<Planner, (place: Place) => boolean>();
  const underWay = new Map<string, PlanCommand>();
  const loop = wakeLoop(clock);

  /**
   * Replaces all wishes of a planner. What it has in force and no longer wishes is ended, but not before its
   * first call, and not where it has not looked yet: after a kill, features are unknown until they are read.
   */
  const wish = (owner: Planner, wishes: readonly Wish[], hasLookedAt: (place: Place) => boolean = () => true): void => {
    lookedAt.set(owner, hasLookedAt);
    // Ends of temporary writes are whole seconds. Otherwise it would seem that a person had moved the end.
    wishesBy.set(
      owner,
      wishes.map((one) => ({ ...one, untilMs: Math.ceil(one.untilMs / 1000) * 1000 })),
    );
    loop.wake();
  };

  /**
   * A write to the feature was accepted, or its end was moved. A person's write pauses plans there; a write of
   * a season does not.
   */
  const accepted = (place: Place, kinds: readonly (string | undefined)[]): void => {
    if (kinds.some((kind) => kind !== 'end' && kind !== 'season' && !isPlanner(kind))) notes.put(place, { handMs: clock.now() });
    const { begun } = notes.of(place);
    // The write was reverted at its end, or a season has replaced the values that the plan found in place.
    const isOver = (begun?.state === 'written' && kinds.includes('end')) || (begun?.state === 'unchanged' && kinds.includes('season'));
    if (begun && isOver) notes.put(place, { begun: { ...begun, state: 'ended' } });
    loop.wake();
  };

  /** Looks at each begin and end of a wish, and when woken. Resolves when the signal is aborted. */
  const run = (signal: AbortSignal): Promise<void> =>
    loop.run(signal, () => {
      for (const place of places()) look(place);
      const now = clock.now();
      const moments = [...wishesBy.values()].flat().flatMap(({ beginMs, untilMs }) => [beginMs, untilMs]);
      return Math.min(CLOCK_CHECK_MS, ...moments.filter((ms) => ms > now).map((ms) => ms - now));
    });

  /** All features that a plan concerns. */
  const places = (): readonly Place[] => {
    const wished = [...wishesBy.values()].flat().flatMap(({ device, feature }): Place[] => {
      const [key] = entryNamed(states, device) ?? [];
      return key === undefined ? [] : [{ device: key, feature }];
    });
    const all: readonly Place[] = [...wished, ...notes.all().filter(({ begun }) => begun), ...owners.all()];
    return [...new Map(all.map(({ device, feature }) => [placeKey({ device, feature }), { device, feature }])).values()];
  };

  const look = (place: Place): void => {
    const state = states.get(place.device);
    // The outcome of a write of an earlier run may not be known yet.
    const isOpen = writes.sentOn(place).some(({ by, isPossible }) => isPossible && isPlanner(by?.kind));
    // Sent after a person's command, a plan would overwrite it.
    const isHandQueued = writes.at(place).some(({ state, by, outcome }) => state === 'queued' && !outcome && !isPlanner(by?.kind));
    if (!state || isOpen || isHandQueued || underWay.has(placeKey(place))) return;
    const inForce = inForceOn(place);
    const nowMs = clock.now();
    const begun = begunOn(place, state, inForce);
    const wishes = [...wishesBy.values()].flat().filter((one) => one.device === state.device.name && one.feature === place.feature);
    const { handMs = Number.NEGATIVE_INFINITY, handUntilMs } = notes.of(place);
    // A time in the future means that the clock was set back.
    if (handMs > nowMs) notes.put(place, { handMs: nowMs });
    const { owner, act, wish, isHand } = decide({ nowMs, wishes, inForce, handMs: Math.min(handMs, nowMs), handUntilMs, begun });
    if (isHand) notes.put(place, { handMs: nowMs, handUntilMs: inForce?.untilMs });
    // The end of a missing feature would be refused. Polls show when the feature is back.
    const mayEnd = begun && lookedAt.get(begun.owner)?.(place) && !state.isMissing(place.feature);
    // Without room the platform or the device did not take the revert, until the calls were used up.
    let hasRoom = !inForce || inForce.untilMs > nowMs || isReverting(place) || calls.mayReturn();
    if (act === 'write' && wish) hasRoom = write(place, wish, begun);
    else if (act === 'move' && wish && begun && inForce) move(place, wish, begun, inForce);
    else if (act === 'end' && mayEnd) hasRoom = end(place, state, begun);
    else if (act === 'cancel' && mayEnd) hasRoom = cancel(place, state, begun);
    const waiting = act === 'write' ? wish : owner === begun?.owner ? begun : undefined;
    const reason = wish?.reason ?? (owner === begun?.owner ? begun?.reason : undefined);
    if (!hasRoom && waiting) waitsForCalls(place, state.device.name, waiting);
    else owners.set(place, owner && { owner, ...(reason === undefined || owner === 'hand' ? {} : { reason }) });
  };

  const inForceOn = (place: Place): InForce | undefined => {
    const running = ends.running(place);
    const write = running && writes.sent(running.key);
    if (!write) return undefined;
    const kind = write.by?.kind;
    return { by: isPlanner(kind) ? kind : 'hand', untilMs: running.untilMs, isContested: ends.contested(place).length > 0 };
  };

  /** What was begun on the feature; a write that an earlier run asked for is resolved first. */
  const begunOn = (place: Place, state: DeviceState, inForce: InForce | undefined): KeptBegun | undefined => {
    const { begun } = notes.of(place);
    // The clock was set back to before its begin: it will begin again then. What a person has changed in the
    // app counts from now on, so that the next wish finds it older than its begin.
    const isAgain = !inForce || (inForce.isContested && inForce.by === begun?.owner);
    if (begun?.state === 'written' && isAgain && clock.now() < begun.beginMs) {
      const other: KeptBegun = inForce ? { ...begun, beginMs: clock.now() } : { ...begun, state: 'ended' };
      notes.put(place, { begun: other });
      return other;
    }
    // No read has shown a write of an earlier run: the device has ignored it, or shows it late.
    const before = writes.sent(ends.running(place)?.key ?? 0);
    const isIgnored = before?.end?.unseen && before.answer !== 'open' && writes.isLeft(before.key);
    if (isIgnored && inForce?.by === begun?.owner && (begun?.state === 'asked' || begun?.state === 'written')) {
      const other = notWritten(failedOf(begun, clock.now()));
      notes.put(place, { begun: other });
      return other;
    }
    if (begun?.state !== 'asked') return begun;
    const isShown = begun.command.cancel !== undefined && shows(state, place.feature, begun.command);
    const found: KeptBegun =
      inForce?.by === begun.owner
        ? { ...begun, state: 'written' }
        : isShown
          ? { ...begun, state: 'deviceEnds' }
          : notWritten({ ...begun, tries: begun.tries + 1 });
    notes.put(place, { begun: found });
    return found;
  };

  /** Marks that a write of a plan, or its early end, waits until fewer calls count. */
  const waitsForCalls = (place: Place, device: string, { owner, reason }: Pick<Wish, 'owner' | 'reason'>): void => {
    const { feature } = place;
    const before = owners.of(place);
    if (before?.waits === undefined || before.owner !== owner)
      log.warn({ device, feature }, `the ${owner} plan waits: the calls for plans in 24 hours are used up, or no call is left for reads`);
    owners.set(place, { owner, reason, waits: 'calls' });
  };

  /** Writes a wish; false where no call is left. */
  const write = (place: Place, wish: Wish, before: KeptBegun | undefined): boolean => {
    const { cancel, ...sent } = wish.command;
    // The device ends it, so no revert is needed.
    const takes = cancel === undefined ? { untilMs: wish.untilMs } : {};
    const answered = quota.mayRead() ? calls.write(takes) : undefined;
    if (!answered) return false;
    const isSame = before?.owner === wish.owner && before.beginMs === wish.beginMs;
    const { owner, beginMs, untilMs, command, reason } = wish;
    const begun: KeptBegun = {
      ...{ owner, beginMs, command, reason, state: 'asked', askedMs: clock.now() },
      untils: [untilMs],
      writes: (isSame ? before.writes : 0) + 1,
      tries: isSame && before.state === 'failed' ? before.tries : 0,
    };
    notes.put(place, { begun, handUntilMs: undefined });
    log.info({ device: wish.device, feature: wish.feature, until: instant(untilMs) }, `the ${owner} plan changes this feature`);
    const value = cancel === undefined ? { value: sent.value, until: instant(untilMs) } : sent.value;
    send(place, wish, { ...sent, value }, (answer) => {
      answered(answer);
      written(place, begun, answer);
    });
    return true;
  };

  const written = (place: Place, { askedMs }: KeptBegun, answer: Answer): void => {
    const { begun } = notes.of(place);
    if (begun?.askedMs !== askedMs) return;
    const isInForce = inForceOn(place)?.by === begun.owner;
    notes.put(place, { begun: answeredOf(begun, answer, isInForce, clock.now()) });
  };

  const move = (place: Place, wish: Wish, begun: KeptBegun, { untilMs }: InForce): void => {
    const moved = { ...begun, beginMs: wish.beginMs, reason: wish.reason };
    if (wish.untilMs === untilMs) {
      notes.put(place, { begun: { ...moved, untils: [untilMs] } });
      return;
    }
    if (isResting(begun, clock.now())) return;
    notes.put(place, { begun: { ...moved, untils: [untilMs, wish.untilMs] } });
    send(place, wish, { leaf: 'until', value: instant(wish.untilMs) }, ({ status }) => {
      const isMoved = !FAILED.has(status);
      const ended = { ...moved, untils: [isMoved ? wish.untilMs : untilMs] };
      notes.put(place, { begun: isMoved ? { ...ended, tries: 0 } : failedOf(ended, clock.now()) });
    });
  };

  /** Restores the former values now rather than at the end. False where no call is left. */
  const end = (place: Place, state: DeviceState, begun: KeptBegun): boolean => {
    // Until reads show the revert, foreign changes still show.
    if (isReverting(place) || (begun.state !== 'failed' && isResting(begun, clock.now()))) return true;
    const answered = calls.write({ ends: place });
    if (!answered) return false;
    // Attempts to end it count from 0.
    const tries = begun.state === 'failed' ? { tries: 0, retryMs: undefined } : {};
    notes.put(place, { begun: { ...begun, ...tries, state: 'ended' } });
    sendEnd(place, state, begun, { leaf: 'until', value: 'now' }, answered);
    return true;
  };

  const isReverting = (place: Place): boolean =>
    writes.sentOn(place).some(({ purpose, answer }) => purpose === 'revert' && answer === 'open');

  /** Cancels what the device would end, where it is still shown. False where no call is left. */
  const cancel = (place: Place, state: DeviceState, begun: KeptBegun): boolean => {
    const { cancel, ...command } = begun.command;
    if (cancel === undefined) return true;
    if (shows(state, place.feature, command)) {
      if (isResting(begun, clock.now())) return true;
      const answered = calls.write();
      if (answered) sendEnd(place, state, begun, { call: cancel, value: {} }, answered);
      return answered !== undefined;
    }
    notes.put(place, { begun: { ...begun, state: 'ended' } });
    loop.wake();
    return true;
  };

  /** Sends the command that ends a write; a failed attempt is repeated later. */
  const sendEnd = (place: Place, { device }: DeviceState, begun: KeptBegun, command: PlanCommand, answered: OnAnswer): void => {
    send(place, { ...begun, device: device.name, feature: place.feature }, command, (answer) => {
      answered(answer);
      const now = notes.of(place).begun ?? begun;
      // After `accepted` the next wish may have begun.
      if (now.askedMs === begun.askedMs) notes.put(place, { begun: endAnsweredOf(now, answer, clock.now()) });
    });
  };

  /**
   * Sends a command as a client would. `onAnswer` gets each answer, after which the feature is looked at
   * again.
   */
  const send = (
    place: Place,
    { owner, device, feature }: Pick<Wish, 'owner' | 'device' | 'feature'>,
    command: PlanCommand,
    onAnswer: (answer: Answer) => void,
  ): void => {
    const { leaf, call, value } = command;
    const path = [...feature.split('.'), ...(leaf === undefined ? [] : [leaf])];
    const address =
      call === undefined ? ({ kind: 'set', device, path } as const) : ({ kind: 'call', device, path, command: call } as const);
    underWay.set(placeKey(place), command);
    submit({
      topic: commandTopic(base, address),
      payload: new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value)),
      by: { kind: owner },
      onAnswer: (answer) => {
        if (underWay.get(placeKey(place)) === command) underWay.delete(placeKey(place));
        onAnswer(answer);
        loop.wake();
      },
    });
  };

  return { wish, wake: loop.wake, accepted, run };
};

/** RFC 3339 in UTC. */
const instant = (atMs: number): string => new Date(atMs).toISOString();

/** True where the feature shows the values that a command with these parameters writes. */
const shows = (state: DeviceState, feature: string, { value }: PlanCommand): boolean => {
  const shown = state.shown(feature);
  return isRecord(value) && Object.entries(value).every(([name, written]) => shown?.properties.get(name)?.value === written);
};
