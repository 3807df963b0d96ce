const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;
/** While two clients disconnect each other, long pauses let the other one work. */
const LONGEST_CONTESTED_PAUSE_MS = 300_000;
/** `stableAfterMs` of a competing client with the same pauses. */
const STABLE_AFTER_MS = 15_000;
/** The same while the connection is contested, when pauses are longer. */
const STABLE_AFTER_CONTEST_MS = 30_000;
const STABLE_AFTER_PAUSES = 3;
/** This many short connections in a row suggest a competing client, which Mosquitto 2.0 never reports. */
const SHORT_CONNECTIONS = 3;
/** The weight of a connection lost with several messages in flight: next time, the suspect is sent alone. */
const BUSY_CONNECTION = 0.5;

/** Why a connection ended, if known. */
export type EndCause = {
  /** The broker reported another client with the same client id. */
  readonly takenOver: boolean;
  /** Another client is unlikely: the broker gave another reason, or may have closed at a message. */
  readonly explained: boolean;
  /** Messages in flight, if there is no known reason. */
  readonly inFlight: number;
  /** False if the broker acknowledged no message: it may reject the first. Default: true. */
  readonly isFruitful?: boolean;
};

/** The pause before the next connection attempt, in ms. Also detects a client with the same client id. */
export class ReconnectBackoff {
  /** True while another client seems to disconnect us repeatedly. */
  contested = false;
  #pauseMs = FIRST_PAUSE_MS / 2;
  #shortConnections = 0;

  /**
   * After a failed attempt: the broker itself was away, for example during a restart. `hasNext`: another of its
   * addresses follows; six that are away took over a minute with longer pauses.
   */
  failed(hasNext = false): number {
    if (!this.contested) this.#shortConnections = 0;
    if (hasNext) return FIRST_PAUSE_MS;
    this.#pauseMs = Math.max(this.#pauseMs, Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS));
    return this.#pauseMs;
  }

  /** A connection that lasts this long, in milliseconds, was not ended by a competing client. */
  get stableAfterMs(): number {
    return this.contested ? Math.max(STABLE_AFTER_CONTEST_MS, STABLE_AFTER_PAUSES * this.#pauseMs) : STABLE_AFTER_MS;
  }

  /** After a connection of `durationMs`. */
  ended(durationMs: number, { takenOver, explained, inFlight, isFruitful = true }: EndCause): number {
    const wasStable = durationMs >= this.stableAfterMs;
    if (wasStable) this.#shortConnections = 0;
    else if (!explained) this.#shortConnections += 1;
    else if (inFlight > 1 && isFruitful) this.#shortConnections += BUSY_CONNECTION;
    this.contested = takenOver || this.#shortConnections >= SHORT_CONNECTIONS || (this.contested && !wasStable);
    const longest = this.contested ? LONGEST_CONTESTED_PAUSE_MS : LONGEST_PAUSE_MS;
    this.#pauseMs = wasStable ? FIRST_PAUSE_MS : Math.min(this.#pauseMs * 2, longest);
    return this.#pauseMs;
  }
}
