const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;
/** When another client takes the connection away again and again, waiting longer and longer leaves it in peace. */
const LONGEST_CONTESTED_PAUSE_MS = 300_000;
/** Longer than another client would have waited that pauses as we do: a connection that stood so long was not taken away by one. */
const GOOD_AFTER_MS = 15_000;
/** While it is contested, a connection that stood this long, and much longer than the other one would have waited, was a good one. */
const GOOD_AFTER_CONTEST_MS = 30_000;
const GOOD_AFTER_PAUSES = 3;
/** So many short connections in a row look as if two clients took the place from each other: Mosquitto 2.0 does not say it, with MQTT 5 either. */
const SHORT_LIVES = 3;

/** How a connection ended. */
export type End = {
  /** The broker said that another client came with our name. */
  readonly takenOver: boolean;
  /** Another client is no likely reason: the broker gave another one, or a message was under way, at which it may have closed. */
  readonly explained: boolean;
};

/** How long to wait before the next attempt to connect, in milliseconds, and whether another client seems to want our place. */
export class Patience {
  /** True while the connection is taken away again and again. */
  contested = false;
  #pauseMs = FIRST_PAUSE_MS / 2;
  #shortLives = 0;

  /** The broker was not reached. */
  failed(): number {
    this.#pauseMs = Math.max(this.#pauseMs, Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS));
    return this.#pauseMs;
  }

  /** A connection ended after `lifeMs`. */
  ended(lifeMs: number, { takenOver, explained }: End): number {
    const good = lifeMs >= (this.contested ? Math.max(GOOD_AFTER_CONTEST_MS, GOOD_AFTER_PAUSES * this.#pauseMs) : GOOD_AFTER_MS);
    if (good) this.#shortLives = 0;
    else if (!explained) this.#shortLives += 1;
    this.contested = takenOver || this.#shortLives >= SHORT_LIVES || (this.contested && !good);
    const longest = this.contested ? LONGEST_CONTESTED_PAUSE_MS : LONGEST_PAUSE_MS;
    this.#pauseMs = good ? FIRST_PAUSE_MS : Math.min(this.#pauseMs * 2, longest);
    return this.#pauseMs;
  }
}
