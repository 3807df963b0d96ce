import type { JsonObject } from '../http/json.ts';

/** Something that happened at an installation: the words of the platform, `at` in epoch ms. */
export type PlatformEvent = {
  readonly at: number;
  readonly installation: number;
  readonly gateway: string;
  readonly type: 'feature-changed' | 'gateway-online' | 'gateway-offline' | 'device-online' | 'device-offline';
  readonly body: JsonObject;
};

type Kept = PlatformEvent & { readonly number: number };

/** Longer histories forget their oldest events. */
const LONGEST = 10_000;

/** All that happened, in its order. `number` counts from 1 and never changes, so that pages hold while more is added. */
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
