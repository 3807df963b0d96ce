import { isPartOf, isPartOfComposite } from '../../../features/composites/compositesOf.ts';
import { compositeMessages } from '../../../topics/featureState.ts';
import type { Composites } from '../../state/composites.ts';
import type { Device, DeviceState } from '../../state/deviceState.ts';
import type { Completeness } from '../../state/readTarget.ts';
import type { RetainedPublisher } from '../broker/retainedPublisher.ts';
import { compositeOwner } from '../broker/topicOwnership.ts';

/** Publishes the composites of all devices (docs/topics.md). */
export const compositeTopicsOf = (base: string, composites: Pick<Composites, 'of'>, reads: Completeness, publisher: RetainedPublisher) => {
  /** Whether every read had shown something when the composites of a device were shown last; unknown where it was described anew since. */
  const wereComplete = new WeakMap<Device, boolean>();

  /**
   * Publishes what differs; as long as not every read of the device has shown something, nothing is cleared that an earlier run has published,
   * but for a composite of which every read has.
   * `changed`: the features that may show something else than before; all without it.
   */
  const show = (state: DeviceState, changed?: readonly string[]): void => {
    const { device } = state;
    const complete = reads.areComplete(state);
    // Whether one may be cleared follows from the reads in force, and from those that turned out to be refused for good.
    if (changed && !changed.some(isPartOfComposite) && complete && wereComplete.get(device)) return;
    wereComplete.set(device, complete);
    const published = new Set(publisher.topics.namesOf('composite', device));
    for (const composite of composites.of(state)) {
      if (complete || !published.has(composite.name) || reads.areComplete(state, isPartOf(composite)))
        publisher.assign(compositeOwner(device, composite.name), compositeMessages(base, device.name, composite));
      published.delete(composite.name);
    }
    if (complete) for (const gone of published) publisher.assign(compositeOwner(device, gone), []);
  };

  return { show };
};
