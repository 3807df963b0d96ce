import { type Composite, type Features, PARTS, type Part } from '../../features/composites/composite.ts';
import { compositesOf, isPartOfComposite } from '../../features/composites/compositesOf.ts';
import type { Feature } from '../../features/feature.ts';
import { compositeMessages } from '../../topics/featureState.ts';
import type { FeatureAddress } from '../../topics/topicNames.ts';
import type { Write } from '../commands/evaluate.ts';
import type { Refusal } from '../commands/rejection.ts';
import { type CompositeMemory, compositeMemory } from '../devices/compositeMemory.ts';
import { type Device, type DeviceState, deviceKey } from '../devices/deviceState.ts';
import type { PlannedReads } from '../polling/plannedReads.ts';
import type { KeyedStore } from '../ports.ts';
import type { RetainedPublisher } from './retainedPublisher.ts';
import { compositeOwner } from './topicOwnership.ts';

const COMPOSITE = /\.(?:climate|water_heater)$/u;

/** A part of a composite, as a message addresses it. */
export type CompositePlace = { readonly composite: string; readonly part: Part };

/** A command that the platform has accepted (execution/sentCommand.ts). */
type Accepted = { readonly state: DeviceState; readonly shares: readonly { readonly write: Pick<Write, 'feature' | 'setpoint'> }[] };

/** The composites of all devices: shows them, and finds the one that a message means (docs/topics.md). */
export class Composites {
  readonly #base: string;
  readonly #reads: Pick<PlannedReads, 'areComplete'>;
  readonly #publisher: RetainedPublisher;
  readonly memory: CompositeMemory;
  /** Whether every read had shown something when the composites of a device were shown last; unknown where it was described anew since. */
  readonly #wereComplete = new WeakMap<Device, boolean>();

  constructor(base: string, reads: Pick<PlannedReads, 'areComplete'>, publisher: RetainedPublisher, store: KeyedStore) {
    this.#base = base;
    this.#reads = reads;
    this.#publisher = publisher;
    this.memory = compositeMemory(store);
  }

  /** Every composite of a device, as its features are shown now. */
  of(state: DeviceState, features: Features = shownFeatures(state)): readonly Composite[] {
    return compositesOf(features, (composite) => this.memory.recall(deviceKey(state.device), composite));
  }

  /**
   * Publishes what differs; as long as not every read of the device has shown something, nothing is cleared that an earlier run has published.
   * `changed`: the features that may show something else than before; all without it.
   */
  show(state: DeviceState, changed?: readonly string[]): void {
    const { device } = state;
    const complete = this.#reads.areComplete(state);
    // Whether one may be cleared follows from the reads in force.
    if (changed && !changed.some(isPartOfComposite) && complete === this.#wereComplete.get(device)) return;
    this.#wereComplete.set(device, complete);
    const features = shownFeatures(state);
    const now = this.of(state, features);
    const hasLearned = this.memory.note(deviceKey(device), now, features);
    const all = hasLearned ? this.of(state, features) : now;
    const published = new Set(this.#publisher.topics.namesOf('composite', device));
    for (const composite of all) {
      if (complete || !published.has(composite.name))
        this.#publisher.assign(compositeOwner(device, composite.name), compositeMessages(this.#base, device.name, composite));
      published.delete(composite.name);
    }
    if (complete) for (const gone of published) this.#publisher.assign(compositeOwner(device, gone), []);
  }

  /** Remembers the temperature of an override that does not show it. */
  accepted({ state, shares }: Accepted): void {
    for (const { write } of shares) {
      const { feature, setpoint } = write;
      if (setpoint) this.memory.overridden(deviceKey(state.device), setpoint.composite, feature, setpoint.celsius);
    }
  }

  /** The part that an address means; undefined where it means none. */
  find(state: DeviceState, { kind, path }: FeatureAddress): CompositePlace | undefined {
    const name = path.slice(0, -1).join('.');
    const part = PARTS.find((one) => one === path.at(-1));
    if (kind !== 'set' || part === undefined || !COMPOSITE.test(name)) return undefined;
    const composite = this.of(state).find((one) => one.name === name);
    return composite?.parts.has(part) ? { composite: name, part } : undefined;
  }

  /** The refusal of an address that means a composite, but no part that it has; undefined where it means none. */
  near(state: DeviceState, { path }: FeatureAddress): Refusal | undefined {
    const names = [path.join('.'), path.slice(0, -1).join('.')];
    const composite = names.some((name) => COMPOSITE.test(name)) && this.of(state).find(({ name }) => names.includes(name));
    if (!composite) return undefined;
    const parts = [...composite.parts.keys()].filter((part) => part !== 'current' && part !== 'action');
    const topics = parts.map((part) => `${part}/set`).join(', ');
    const what = path.join('.');
    const facts = { about: 'not_writable', what, use: parts.map((part) => `${composite.name}: ${part}/set`) } as const;
    return { code: 'not_writable', message: `${what} cannot be written; use ${topics} of ${composite.name}`, facts };
  }
}

/** All features of the device, with the accepted pending values in them. */
export const shownFeatures = (state: DeviceState): Features => {
  const features = new Map<string, Feature>();
  for (const name of state.features.keys()) {
    const feature = state.shown(name);
    if (feature) features.set(name, feature);
  }
  return features;
};
