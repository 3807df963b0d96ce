import { failureOf } from '../../shared/failures.ts';
import type { Target } from '../ports.ts';
import { readKey } from '../state/readTarget.ts';

/** Something larger than one read that does not answer: all its reads wait for one probe at a time. */
type Outage = { readonly failures: number; readonly probeAtMs: number; readonly reads: ReadonlySet<string> };

const PLATFORM = 'platform';
/** So many reads have to fail one after the other before the platform is at fault and not they. */
const TARGETS = 2;

const deviceOf = ({ gateway, device }: Target): string => `device ${gateway}/${device}`;
const gatewayOf = ({ gateway }: Target): string => `gateway ${gateway}`;

/**
 * Which reads wait because of an outage that others have found: of the platform (it cannot be reached, answers 5xx, accepts no token), of a
 * gateway or of a device (the platform says so).
 */
export class CircuitBreaker {
  readonly #outages = new Map<string, Outage>();
  readonly #suspects = new Set<string>();
  /** What still fails although others show that there is no outage: it says nothing of others until it has worked again. */
  readonly #alone = new Set<string>();

  /** The moment before which this read waits for a probe; 0 where it waits for none. */
  heldUntilMs(target: Target): number {
    return Math.max(0, ...[PLATFORM, gatewayOf(target), deviceOf(target)].map((scope) => this.#outages.get(scope)?.probeAtMs ?? 0));
  }

  /** True while the platform as a whole does not answer. */
  get platform(): boolean {
    return this.#outages.has(PLATFORM);
  }

  /** A read worked: whatever it belongs to works again. */
  worked(target: Target): void {
    this.#end(PLATFORM, gatewayOf(target), deviceOf(target));
    for (const suspect of this.#suspects) this.#alone.add(suspect);
    this.#suspects.clear();
    this.#alone.delete(readKey(target));
  }

  /** A read failed. `reads`: how many there are; `pauseMs` gives the pause before the next probe after so many failed ones. */
  failed(target: Target, code: string, reads: number, nowMs: number, pauseMs: (failures: number) => number): void {
    const { retry, scope } = failureOf(code);
    // Neither a 429, nor a call that was not made, nor an abort says whether anything answers.
    if (retry.kind === 'interval') return;
    const holds = retry.kind === 'backoff' ? scope : 'read';
    const key = readKey(target);
    if (holds === 'platform') {
      if (!this.#alone.has(key)) this.#suspects.add(key);
      if (this.platform || this.#suspects.size >= Math.min(TARGETS, reads)) this.#note(PLATFORM, key, nowMs, pauseMs);
      return;
    }
    // With every other code the platform has answered.
    this.#suspects.clear();
    this.#end(PLATFORM);
    if (holds === 'read' || this.#alone.has(key)) return;
    if (holds === 'device') this.#end(gatewayOf(target));
    this.#note(holds === 'gateway' ? gatewayOf(target) : deviceOf(target), key, nowMs, pauseMs);
  }

  #note(scope: string, key: string, nowMs: number, pauseMs: (failures: number) => number): void {
    const known = this.#outages.get(scope);
    const failures = (known?.failures ?? 0) + 1;
    this.#outages.set(scope, { failures, probeAtMs: nowMs + pauseMs(failures), reads: new Set(known?.reads).add(key) });
  }

  #end(...scopes: readonly string[]): void {
    for (const scope of scopes) {
      for (const key of this.#outages.get(scope)?.reads ?? []) this.#alone.add(key);
      this.#outages.delete(scope);
    }
  }
}
