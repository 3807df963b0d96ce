import { type Failure, failureOf } from '../../shared/failures.ts';
import type { Log } from '../../shared/log.ts';
import { deviceKey } from '../devices/deviceState.ts';
import { type ReadTarget, readKey } from './readTarget.ts';

/** What a failure affects: it is logged once for all reads of this scope. */
const scopesOf = ({ device, target }: ReadTarget): Readonly<Record<Failure['scope'], string>> => ({
  platform: 'platform',
  gateway: device.gateway,
  device: deviceKey(device),
  read: readKey(target),
});

/** Logs once when reads begin to fail and once when they work again, whatever codes come in between. */
export class FailureLog {
  readonly #log: Log;
  /** By read: where it failed since it last worked. */
  readonly #met = new Map<string, Set<string>>();
  readonly #logged = new Set<string>();

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
    const isNews = !met.has(place) && !this.#logged.has(place);
    met.add(place);
    if (!isNews) return;
    this.#logged.add(place);
    this.#log[log]({ ...factsOf(read), code, why }, 'reading failed; the last values stay');
  }

  worked(read: ReadTarget): void {
    const key = readKey(read.target);
    const over = [...(this.#met.get(key) ?? [])].filter((place) => this.#logged.delete(place));
    this.#met.delete(key);
    if (over.length > 0) this.#log.info(factsOf(read), 'reading works again');
  }
}

const factsOf = ({ device, target }: ReadTarget): object => ({ device: device.name, feature: target.feature });
