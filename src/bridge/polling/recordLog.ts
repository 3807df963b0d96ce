import type { Feature } from '../../features/feature.ts';
import type { Checked } from '../../shared/issue.ts';
import type { Log } from '../../shared/log.ts';
import { type Device, deviceKey } from '../devices/deviceState.ts';

/** Problems are logged, and remembered as logged, up to this number. */
const MOST_LOGGED = 200;

/** Logs once what is wrong with the records of a device. */
export class RecordLog {
  readonly #log: Log;
  readonly #malformed = new Set<string>();
  readonly #contradictions = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** A record was parsed. It is logged again when it is malformed after it was well-formed. */
  parsed(device: Device, name: string, parsed: Checked<Feature>): void {
    const issues = parsed.ok ? (parsed.value.issues ?? []) : parsed.issues;
    const why = issues.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
    const key = `${deviceKey(device)} ${name}`;
    if (!why) this.#malformed.delete(key);
    else if (!this.#malformed.has(key) && this.#malformed.size < MOST_LOGGED) {
      this.#malformed.add(key);
      const sentence = parsed.ok ? 'a part of a record makes no sense and is left out' : 'a record makes no sense and is left out';
      const more = this.#malformed.size === MOST_LOGGED ? '; further ones are not told' : '';
      this.#log.warn({ device: device.name, feature: name, why: why.slice(0, 500) }, sentence + more);
    }
    if (parsed.ok) this.#contradicts(device, parsed.value);
  }

  /** So many features were left out, because a device can have `most`. */
  leftOut(device: Device, further: number, most: number): void {
    const key = `${deviceKey(device)} *`;
    if (further === 0) this.#malformed.delete(key);
    else if (!this.#malformed.has(key)) {
      this.#malformed.add(key);
      this.#log.warn(
        { device: device.name, most, further },
        'the platform lists more features than a device can have; the first are taken, with those known before, and the rest is left out',
      );
    }
  }

  /** Each contradiction is logged once for good: a value that contradicts its type now and then would be logged again and again. */
  #contradicts(device: Device, { name, contradictions = [] }: Feature): void {
    for (const { path, message } of contradictions) {
      const key = `${deviceKey(device)} ${name} ${path}`;
      if (this.#contradictions.has(key) || this.#contradictions.size >= MOST_LOGGED) continue;
      this.#contradictions.add(key);
      this.#log.warn(
        { device: device.name, feature: name, why: `${path} ${message}`.slice(0, 500) },
        'a value is not of the type that the platform declares for it; it is shown as it is',
      );
    }
  }
}
