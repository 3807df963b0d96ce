import type { Log } from '../../../shared/log.ts';
import { commandFilters, DEEPEST_FEATURE } from '../../../topics/topicNames.ts';
import type { Connection } from '../../ports.ts';

/** Brokers refuse topics of 200 levels and more. */
const MOST_LEVELS = 100;

type DeepFeatureParts = { readonly base: string; readonly connection: Pick<Connection, 'subscribe'>; readonly log: Log };

/** Subscribes to command topics with more levels than the first subscription of a connection covers. */
export class DeepFeatureSubscriptions {
  readonly #parts: DeepFeatureParts;
  #levels = DEEPEST_FEATURE;
  #connected = false;

  constructor(parts: DeepFeatureParts) {
    this.#parts = parts;
  }

  /** The device has this feature. */
  add(feature: string): void {
    // Its properties have one level more.
    const levels = Math.min(feature.split('.').length + 1, MOST_LEVELS);
    if (levels <= this.#levels) return;
    const before = this.#levels;
    this.#levels = levels;
    if (this.#connected) this.#listen(before);
  }

  connected(): void {
    this.#connected = true;
    if (this.#levels > DEEPEST_FEATURE) this.#listen(DEEPEST_FEATURE);
  }

  disconnected(): void {
    this.#connected = false;
  }

  #listen(from: number): void {
    const { base, connection, log } = this.#parts;
    connection.subscribe(commandFilters(base, this.#levels, from)).catch((cause: unknown) => {
      log.debug({ levels: this.#levels, why: String(cause) }, 'commands for features of many levels are not heard');
    });
  }
}
