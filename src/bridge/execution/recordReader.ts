import type { DeviceState } from '../devices/deviceState.ts';
import type { FeatureReader, ReadResult } from '../polling/featureReader.ts';
import type { PlannedReads } from '../polling/plannedReads.ts';
import type { Poller } from '../polling/poller.ts';
import type { ReadTarget } from '../polling/readTarget.ts';

/** Reads single features for commands. Each of these reads stands for a poll. */
export class RecordReader {
  readonly #reader: Pick<FeatureReader, 'read'>;
  readonly #reads: Pick<PlannedReads, 'showing'>;
  readonly #poller: Pick<Poller, 'counted'>;

  constructor(reader: Pick<FeatureReader, 'read'>, reads: Pick<PlannedReads, 'showing'>, poller: Pick<Poller, 'counted'>) {
    this.#reader = reader;
    this.#reads = reads;
    this.#poller = poller;
  }

  /** The planned read that shows the feature. */
  showing(state: DeviceState, feature: string): ReadTarget {
    return this.#reads.showing(state, feature);
  }

  read(read: ReadTarget): Promise<ReadResult> {
    this.#poller.counted(read);
    return this.#reader.read(read);
  }
}
