import type { Feature } from '../../features/feature.ts';
import { parseFeature, recordOf } from '../../features/parseFeature.ts';
import type { Clock } from '../../shared/clock.ts';
import type { DeviceDocuments } from '../discovery/deviceDocuments.ts';
import { devicesOf, isChosen, type ReadTarget } from '../polling/readTarget.ts';
import type { Memory, MemoryLine } from '../ports.ts';
import { type Device, type DeviceState, deviceKey } from './deviceState.ts';
import type { FeaturesRead } from './featureStore.ts';
import type { Absences } from './missingFeatures.ts';

/** What earlier runs knew, brought into this one, and what this one learns, kept for the next. */
export class StateRepository {
  readonly #memory: Memory;
  readonly #clock: Clock;
  readonly #lines: ReadonlyMap<string, readonly MemoryLine[]>;

  constructor(memory: Memory, clock: Clock) {
    this.#memory = memory;
    this.#clock = clock;
    this.#lines = Map.groupBy(memory.lines, ({ device }) => device);
  }

  /** Puts the features that the settings still choose into the state, none of them fresh, and what the document offered besides; true where there are any. */
  restore(state: DeviceState, documents: DeviceDocuments): boolean {
    const lines = this.#of(state.device).filter((line) => line.is === 'feature');
    for (const { name, record, offered } of lines) {
      const feature = featureOf(record);
      if (feature?.name !== name || !isChosen(state.device, name)) continue;
      state.remember(feature);
      const before = offered && featureOf(offered);
      documents.restore(state, before?.name === name ? [before, feature] : [feature]);
    }
    return state.features.size > 0;
  }

  /** When this read was last made (`Clock.elapsedMs`), by whatever run; undefined where it never was, or was for other settings. */
  lastReadMs(read: ReadTarget): number | undefined {
    const instants = devicesOf(read).map((device) => this.#readAtMs(device, read.target.feature));
    // What shows several devices is as old as the oldest of them.
    return instants.reduce((oldest, at) => (oldest === undefined || at === undefined ? undefined : Math.min(oldest, at)));
  }

  availability(device: Device): 'online' | 'offline' | undefined {
    return this.#of(device).findLast((line) => line.is === 'availability')?.now;
  }

  /** To be called before what was read is published, so that the broker never holds something newer than the disk. `isWhole`: the read shows all features. */
  keep({ state, features, startedAtMs }: FeaturesRead, isWhole: boolean, documents: Pick<DeviceDocuments, 'offeredBesides'>): void {
    const device = deviceKey(state.device);
    const at = Math.round(this.#clock.now() - (this.#clock.elapsedMs() - startedAtMs));
    const read = { is: 'read', device, at } as const;
    const lines: MemoryLine[] = features.map((feature) => {
      const offered = documents.offeredBesides(state, feature);
      const { name } = feature;
      return { is: 'feature', device, name, record: recordOf(feature), ...(offered ? { offered: recordOf(offered) } : {}) };
    });
    this.#memory.write([
      ...lines,
      ...(isWhole ? [{ ...read, chosen: chosenBy(state.device) }] : features.map(({ name }) => ({ ...read, name }))),
    ]);
  }

  gone(state: DeviceState, names: readonly string[]): void {
    this.#memory.write(names.map((name) => ({ is: 'gone', device: deviceKey(state.device), name })));
  }

  keepAvailability(state: DeviceState, now: 'online' | 'offline'): void {
    this.#memory.write([{ is: 'availability', device: deviceKey(state.device), now }]);
  }

  absences(device: Device): Absences {
    return this.#of(device).findLast((line) => line.is === 'absent')?.features ?? {};
  }

  keepAbsences(device: Device, features: Absences): void {
    this.#memory.write([{ is: 'absent', device: deviceKey(device), features }]);
  }

  #of(device: Device): readonly MemoryLine[] {
    return this.#lines.get(deviceKey(device)) ?? [];
  }

  /** A read of everything counts only while the settings choose the same: else what is new would wait for a whole interval. */
  #readAtMs(device: Device, name: string | undefined): number | undefined {
    const instants = this.#of(device).flatMap((line) => {
      if (line.is !== 'read') return [];
      const counts = line.name === undefined ? line.chosen === chosenBy(device) : line.name === name;
      return counts ? [line.at] : [];
    });
    const age = this.#clock.now() - Math.max(...instants);
    // An instant in the future: the machine's clock was set back, so the age is unknown.
    return age >= 0 && age < Number.POSITIVE_INFINITY ? this.#clock.elapsedMs() - age : undefined;
  }
}

const chosenBy = ({ features, exclude }: Device): string => JSON.stringify([features, exclude]);

const featureOf = (record: unknown): Feature | undefined => {
  const read = parseFeature(record);
  return read.ok ? read.value : undefined;
};
