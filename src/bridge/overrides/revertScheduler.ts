import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import { featureTopic } from '../../topics/topicNames.ts';
import type { Request } from '../commands/command.ts';
import type { LateWanted, Rules, Write } from '../commands/evaluate.ts';
import { type DeviceState, deviceKey } from '../devices/deviceState.ts';
import type { Said } from '../execution/resultPublisher.ts';
import type { Temporaries } from './overrideRepository.ts';
import { comingBack } from './revertCommand.ts';
import type { Temporary } from './temporaryOverride.ts';

export type ReturnsParts = {
  readonly base: string;
  readonly states: ReadonlyMap<string, DeviceState>;
  readonly temporaries: Temporaries;
  readonly rules: Pick<Rules, 'allow' | 'deny'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Queues a write like any other. */
  readonly submit: (request: Request, write: Write) => void;
};

type Moving = Partial<Pick<Write, 'feature' | 'untilMs' | 'dryRun'>>;

// A clock that is set, or a machine that slept, is noticed within this time.
const LOOK_MS = 60_000;
const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 3_600_000;
/** A feature that the platform does not show for so long does not come back. */
const GONE_MS = 7 * 86_400_000;

/** Until its turn comes. */
export const NOTHING: LateWanted = { kind: 'late', resolve: () => ({ do: 'unchanged' }) };

/** How the last attempt went wrong; `notBeforeMs` by `Clock.elapsedMs`. */
type Trouble = { readonly untilMs: number; readonly waitMs: number; readonly notBeforeMs: number };

/** Brings back what temporary writes have replaced when their end has come, by commands through the ordinary queue. */
export class Returns {
  readonly #parts: ReturnsParts;
  readonly #onTheirWay = new Set<string>();
  readonly #troubles = new Map<string, Trouble>();
  #woken = new AbortController();

  constructor(parts: ReturnsParts) {
    this.#parts = parts;
    parts.temporaries.onChange(() => this.#woken.abort());
  }

  /** Waits for one end after the other. Resolves when the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, temporaries } = this.#parts;
    while (!signal.aborted) {
      this.#woken = new AbortController();
      for (const temporary of temporaries.all()) if (this.#waitMs(temporary) <= 0) this.#bringBack(temporary);
      const waits = temporaries.all().flatMap((temporary) => (this.#onTheirWay.has(nameOf(temporary)) ? [] : [this.#waitMs(temporary)]));
      const pause = Math.max(0, Math.min(LOOK_MS, ...waits));
      await clock.sleep(pause, AbortSignal.any([signal, this.#woken.signal])).catch(() => undefined);
    }
  }

  /** What is running on the feature comes back now, as a message asks: it has the answer, and where it fails the end stays as it was. */
  endNow(request: Request, write: Write, running: Temporary): void {
    this.#submit(request, write, running, false);
  }

  /** The answer to a temporary write that changes no value: what ends by itself there ends at its instant instead. */
  moved({ state }: Pick<Request, 'state'>, { feature, untilMs, dryRun = false }: Moving): Said | undefined {
    if (untilMs === undefined || feature === undefined || dryRun) return undefined;
    const isMoved = this.#parts.temporaries.move({ device: deviceKey(state.device), feature }, untilMs);
    return isMoved ? { status: 'applied' } : undefined;
  }

  /** Milliseconds until its end comes, or until it is tried again. */
  #waitMs(temporary: Temporary): number {
    const { clock } = this.#parts;
    const again = this.#troubleOf(temporary)?.notBeforeMs;
    return Math.max(temporary.untilMs - clock.now(), again === undefined ? 0 : again - clock.elapsedMs());
  }

  /** How the last attempt at this very end went wrong. */
  #troubleOf(temporary: Temporary): Trouble | undefined {
    const trouble = this.#troubles.get(nameOf(temporary));
    return trouble?.untilMs === temporary.untilMs ? trouble : undefined;
  }

  #bringBack(temporary: Temporary): void {
    const { states, base } = this.#parts;
    const { feature, command } = temporary;
    if (this.#onTheirWay.has(nameOf(temporary))) return;
    const state = states.get(temporary.device);
    if (!state) {
      this.#later(temporary, LONGEST_WAIT_MS);
      return;
    }
    const topic = featureTopic(base, state.device.name, feature, 'until');
    const request: Request = {
      message: { topic, payload: new Uint8Array(), retain: false },
      whom: { state, device: state.device.name, feature },
      address: { to: 'set', device: state.device.name, path: [...feature.split('.'), 'until'] },
      state,
      text: '',
      atMs: this.#parts.clock.elapsedMs(),
    };
    this.#submit(request, { topic, feature, command, envelope: {}, wants: NOTHING, dryRun: false }, temporary, true);
  }

  /** `isOwn`: at its end, not as somebody asked for it. */
  #submit(request: Request, write: Write, temporary: Temporary, isOwn: boolean): void {
    const { temporaries, rules, clock, submit } = this.#parts;
    const { device, feature } = temporary;
    // Since it was queued a newer write may have taken its place, or moved its end.
    const present = (): Temporary | undefined => {
      const running = temporaries.running(device, feature);
      return running && (!isOwn || running.untilMs <= clock.now()) ? running : undefined;
    };
    if (isOwn) this.#onTheirWay.add(nameOf(temporary));
    // However young the record is: what somebody changed since is not to be undone.
    request.state.markStale(feature, clock.elapsedMs());
    const heed = (said: Said): boolean => said.status === 'accepted' || this.#ended(temporary, present(), said, isOwn);
    submit(
      { ...request, whom: { ...request.whom, heed } },
      {
        ...write,
        wants: {
          kind: 'late',
          alwaysRead: true,
          resolve: (shown) => {
            const running = present();
            return running ? comingBack(running, shown, rules) : { do: 'unchanged' };
          },
        },
      },
    );
  }

  /** An attempt has ended; false where nobody has to hear of it. */
  #ended(temporary: Temporary, present: Temporary | undefined, { status, code, message }: Said, isOwn: boolean): boolean {
    const { temporaries, clock, log, states } = this.#parts;
    const name = nameOf(temporary);
    if (isOwn) this.#onTheirWay.delete(name);
    const wasSent = status === 'applied' || status === 'unconfirmed';
    if (wasSent || status === 'unchanged' || code === 'conflict') {
      this.#troubles.delete(name);
      temporaries.dropPossible(temporary, clock.now());
      if (present && !wasSent) temporaries.end(present);
      // What was sent is no part of it any more; what is left takes another command.
      else if (present?.untilMs === temporary.untilMs) temporaries.move(present, Math.min(present.untilMs, secondOf(clock.now())));
      this.#woken.abort();
      return wasSent || present !== undefined || !isOwn;
    }
    if (!isOwn) return true;
    if (code === 'unknown_feature' && clock.now() - temporary.untilMs > GONE_MS) {
      temporaries.end(temporary);
      return true;
    }
    const known = this.#troubleOf(temporary);
    this.#later(temporary, known ? Math.min(LONGEST_WAIT_MS, known.waitMs * 2) : FIRST_WAIT_MS);
    this.#woken.abort();
    if (known || code === 'stopping') return false;
    const device = states.get(temporary.device)?.device.name;
    log.warn(
      { device, feature: temporary.feature, code, why: message },
      'what a temporary write replaced could not come back; it is tried again',
    );
    return true;
  }

  #later(temporary: Temporary, waitMs: number): void {
    const notBeforeMs = this.#parts.clock.elapsedMs() + waitMs;
    this.#troubles.set(nameOf(temporary), { untilMs: temporary.untilMs, waitMs, notBeforeMs });
  }
}

const secondOf = (ms: number): number => Math.floor(ms / 1000) * 1000;

const nameOf = ({ device, feature }: Temporary): string => `${device} ${feature}`;
