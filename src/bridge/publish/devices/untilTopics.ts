import type { Feature } from '../../../features/feature.ts';
import { printInstant } from '../../../schedule/zone.ts';
import type { Message } from '../../../shared/message.ts';
import { featureTopic } from '../../../topics/topicNames.ts';
import { type Device, type DeviceState, deviceKey } from '../../state/deviceState.ts';
import type { Ends } from '../../writes/ends/ends.ts';
import { type Place, placeOf } from '../../writes/write/writeLog.ts';
import type { RetainedPublisher } from '../broker/retainedPublisher.ts';

/** Owner of the topic that shows when a write on the feature ends; `device` is its key. */
const untilOwner = (device: string, feature: string): string => `until ${device} ${feature}`;

export type UntilTopics = ReturnType<typeof untilTopicsOf>;

/** Shows when temporary writes end, on `<feature>/until`. `zone`: the time zone of the shown times. */
export const untilTopicsOf = (
  { base, zone }: { readonly base: string; readonly zone: (device: Device) => string },
  states: ReadonlyMap<string, DeviceState>,
  ends: Pick<Ends, 'running' | 'allRunning' | 'contested'>,
  publisher: RetainedPublisher,
) => {
  /** When the temporary write on the feature ends. */
  const textOf = (device: Device, feature: string): string | undefined => {
    const running = ends.running(placeOf(device, feature));
    return running && printInstant(running.untilMs, zone(device));
  };

  /** The end, and beside it changes made elsewhere. */
  const messages = (device: Device, feature: string): readonly Message[] => {
    const until = textOf(device, feature);
    if (until === undefined) return [];
    const topicOf = (leaf: string): string => featureTopic(base, device.name, feature, leaf);
    const end: Message = { topic: topicOf('until'), payload: until, retain: true };
    const contested = ends.contested(placeOf(device, feature));
    if (contested.length === 0) return [end];
    const parts = contested.map(({ property, day, former, written, shown }) => ({ property, day, before: former, written, shown }));
    return [end, { topic: topicOf('until/conflict'), payload: JSON.stringify({ until, parts }), retain: true }];
  };

  /** Publishes the end of the temporary write on this feature, or clears its topic. */
  const show = ({ device, feature }: Place): void => {
    const known = states.get(device)?.device;
    // The next list may contain the unknown device again.
    if (!known && ends.running({ device, feature })) return;
    publisher.assign(untilOwner(device, feature), known ? messages(known, feature) : []);
  };

  return {
    textOf,
    show,
    /** Publishes every end, and clears the topics of past ends. */
    showAll: (): void => {
      const all = ends.allRunning();
      const owners = new Set(all.map(({ device, feature }) => untilOwner(device, feature)));
      const shown = publisher.topics.owners().filter((owner) => owner.startsWith(untilOwner('', '').trimEnd()));
      for (const owner of shown) if (!owners.has(owner)) publisher.assign(owner, []);
      for (const running of all) show(running);
    },
    /** A read has shown these features: a value may have been changed elsewhere. */
    seen: (state: DeviceState, features: readonly Feature[]): void => {
      const device = deviceKey(state.device);
      for (const running of ends.allRunning())
        if (running.device === device && features.some(({ name }) => name === running.feature)) show(running);
    },
  };
};
