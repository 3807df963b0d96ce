import type { Feature } from '../../features/feature.ts';
import { type Failure, failureOf } from '../../shared/failures.ts';
import type { Checked } from '../../shared/issue.ts';
import type { Log } from '../../shared/log.ts';
import { type Device, deviceKey } from '../devices/deviceState.ts';
import { type ReadTarget, readKey } from './readTarget.ts';

/** Problems of records are logged, and remembered as logged, up to this number. */
const MOST_LOGGED = 200;

/** What a failure affects: it is logged once for all reads of this scope. */
const scopesOf = ({ device, target }: ReadTarget): Readonly<Record<Failure['scope'], string>> => ({
  platform: 'platform',
  gateway: device.gateway,
  device: deviceKey(device),
  read: readKey(target),
});

const factsOf = ({ device, target }: ReadTarget): object => ({ device: device.name, feature: target.feature });

/** Logs once when reads begin to fail and once when they work again, whatever codes come in between; and once what is wrong with records. */
export class ReadLog {
  readonly #log: Log;
  /** By read: where it failed since it last worked. */
  readonly #met = new Map<string, Set<string>>();
  readonly #failing = new Set<string>();
  readonly #malformed = new Set<string>();
  readonly #contradictions = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  failed(read: ReadTarget, code: string, why: string): void {
    const { log, scope } = failureOf(code);
    if (log === 'none') return;
    const key = readKey(read.target);
    const place = `${scopesOf(read)[scope]} ${code}`;
    const met = this.#met.get(key) ?? new Set<string>();
    this.#met.set(key, met);
    const isNews = !met.has(place) && !this.#failing.has(place);
    met.add(place);
    if (!isNews) return;
    this.#failing.add(place);
    this.#log[log]({ ...factsOf(read), code, why }, 'reading failed; the last values stay');
  }

  worked(read: ReadTarget): void {
    const key = readKey(read.target);
    const over = [...(this.#met.get(key) ?? [])].filter((place) => this.#failing.delete(place));
    this.#met.delete(key);
    if (over.length > 0) this.#log.info(factsOf(read), 'reading works again');
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
