import type { Clock } from '../shared/clock.ts';
import { oneAtATime } from '../shared/serialQueue.ts';
import type { FleetStore } from './fleetStore.ts';
import { natsReason } from './openNats.ts';
import { OutOfStep } from './outOfStep.ts';

/** Renewal interval; give-up time without a confirmation from NATS. A lease expires after `LEASE_MS`. */
const RENEW_MS = 10_000;
const GIVE_UP_MS = 20_000;
const AGAIN_MS = 500;

export type LeaseParts = {
  readonly store: Pick<FleetStore, 'lease' | 'putLease' | 'deleteLease'>;
  readonly key: string;
  /** The visible content of the lease; each renewal writes it. */
  readonly shown: () => object;
  readonly clock: Clock;
  /** The lease is or may be lost: nothing may be sent any more. Called once. */
  readonly onLost: (why: string) => void;
};

/** The right to serve an account. One worker has it at a time. */
export class Lease {
  readonly #parts: LeaseParts;
  /** The unique id of this lease period. */
  readonly id = crypto.randomUUID();
  #revision = 0;
  /** When the last confirmed renewal was requested. */
  #confirmedAtMs = Number.NEGATIVE_INFINITY;
  #isLost = false;
  readonly #ended = new AbortController();
  readonly #inTurn = oneAtATime();

  constructor(parts: LeaseParts) {
    this.#parts = parts;
  }

  /** True if the lease was free; renewals then start. Rejects if NATS does not answer, soon when stopping. */
  async acquire(stopping?: AbortSignal): Promise<boolean> {
    const { clock } = this.#parts;
    const beganAtMs = clock.elapsedMs();
    for (let isHeld = false; !isHeld; ) {
      try {
        await this.#put();
        isHeld = true;
      } catch (cause) {
        // NATS may have stored it without a confirmation (node lost). No other worker can have it for 30 s.
        const isOurs = await this.#isStillOurs();
        if (!isOurs && cause instanceof OutOfStep) return false;
        if (stopping?.aborted || clock.elapsedMs() - beganAtMs > GIVE_UP_MS) throw cause;
        await clock.sleep(AGAIN_MS);
      }
    }
    void this.#keep();
    return true;
  }

  /** The last known state, without a request. Sufficient for repeatable actions. */
  get isHeld(): boolean {
    return !this.#isLost && this.#parts.clock.elapsedMs() - this.#confirmedAtMs < GIVE_UP_MS;
  }

  /** Resolves when NATS confirms the lease: for irreversible actions. Rejects when the lease is lost. */
  async confirm(): Promise<void> {
    while (!(await this.#renewed())) await this.#parts.clock.sleep(AGAIN_MS, this.#ended.signal);
  }

  /** Lets another worker take it at once. Never rejects: otherwise the lease expires. */
  async release(): Promise<void> {
    this.#isLost = true;
    this.#ended.abort();
    await this.#inTurn(() => this.#parts.store.deleteLease(this.#parts.key, this.#revision)).catch(() => undefined);
  }

  async #keep(): Promise<void> {
    const { clock } = this.#parts;
    const { signal } = this.#ended;
    for (let waitMs = RENEW_MS; !signal.aborted; ) {
      await clock.sleep(waitMs, signal).catch(() => undefined);
      if (!signal.aborted) waitMs = (await this.#renewed().catch(() => false)) ? RENEW_MS : AGAIN_MS;
    }
  }

  /** False if NATS did not answer; rejects if the lease is lost. */
  #renewed(): Promise<boolean> {
    return this.#inTurn(async () => {
      if (this.#isLost) throw new Error('the lease is lost');
      try {
        await this.#put();
        return true;
      } catch (cause) {
        if (cause instanceof OutOfStep && !(await this.#isStillOurs())) throw this.#lose('another worker has it, or it has ended');
        if (!this.isHeld) throw this.#lose(`NATS has not confirmed it for ${GIVE_UP_MS / 1000} s: ${natsReason(cause)}`);
        return false;
      }
    });
  }

  async #put(): Promise<void> {
    const { store, key, shown, clock } = this.#parts;
    const askedAtMs = clock.elapsedMs();
    this.#revision = await store.putLease(key, { ...shown(), lease: this.id }, this.#revision);
    this.#confirmedAtMs = askedAtMs;
  }

  /** A renewal without its confirmation may have changed the revision. */
  async #isStillOurs(): Promise<boolean> {
    const held = await this.#parts.store.lease(this.#parts.key).catch(() => undefined);
    if (held?.value['lease'] !== this.id) return false;
    this.#revision = held.revision;
    return true;
  }

  #lose(why: string): Error {
    const isReleased = this.#isLost;
    this.#isLost = true;
    this.#ended.abort();
    if (!isReleased) this.#parts.onLost(why);
    return new Error(why);
  }
}
