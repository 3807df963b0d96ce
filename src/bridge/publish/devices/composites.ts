import { isPartOf, isPartOfComposite } from '../../../features/composites/compositesOf.ts';
import { compositeMessages } from '../../../topics/featureState.ts';
import type { Composites } from '../../state/composites.ts';
import type { Device, DeviceState } from '../../state/deviceState.ts';
import type { Completeness } from '../../state/readTarget.ts';
import type { RetainedPublisher } from '../broker/retainedPublisher.ts';
import { compositeOwner } from '../broker/topicOwnership.ts';

/** Publishes the composites of all devices (docs/topics.md). */
export const compositeTopicsOf = (base: string, composites: Pick<Composites, 'of'>, reads: Completeness, publisher: RetainedPublisher) => {
  /** Whether all reads had results when the composites were last shown; unset for a new description. */
  const wereComplete = new WeakMap<Device, boolean>();

  /**
   * Publishes differences. Until every read of the device has a result, a composite of an earlier run stays
   * unchanged, unless its own reads all have results. `changed`: features that may have changed; all if
   * omitted.
   */
  const show = (state: DeviceState, changed?: readonly string[]): void => {
    const { device } = state;
    const complete = reads.areComplete(state);
    // Clearing depends on the planned reads and on those that are refused permanently.
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
