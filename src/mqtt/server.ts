import type { BrokerOptions, ConnectError, Version } from './connect.ts';

/** After this many drops in a row the other MQTT version is tried, even if this one worked before. */
const DROPS_TO_SWITCH_VERSION = 3;

/** After this many such ends in a row the broker is asked. */
const ENDS_AT_DOT = 2;

/** One broker address and its MQTT version: the nodes of a cluster may differ during an update. */
export class Server {
  readonly options: BrokerOptions;
  #candidate: Version = '5';
  #hasConnected = false;
  #drops = 0;

  constructor(options: BrokerOptions) {
    this.options = options;
  }

  /** The version for the next attempt. */
  get version(): Version {
    return this.options.version === 'auto' ? this.#candidate : this.options.version;
  }

  connected(version: Version): void {
    this.#candidate = version;
    this.#hasConnected = true;
    this.#drops = 0;
  }

  /** After a failed attempt with `version`: true if the other version is next. */
  switchesVersion({ why }: ConnectError, version: Version): boolean {
    this.#drops = why === 'dropped' ? this.#drops + 1 : 0;
    const isWrong = why === 'version' || (why === 'dropped' && (!this.#hasConnected || this.#drops >= DROPS_TO_SWITCH_VERSION));
    if (!isWrong || this.options.version !== 'auto') return false;
    this.#candidate = version === '5' ? '3.1.1' : '5';
    return true;
  }
}

/** All addresses of the broker: one is in use, and the others follow in turn. */
export class Servers {
  readonly #waiting: Server[];
  current: Server;
  /** Failed attempts since the last connection or the end of a round. */
  #failures = 0;
  #endsAtDot = 0;
  #endsAtQuestion = 0;
  /** The broker ends the connection at each topic with a `.`: none is sent. */
  refusesDots = false;

  constructor([first, ...others]: readonly [BrokerOptions, ...BrokerOptions[]]) {
    this.current = new Server(first);
    this.#waiting = others.map((options) => new Server(options));
  }

  get count(): number {
    return this.#waiting.length + 1;
  }

  next(): void {
    this.#waiting.push(this.current);
    this.current = this.#waiting.shift() ?? this.current;
    this.#failures = 0;
  }

  /** A connection ended, perhaps at a topic with a `.`. Counted over all addresses: three would take too long. */
  ended(isAtDot: boolean): void {
    if (isAtDot) this.#endsAtDot += 1;
    else if (this.#endsAtDot < ENDS_AT_DOT) this.#endsAtDot = 0;
  }

  /**
   * Connected. After such ends, which may be chance: a broker that accepts no topic with a `.` refuses a
   * subscription to one, or ends the connection at it too, twice in a row.
   */
  async askAboutDots(subscribed: (filter: string) => Promise<void>): Promise<void> {
    if (this.#endsAtDot < ENDS_AT_DOT) return;
    if (this.#endsAtQuestion === ENDS_AT_DOT) {
      this.#endsAtQuestion = 0;
      this.refusesDots = true;
      return;
    }
    const { will, clientId } = this.current.options;
    const why = await subscribed(`${will?.topic ?? clientId}.`).then(
      () => undefined,
      (error: ConnectError) => error.why,
    );
    this.#endsAtQuestion = why === 'network' ? this.#endsAtQuestion + 1 : 0;
    if (why === 'network') return;
    this.refusesDots = why === 'refused';
    if (!this.refusesDots) this.#endsAtDot = 0;
  }

  /** The attempt failed. True if an address follows that has not failed in this round. */
  failed(): boolean {
    const failures = this.#failures + 1;
    this.next();
    this.#failures = failures % this.count;
    return this.#failures > 0;
  }
}
