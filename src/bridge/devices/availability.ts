import type { Message } from '../../shared/message.ts';
import { deviceTopic } from '../../topics/topicNames.ts';
import type { ReadResult } from '../polling/featureReader.ts';
import type { DeviceState } from './deviceState.ts';

/** What the platform says of a device or gateway that is not there. */
const OFFLINE_CODES: ReadonlySet<string> = new Set(['gateway_offline', 'device_offline']);
const SHORTEST_PATIENCE_MS = 900_000;

/** Whether a device is there: as the platform says, or after too long without a good read (CONTRACT §2.1). At most one change per change of the truth. */
export class Availability {
  #lastGoodMs: number;
  #now: 'online' | 'offline' | undefined;
  /** Reads that said offline. */
  readonly #offline = new Set<string>();
  /** Of these, the ones that a good read has contradicted since: their word alone counts no more until they are good themselves. */
  readonly #contradicted = new Set<string>();

  /** `sinceMs`: the moment from which on a good read is waited for; `before`: what an earlier run knew. */
  constructor(sinceMs: number, before?: 'online' | 'offline') {
    this.#lastGoodMs = sinceMs;
    this.#now = before;
  }

  /** `read` tells one read of the device from another. */
  read(result: ReadResult, nowMs: number, read = ''): void {
    if (result.ok) {
      this.#lastGoodMs = nowMs;
      this.#now = 'online';
      this.#offline.delete(read);
      this.#contradicted.delete(read);
      for (const other of this.#offline) this.#contradicted.add(other);
    } else if (OFFLINE_CODES.has(result.failure.code)) {
      this.#offline.add(read);
      if (!this.#contradicted.has(read)) this.#now = 'offline';
    }
  }

  /** Undefined before the first read has ended. */
  get is(): 'online' | 'offline' | undefined {
    return this.#now;
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
