import { failureOf } from '../../shared/failures.ts';
import type { Target } from '../ports.ts';
import { readKey } from '../state/readTarget.ts';

/** An outage larger than one read: all its reads wait for one probe at a time. */
type Outage = { readonly failures: number; readonly probeAtMs: number; readonly reads: ReadonlySet<string> };

const PLATFORM = 'platform';
/** After this many different reads fail in a row, the platform is at fault and not the read. */
const TARGETS = 2;

const deviceOf = ({ gateway, device }: Target): string => `device ${gateway}/${device}`;
const gatewayOf = ({ gateway }: Target): string => `gateway ${gateway}`;

/**
 * Decides which reads wait because other reads have found an outage: of the platform (unreachable, 5xx, no
 * token accepted), of a gateway or of a device (reported by the platform).
 */
export class CircuitBreaker {
  readonly #outages = new Map<string, Outage>();
  readonly #suspects = new Set<string>();
  /** Reads that fail although others show no outage: ignored for outages until they work again. */
  readonly #alone = new Set<string>();

  /** The time until which this read waits for a probe; 0 if it need not wait. */
  heldUntilMs(target: Target): number {
    return Math.max(0, ...[PLATFORM, gatewayOf(target), deviceOf(target)].map((scope) => this.#outages.get(scope)?.probeAtMs ?? 0));
  }

  /** True while the platform as a whole does not answer. */
  get platform(): boolean {
    return this.#outages.has(PLATFORM);
  }

  /** A read worked: its platform, gateway and device work again. */
  worked(target: Target): void {
    this.#end(PLATFORM, gatewayOf(target), deviceOf(target));
    for (const suspect of this.#suspects) this.#alone.add(suspect);
    this.#suspects.clear();
    this.#alone.delete(readKey(target));
  }

  /** A read failed. `reads`: the number of reads; `pauseMs`: pause before the next probe by failure count. */
  failed(target: Target, code: string, reads: number, nowMs: number, pauseMs: (failures: number) => number): void {
    const { retry, scope } = failureOf(code);
    // A 429, a call that was not made, or an abort does not show whether anything answers.
    if (retry.kind === 'interval') return;
    const holds = retry.kind === 'backoff' ? scope : 'read';
    const key = readKey(target);
    if (holds === 'platform') {
      if (!this.#alone.has(key)) this.#suspects.add(key);
      if (this.platform || this.#suspects.size >= Math.min(TARGETS, reads)) this.#note(PLATFORM, key, nowMs, pauseMs);
      return;
    }
    // Every other code means that the platform answered.
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
