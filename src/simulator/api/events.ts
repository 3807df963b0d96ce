import type { JsonObject } from '../http/json.ts';

/** An event of an installation, in the words of the platform; `at` in epoch ms. */
export type PlatformEvent = {
  readonly at: number;
  readonly installation: number;
  readonly gateway: string;
  readonly type: 'feature-changed' | 'gateway-online' | 'gateway-offline' | 'device-online' | 'device-offline';
  readonly body: JsonObject;
};

type Kept = PlatformEvent & { readonly number: number };

/** The oldest events of a longer history are dropped. */
const LONGEST = 10_000;

/** All events in their order. `number` counts from 1 and never changes, so that pages stay the same while events are added. */
export class Events {
  #kept: Kept[] = [];
  #last = 0;

  add(event: PlatformEvent): void {
    this.#last++;
    this.#kept.push({ ...event, number: this.#last });
    if (this.#kept.length > 2 * LONGEST) this.#kept = this.#kept.slice(-LONGEST);
  }

  /** Newest first. */
  list(): readonly Kept[] {
    return this.#kept.toReversed();
  }
}
