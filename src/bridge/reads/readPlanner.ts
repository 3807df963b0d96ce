import { closedBy } from '../../shared/failures.ts';
import { isGlob } from '../../shared/pattern.ts';
import type { CallFailure, Target } from '../ports.ts';
import type { Device } from '../state/deviceState.ts';
import { isChosen, type ReadTarget, readKey } from '../state/readTarget.ts';
import { refusedMs } from './retryPolicy.ts';

export type ReadMode = 'feature' | 'device' | 'gateway' | 'auto';

/** What there is to choose from. */
export type ReadOptions = {
  readonly mode: ReadMode;
  /** True where one call reads a gateway with all its devices. */
  readonly gateways: boolean;
  /** True for a read that was refused lately. */
  readonly barred: (target: Target) => boolean;
  /** Names of features that the device is known to have: what is read one by one where no list is to be had. */
  readonly known: (device: Device) => readonly string[];
};

/** Nothing is barred and nothing known. */
export const OPEN = { barred: () => false, known: () => [] } as const;

/** The reads that the settings ask for where a gateway has no read of its own. */
export const readsOf = (devices: readonly Device[], mode: ReadMode): readonly ReadTarget[] =>
  planReads(devices, { ...OPEN, mode, gateways: false });

export const kindOf = ({ device, feature }: Target): 'gateway' | 'device' | 'feature' =>
  device === undefined ? 'gateway' : feature === undefined ? 'device' : 'feature';

/** The reads that show every feature chosen with the fewest calls that the mode and what was refused leave. */
export const planReads = (devices: readonly Device[], options: ReadOptions): readonly ReadTarget[] =>
  [...Map.groupBy(devices, ({ installation, gateway }) => JSON.stringify([installation, gateway])).values()].flatMap((group) => {
    const single = group.flatMap((device) => deviceReads(device, options));
    const [device, ...others] = group;
    if (!device || !options.gateways) return single;
    const target = { installation: device.installation, gateway: device.gateway };
    // Where the devices' own way is closed, the gateway's is the only one that still shows all.
    const isWhole = group.every((one) => single.some(({ device: shown }) => shown === one) && !isReduced(one, options));
    const wanted = options.mode === 'gateway' || (options.mode === 'auto' && (single.length > 1 || !isWhole));
    return wanted && !options.barred(target) ? [{ device, others, target }] : single;
  });

/** True where only those features are read that are known by name, though all are meant. */
const isReduced = (device: Device, { barred }: ReadOptions): boolean => device.features.some(isGlob) && barred(targetOf(device));

const targetOf = ({ installation, gateway, device }: Device) => ({ installation, gateway, device });

const deviceReads = (device: Device, { mode, gateways, barred, known }: ReadOptions): readonly ReadTarget[] => {
  const whole: ReadTarget = { device, target: targetOf(device) };
  const names = device.features.filter((feature) => !isGlob(feature));
  const globs = names.length < device.features.length;
  const wantsWhole = mode === 'auto' ? globs || (gateways && names.length > 1) : mode !== 'feature';
  if (wantsWhole && !barred(whole.target)) return [whole];
  const all = new Set([...names, ...(wantsWhole ? known(device).filter((name) => isChosen(device, name)) : [])]);
  return [...all].map((feature) => ({ device, target: { ...whole.target, feature } })).filter(({ target }) => !barred(target));
};

/** Remembers which ways of reading were refused, and for how long they are left alone. */
export class ClosedReads {
  readonly #closed = new Map<string, { readonly untilMs: number; readonly times: number }>();

  /** Notes a failed read; true where it closes a way. `nowMs` is `Clock.elapsedMs`. */
  note({ device, target }: ReadTarget, failure: CallFailure, nowMs: number): boolean {
    const kind = kindOf(target);
    // A path that is gone is gone for all. A feature has no other way, nor has a device of which no feature is named: all its features
    // one by one would cost more calls than they could bring.
    const hasOther = kind === 'gateway' || (kind === 'device' && device.features.some((feature) => !isGlob(feature)));
    const closes = closedBy(failure);
    const key = closes === 'kind' ? kind : hasOther && closes === 'read' ? readKey(target) : undefined;
    if (key === undefined) return false;
    const times = (this.#closed.get(key)?.times ?? 0) + 1;
    this.#closed.set(key, { untilMs: nowMs + refusedMs(times), times });
    return true;
  }

  /** A read worked: its way is open, and would be closed for a short time only. */
  worked({ target }: ReadTarget): void {
    for (const key of keysOf(target)) this.#closed.delete(key);
  }

  isClosed(target: Target, nowMs: number): boolean {
    return keysOf(target).some((key) => (this.#closed.get(key)?.untilMs ?? Number.NEGATIVE_INFINITY) > nowMs);
  }
}

/** What closes a read: all reads of its kind, or itself. */
const keysOf = (target: Target): readonly string[] => [kindOf(target), readKey(target)];
