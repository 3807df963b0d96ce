import type { Log } from '../../shared/log.ts';
import { deviceKey } from '../devices/deviceState.ts';
import { type ReadTarget, readKey } from './readTarget.ts';

/** How far a failure reaches: where one read meets it, the others of its reach meet it too, and it is told for all of them. */
type Reach = (read: ReadTarget) => string;

const everything: Reach = () => 'platform';
const REACHES: Readonly<Record<string, Reach>> = {
  unreachable: everything,
  timeout: everything,
  cut: everything,
  server_error: everything,
  identity_unavailable: everything,
  login_needed: everything,
  token_expired: everything,
  rate_limited: everything,
  no_quota: everything,
  // A path that has ended has ended for every read, and the message names what took its place.
  gone: everything,
  gateway_offline: ({ device }) => device.gateway,
  device_offline: ({ device }) => deviceKey(device),
};
/** Said elsewhere, with what to do: by the state of the login and by the allowance. */
const TOLD_ELSEWHERE: ReadonlySet<string> = new Set(['login_needed', 'rate_limited', 'no_quota']);

/** Says each failing of reads once when it begins and once when it ends, whatever faces it shows between. */
export class FailureLog {
  readonly #log: Log;
  /** By read: where it failed since it last worked. */
  readonly #met = new Map<string, Set<string>>();
  readonly #told = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  failed(read: ReadTarget, code: string, why: string): void {
    if (code === 'aborted') return;
    const key = readKey(read.target);
    const place = `${REACHES[code]?.(read) ?? key} ${code}`;
    const met = this.#met.get(key) ?? new Set<string>();
    this.#met.set(key, met);
    const isNews = !met.has(place) && !this.#told.has(place);
    met.add(place);
    if (!isNews) return;
    this.#told.add(place);
    const level = TOLD_ELSEWHERE.has(code) ? 'debug' : 'warn';
    this.#log[level]({ ...factsOf(read), code, why }, 'reading failed; the last values stay');
  }

  worked(read: ReadTarget): void {
    const key = readKey(read.target);
    const over = [...(this.#met.get(key) ?? [])].filter((place) => this.#told.delete(place));
    this.#met.delete(key);
    if (over.length > 0) this.#log.info(factsOf(read), 'reading works again');
  }
}

const factsOf = ({ device, target }: ReadTarget): object => ({
  device: device.name,
  ...(target.feature === undefined ? {} : { feature: target.feature }),
});
