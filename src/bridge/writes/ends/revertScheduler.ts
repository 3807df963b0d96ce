import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import type { Envelope } from '../../../topics/commandPayload.ts';
import { featureTopic } from '../../../topics/topicNames.ts';
import { type DeviceState, deviceKey } from '../../state/deviceState.ts';
import type { ResultPublisher } from '../answers/resultPublisher.ts';
import { type Allowed, type DeferredContent, otherRevision, type PlannedWrite } from '../parse/evaluate.ts';
import type { RequestedEnd } from '../parse/parseEnd.ts';
import { type CommandResult, type DeviceRequest, type ReplyAddress, reject, reply } from '../request/commandRequest.ts';
import type { Refusal } from '../request/rejection.ts';
import { contestedIn, nameOf } from '../write/end.ts';
import { placeKey } from '../write/writeLog.ts';
import type { Ends, Temporary } from './ends.ts';
import { changedSince, revertCommand } from './revertCommand.ts';

/** A revert as an ordinary write to be queued. */
type Revert = { readonly request: DeviceRequest; readonly write: PlannedWrite };

type Enqueue = (request: DeviceRequest, write: PlannedWrite) => void;

// A clock that was set, or a machine that slept, is noticed within this time.
const LOOK_MS = 60_000;
const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 3_600_000;
/** A feature that is missing for this time counts as gone, and is not restored. */
const GONE_MS = 7 * 86_400_000;

/** How the last attempt went wrong; `notBeforeMs` by `Clock.elapsedMs`. */
type Trouble = { readonly untilMs: number; readonly waitMs: number; readonly notBeforeMs: number };

/** `isDue`: its time has come, no command asks for it. `over`: former values replace foreign ones too. `answered` takes each result. */
type HowEnded = { readonly isDue: boolean; readonly over: boolean; readonly answered?: (result: CommandResult) => void };

/** What limits the returns of plans: gives what takes the results of one, undefined where it has to wait. */
type ReturnCalls = { forReturn(temporary: Temporary): ((result: CommandResult) => void) | undefined };

type RevertSettings = { readonly base: string; readonly rules: Allowed };

/** Restores what temporary writes have replaced, at their end, by commands through the ordinary queue. */
export class RevertScheduler {
  readonly #settings: RevertSettings;
  readonly #states: ReadonlyMap<string, DeviceState>;
  readonly #ends: Ends;
  readonly #results: Pick<ResultPublisher, 'replyTo'>;
  readonly #calls: ReturnCalls;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #underWay = new Set<string>();
  /** By key: on one feature a write in force may have to end, and one whose answer was lost. */
  readonly #troubles = new Map<number, Trouble>();
  #woken = new AbortController();

  constructor(
    settings: RevertSettings,
    states: ReadonlyMap<string, DeviceState>,
    ends: Ends,
    results: Pick<ResultPublisher, 'replyTo'>,
    calls: ReturnCalls,
    clock: Clock,
    log: Log,
  ) {
    this.#settings = settings;
    this.#states = states;
    this.#ends = ends;
    this.#results = results;
    this.#calls = calls;
    this.#clock = clock;
    this.#log = log;
  }

  /** An end was added, moved or removed. */
  wake(): void {
    this.#woken.abort();
  }

  /** Queues a revert at each end. Resolves when the signal is aborted. */
  async run(signal: AbortSignal, enqueue: Enqueue): Promise<void> {
    while (!signal.aborted) {
      this.#woken = new AbortController();
      for (const temporary of this.#ends.all()) if (this.#waitMs(temporary) <= 0) this.#begin(temporary, enqueue);
      const waits = this.#ends.all().map((temporary) => this.#waitMs(temporary));
      const pause = Math.max(0, Math.min(LOOK_MS, ...waits));
      await this.#clock.sleep(pause, AbortSignal.any([signal, this.#woken.signal])).catch(() => undefined);
    }
  }

  /**
   * Carries out a command on `<feature>/until/set`: moves the end of the temporary write, or leaves to somebody else what they have changed.
   * For an end now it returns the revert to queue; where that fails the end stays.
   */
  setUntil(request: DeviceRequest, { envelope, at }: RequestedEnd): Revert | undefined {
    const { state, feature } = request.target;
    const running = this.#ends.running({ device: deviceKey(state.device), feature });
    const about = { envelope, ...(running ? { command: running.command } : {}) };
    const conflict = otherRevision(envelope, state.shown(feature));
    if (conflict || !running) {
      reject(request, conflict ?? noEnd(feature), about);
      return undefined;
    }
    if (at === 'now' || at === 'restore') return this.#revert(request, envelope, running, { isDue: false, over: at === 'restore' });
    const isChanged = at === 'keep' ? this.#ends.leaveContested(running) : this.#ends.move(running, at);
    const left = this.#ends.running(running);
    reply(request, { status: isChanged ? 'applied' : 'unchanged' }, { ...about, feature, ...(left ? { untilMs: left.untilMs } : {}) });
    return undefined;
  }

  /** Milliseconds until its end comes, or until it is tried again. */
  #waitMs(temporary: Temporary): number {
    if (this.#underWay.has(placeKey(temporary))) return Number.POSITIVE_INFINITY;
    const again = this.#troubleOf(temporary)?.notBeforeMs;
    return Math.max(temporary.untilMs - this.#clock.now(), again === undefined ? 0 : again - this.#clock.elapsedMs());
  }

  /** How the last attempt at this end went wrong. */
  #troubleOf(temporary: Temporary): Trouble | undefined {
    const trouble = this.#troubles.get(temporary.key);
    return trouble?.untilMs === temporary.untilMs ? trouble : undefined;
  }

  #begin(temporary: Temporary, enqueue: Enqueue): void {
    const { feature } = temporary;
    const state = this.#states.get(temporary.device);
    if (!state) {
      this.#later(temporary, LONGEST_WAIT_MS);
      return;
    }
    const answered = this.#calls.forReturn(temporary);
    if (!answered) {
      this.#later(temporary, LOOK_MS);
      return;
    }
    const { name: device } = state.device;
    const source = featureTopic(this.#settings.base, device, feature, 'until');
    const request: DeviceRequest = {
      source,
      replyTo: this.#results.replyTo({ topic: source, by: { kind: 'end' } }),
      by: { kind: 'end' },
      address: { kind: 'set', device, path: [...feature.split('.'), 'until'] },
      target: { kind: 'stored', state, device, feature },
      text: '',
      atMs: this.#clock.elapsedMs(),
    };
    this.#underWay.add(placeKey(temporary));
    const revert = this.#revert(request, {}, temporary, { isDue: true, over: false, answered });
    enqueue(revert.request, revert.write);
  }

  /** The write that ends a temporary write. */
  #revert(request: DeviceRequest, envelope: Envelope, temporary: Temporary, how: HowEnded): Revert {
    const { isDue, over, answered } = how;
    const { feature, command } = temporary;
    // A newer write may have replaced it in the meantime, or moved its end.
    const present = (): Temporary | undefined => {
      const running = this.#ends.running(temporary);
      return running && (!isDue || running.untilMs <= this.#clock.now()) ? running : undefined;
    };
    // The record is read again however new it is: a later edit must not be reverted.
    request.target.state.markStale(feature, this.#clock.elapsedMs());
    let staying: readonly string[] = [];
    const replyTo: ReplyAddress = {
      deliver: (target, result, onDelivered) => {
        answered?.(result);
        const isReported = result.status === 'accepted' || this.#ended(temporary, present(), result, how);
        const report = staying.length > 0 && result.status === 'applied' ? { ...result, ...changedSince(staying) } : result;
        if (isReported) request.replyTo.deliver(target, report, onDelivered);
        else onDelivered?.();
      },
    };
    const content: DeferredContent = {
      kind: 'deferred',
      alwaysRead: true,
      isChange: over,
      resolve: (shown) => {
        const running = present();
        staying = running && !over ? contestedIn(running, shown).map(nameOf) : [];
        return running ? revertCommand(running, shown, this.#settings.rules, over) : { kind: 'unchanged' };
      },
    };
    return { request: { ...request, replyTo }, write: { feature, command, envelope, content, dryRun: false } };
  }

  /** An attempt has ended; false where its result is not reported. */
  #ended(temporary: Temporary, present: Temporary | undefined, result: CommandResult, { isDue, over }: HowEnded): boolean {
    if (isDue) this.#underWay.delete(placeKey(temporary));
    const { status, code, message } = result;
    const isSent = wasSent(result);
    if (isSent || status === 'unchanged' || code === 'conflict') {
      this.#troubles.delete(temporary.key);
      this.#ends.dropPossible(temporary, this.#clock.now());
      if (present && !isSent) this.#ends.end(present);
      // The sent parts are removed; the rest needs another command, from this whole second on.
      else if (present?.untilMs === temporary.untilMs) {
        if (over) this.#ends.takeContested(present);
        else this.#ends.leaveContested(present);
        this.#ends.move(present, Math.min(present.untilMs, Math.floor(this.#clock.now() / 1000) * 1000));
      }
      this.#woken.abort();
      return isSent || present !== undefined || !isDue;
    }
    if (!isDue) return true;
    if (code === 'unknown_feature' && this.#clock.now() - temporary.untilMs > GONE_MS) {
      this.#ends.end(temporary);
      return true;
    }
    const known = this.#troubleOf(temporary);
    this.#later(temporary, known ? Math.min(LONGEST_WAIT_MS, known.waitMs * 2) : FIRST_WAIT_MS);
    this.#woken.abort();
    if (known || code === 'stopping') return false;
    const device = this.#states.get(temporary.device)?.device.name;
    this.#log.warn(
      { device, feature: temporary.feature, code, why: message },
      'what a temporary write replaced could not come back; it is tried again',
    );
    return true;
  }

  #later(temporary: Temporary, waitMs: number): void {
    const notBeforeMs = this.#clock.elapsedMs() + waitMs;
    this.#troubles.set(temporary.key, { untilMs: temporary.untilMs, waitMs, notBeforeMs });
  }
}

const wasSent = ({ status }: CommandResult): boolean => status === 'applied' || status === 'unconfirmed';

const noEnd = (feature: string): Refusal => ({
  code: 'no_end',
  message: `nothing on ${feature} ends by itself now; give until or for with a write`,
});
