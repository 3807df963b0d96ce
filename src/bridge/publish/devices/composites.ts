import { isPartOfComposite } from '../../../features/composites/compositesOf.ts';
import { compositeMessages } from '../../../topics/featureState.ts';
import type { Composites } from '../../state/composites.ts';
import type { Device, DeviceState } from '../../state/deviceState.ts';
import type { Completeness } from '../../state/readTarget.ts';
import type { RetainedPublisher } from '../broker/retainedPublisher.ts';
import { compositeOwner } from '../broker/topicOwnership.ts';

/** Publishes the composites of all devices (docs/topics.md). */
export class CompositeTopics {
  readonly #base: string;
  readonly #composites: Pick<Composites, 'of'>;
  readonly #reads: Completeness;
  readonly #publisher: RetainedPublisher;
  /** Whether every read had shown something when the composites of a device were shown last; unknown where it was described anew since. */
  readonly #wereComplete = new WeakMap<Device, boolean>();

  constructor(base: string, composites: Pick<Composites, 'of'>, reads: Completeness, publisher: RetainedPublisher) {
    this.#base = base;
    this.#composites = composites;
    this.#reads = reads;
    this.#publisher = publisher;
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
    const published = new Set(this.#publisher.topics.namesOf('composite', device));
    for (const composite of this.#composites.of(state)) {
      if (complete || !published.has(composite.name))
        this.#publisher.assign(compositeOwner(device, composite.name), compositeMessages(this.#base, device.name, composite));
      published.delete(composite.name);
    }
    if (complete) for (const gone of published) this.#publisher.assign(compositeOwner(device, gone), []);
  }
}
