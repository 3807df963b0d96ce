import { closedBy } from '../../shared/failures.ts';
import { isGlob } from '../../shared/pattern.ts';
import type { CallFailure, Target } from '../ports.ts';
import type { Device } from '../state/deviceState.ts';
import { isChosen, type ReadTarget, readKey } from '../state/readTarget.ts';
import { refusedMs } from './retryPolicy.ts';

export type ReadMode = 'feature' | 'device' | 'gateway' | 'auto';

/** The input for the choice of reads. */
export type ReadOptions = {
  readonly mode: ReadMode;
  /** True if one call reads a gateway with all its devices. */
  readonly gateways: boolean;
  /** True for a read that was recently refused. */
  readonly barred: (target: Target) => boolean;
  /** Known features of the device: read one by one if no list is available. */
  readonly known: (device: Device) => readonly string[];
};

/** Nothing is barred or known. */
export const OPEN = { barred: () => false, known: () => [] } as const;

/** The reads for these settings if gateways cannot be read as a whole. */
export const readsOf = (devices: readonly Device[], mode: ReadMode): readonly ReadTarget[] =>
  planReads(devices, { ...OPEN, mode, gateways: false });

export const kindOf = ({ device, feature }: Target): 'gateway' | 'device' | 'feature' =>
  device === undefined ? 'gateway' : feature === undefined ? 'device' : 'feature';

/** The reads that show all chosen features with the fewest calls, given the mode and the refusals. */
export const planReads = (devices: readonly Device[], options: ReadOptions): readonly ReadTarget[] =>
  [...Map.groupBy(devices, ({ installation, gateway }) => JSON.stringify([installation, gateway])).values()].flatMap((group) => {
    const single = group.flatMap((device) => deviceReads(device, options));
    const [device, ...others] = group;
    if (!device || !options.gateways) return single;
    const target = { installation: device.installation, gateway: device.gateway };
    // If the devices' own reads are closed, only the gateway read still shows everything.
    const isWhole = group.every((one) => single.some(({ device: shown }) => shown === one) && !isReduced(one, options));
    const wanted = options.mode === 'gateway' || (options.mode === 'auto' && (single.length > 1 || !isWhole));
    return wanted && !options.barred(target) ? [{ device, others, target }] : single;
  });

/** True if all features are wanted but only those known by name are read. */
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

/** Remembers which kinds of reads were refused, and how long they are avoided. */
export class ClosedReads {
  readonly #closed = new Map<string, { readonly untilMs: number; readonly times: number }>();

  /** Records a failed read; true if it closes reads. `nowMs` is `Clock.elapsedMs`. */
  note({ device, target }: ReadTarget, failure: CallFailure, nowMs: number): boolean {
    const kind = kindOf(target);
    // A missing path closes its kind for all. A feature has no alternative, nor has a device without named
    // features: reading them one by one would cost more calls than it is worth.
    const hasOther = kind === 'gateway' || (kind === 'device' && device.features.some((feature) => !isGlob(feature)));
    const closes = closedBy(failure);
    const key = closes === 'kind' ? kind : hasOther && closes === 'read' ? readKey(target) : undefined;
    if (key === undefined) return false;
    const times = (this.#closed.get(key)?.times ?? 0) + 1;
    this.#closed.set(key, { untilMs: nowMs + refusedMs(times), times });
    return true;
  }

  /** A read worked: it is open, and its next refusal closes it only for a short time. */
  worked({ target }: ReadTarget): void {
    for (const key of keysOf(target)) this.#closed.delete(key);
  }

  isClosed(target: Target, nowMs: number): boolean {
    return keysOf(target).some((key) => (this.#closed.get(key)?.untilMs ?? Number.NEGATIVE_INFINITY) > nowMs);
  }
}

/** The keys that can close a read: its kind, or the read itself. */
const keysOf = (target: Target): readonly string[] => [kindOf(target), readKey(target)];
