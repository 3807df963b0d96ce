import type { Message } from '../base/message.ts';
import { deviceTopic } from '../topics/address.ts';
import type { DeviceState } from './home.ts';
import type { ReadResult } from './reader.ts';

/** What the platform says of a device or gateway that is not there. */
const OFFLINE_CODES: ReadonlySet<string> = new Set(['gateway_offline', 'device_offline']);
const SHORTEST_PATIENCE_MS = 900_000;

/** Whether a device is there: as the platform says, or after too long without a good read (CONTRACT §2.1). */
export class Availability {
  #lastGoodMs: number;
  #now: 'online' | 'offline' | undefined;

  /** `sinceMs`: the moment from which on a good read is waited for; `before`: what an earlier run knew. */
  constructor(sinceMs: number, before?: 'online' | 'offline') {
    this.#lastGoodMs = sinceMs;
    this.#now = before;
  }

  read(result: ReadResult, nowMs: number): void {
    if (result.ok) {
      this.#lastGoodMs = nowMs;
      this.#now = 'online';
    } else if (OFFLINE_CODES.has(result.failure.code)) this.#now = 'offline';
  }

  /** Time in which reading was not allowed does not count. */
  excuse(ms: number): void {
    this.#lastGoodMs += ms;
  }

  look(nowMs: number, pollSeconds: number): void {
    if (nowMs - this.#lastGoodMs > Math.max(3 * pollSeconds * 1000, SHORTEST_PATIENCE_MS)) this.#now = 'offline';
  }

  /** Nothing before the first read has ended: what the broker holds from an earlier run stays. */
  message(base: string, state: DeviceState): Message | undefined {
    if (this.#now === undefined) return undefined;
    return { topic: deviceTopic(base, state.device.name, 'availability'), payload: this.#now, retain: true };
  }
}
