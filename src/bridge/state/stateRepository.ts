import type { Feature } from '../../features/feature.ts';
import { parseFeature } from '../../features/parseFeature.ts';
import type { Clock } from '../../shared/clock.ts';
import type { DeviceStateStore, StateChange } from '../ports.ts';
import { type Device, type DeviceState, deviceKey } from './deviceState.ts';
import type { FeaturesRead } from './featureStore.ts';
import { devicesOf, isChosen, type ReadTarget } from './readTarget.ts';

/** What earlier runs knew, brought into this one, and what this one learns, kept for the next. */
export const stateRepository = (store: DeviceStateStore, clock: Clock) => {
  /** Puts the features that the settings still choose into the state, none of them fresh. Gives each as a document offered it, then as it was read. */
  const restore = (state: DeviceState): readonly Feature[] => {
    const restored: Feature[] = [];
    for (const { name, record, offered } of store.features(deviceKey(state.device))) {
      if (!isChosen(state.device, name)) continue;
      const [before, feature] = [featureOf(offered, name), featureOf(record, name)];
      if (feature) state.remember(feature);
      restored.push(...[before, feature].filter((one) => one !== undefined));
    }
    state.isPartlyRead = store.reads(deviceKey(state.device)).every(({ name }) => name !== undefined);
    return restored;
  };

  /** When this read was last made (`Clock.elapsedMs`), by whatever run; -Infinity where it never was, or was for other settings. */
  const lastReadMs = (read: ReadTarget): number =>
    // What shows several devices is as old as the oldest of them.
    Math.min(...devicesOf(read).map((device) => readAtMs(device, read.target.feature)));

  /**
   * To be called before what was read is published, so that the broker never holds something newer than the disk. `isWhole`: the read shows
   * all features; `offered`: by name, what a document offers of the changed ones beyond their records.
   */
  const keep = ({ state, features, changed, startedAtMs }: FeaturesRead, isWhole: boolean, offered: ReadonlyMap<string, Feature>): void => {
    const device = deviceKey(state.device);
    const at = Math.round(clock.now() - (clock.elapsedMs() - startedAtMs));
    const read = { kind: 'read', device, at } as const;
    store.write([
      ...changed.map(
        (feature): StateChange => ({ kind: 'feature', device, name: feature.name, feature, offered: offered.get(feature.name) }),
      ),
      ...(isWhole ? [{ ...read, chosen: chosenBy(state.device) }] : features.map(({ name }) => ({ ...read, name }))),
    ]);
  };

  const gone = (state: DeviceState, names: readonly string[]): void => {
    store.write(names.map((name) => ({ kind: 'gone', device: deviceKey(state.device), name })));
  };

  /** A read of everything counts only while the settings choose the same: else what is new would wait for a whole interval. */
  const readAtMs = (device: Device, name: string | undefined): number => {
    const instants = store
      .reads(deviceKey(device))
      .filter((read) => (read.name === undefined ? read.chosen === chosenBy(device) : read.name === name))
      .map(({ at }) => at);
    const age = clock.now() - Math.max(...instants);
    // An instant in the future: the machine's clock was set back, so the age is unknown.
    return age >= 0 ? clock.elapsedMs() - age : Number.NEGATIVE_INFINITY;
  };

  return { restore, lastReadMs, keep, gone };
};

const chosenBy = ({ features, exclude }: Device): string => JSON.stringify([features, exclude]);

const featureOf = (record: unknown, name: string): Feature | undefined => {
  const read = parseFeature(record);
  return read.ok && read.value.name === name ? read.value : undefined;
};
