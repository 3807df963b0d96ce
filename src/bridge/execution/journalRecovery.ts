import * as z from 'zod/mini';
import type { Json } from '../../features/feature.ts';
import { DAYS } from '../../schedule/week.ts';
import type { Log } from '../../shared/log.ts';
import type { SerialQueue } from '../../shared/serialQueue.ts';
import type { CommandResult, DeviceRequest } from '../commands/commandRequest.ts';
import type { Effect, Write } from '../commands/evaluate.ts';
import { type Device, type DeviceState, deviceKey } from '../devices/deviceState.ts';
import type { PendingWrite } from '../devices/pendingWrites.ts';
import type { OverrideRepository } from '../overrides/overrideRepository.ts';
import type { DeviceDiscovery } from '../polling/deviceDiscovery.ts';
import { isChosen } from '../polling/readTarget.ts';
import type { Journal } from '../ports.ts';
import type { Confirmation } from './confirmation.ts';
import type { ResultPublisher } from './resultPublisher.ts';

// What came out of JSON.parse is JSON all the way down.
const JSON_VALUE = z.custom<Json>((value) => value !== undefined);
const ID = z.union([z.string(), z.number()]);
const BEFORE = z.object({ property: z.string(), day: z.optional(z.enum(DAYS)), values: z.readonly(z.array(JSON_VALUE)) });

/** A write as the journal keeps it. A part that cannot be read counts as missing. */
const ENTRY = z.object({
  device: z.string(),
  /** The name of the device in topics when the write was sent. */
  name: z.string(),
  feature: z.string(),
  command: z.string(),
  /** The composite, where the command was for one. */
  composite: z.catch(z.optional(z.string()), undefined),
  topic: z.string(),
  id: z.catch(z.optional(ID), undefined),
  values: z.catch(z.optional(z.record(z.string(), JSON_VALUE)), undefined),
  days: z.catch(z.optional(z.readonly(z.array(z.enum(DAYS)))), undefined),
  /** What the platform may still show of the values although it has carried out the write. */
  before: z.catch(z.optional(z.readonly(z.array(BEFORE))), undefined),
  revsBefore: z.catch(z.optional(z.readonly(z.array(z.string()))), undefined),
});
type JournalEntry = z.infer<typeof ENTRY>;

/** A write that an earlier run has left in the journal, and what is known of it. */
export type InterruptedWrite = {
  readonly key: number;
  readonly write: JournalEntry;
  readonly accepted: boolean;
  readonly answered: boolean;
  readonly settled: boolean;
};

/** What the journal keeps of a write: enough to find out what became of it, and to answer it. */
export const journalEntry = (
  { target: { state }, source }: DeviceRequest,
  { envelope: { id }, feature, command, details }: Write,
  { effect, before, revsBefore }: Pick<PendingWrite, 'effect' | 'before' | 'revsBefore'>,
): JournalEntry => ({
  device: deviceKey(state.device),
  name: state.device.name,
  feature,
  command,
  topic: source,
  composite: details?.feature,
  id,
  values: effect && Object.fromEntries(effect.values),
  days: effect?.days,
  before: effect && before,
  revsBefore: effect ? undefined : revsBefore,
});

/** The writes that an earlier run has left in the journal. Entries that cannot be read are ended. */
export const interruptedWrites = (journal: Journal): readonly InterruptedWrite[] =>
  [...journal.left].flatMap(([key, { write: line, ...marks }]) => {
    const write = ENTRY.safeParse(line).data;
    if (write) return [{ key, write, ...marks }];
    journal.mark(key, 'answered');
    journal.mark(key, 'settled');
    return [];
  });

const effectOf = ({ values, days }: JournalEntry): Effect | undefined =>
  values && { values: new Map(Object.entries(values)), ...(days ? { days } : {}) };

/** Those for a device that no read has shown, pending since `sinceMs` (`Clock.elapsedMs`). */
export const pendingOf = (left: readonly InterruptedWrite[], device: Device, sinceMs: number): readonly PendingWrite[] =>
  left
    .filter(({ write, settled }) => !settled && write.device === deviceKey(device))
    .map(({ key, write, accepted }) => ({
      key,
      feature: write.feature,
      outcome: accepted ? 'accepted' : 'unknown',
      effect: effectOf(write),
      before: write.before ?? [],
      revsBefore: write.revsBefore ?? [],
      sinceMs,
    }));

/**
 * Writes that an earlier run had sent are never sent again: the platform is asked what it shows, and those without a result get theirs.
 * While it is not known what a write without an answer did, the device's other writes wait.
 */
export class JournalRecovery {
  readonly #journal: Journal;
  readonly #states: ReadonlyMap<string, DeviceState>;
  /** Present where devices are found by asking. */
  readonly #discovery: Pick<DeviceDiscovery, 'devices'> | undefined;
  readonly #confirmation: Confirmation;
  readonly #overrides: OverrideRepository;
  readonly #results: ResultPublisher;
  readonly #log: Log;

  constructor(
    journal: Journal,
    states: ReadonlyMap<string, DeviceState>,
    discovery: Pick<DeviceDiscovery, 'devices'> | undefined,
    confirmation: Confirmation,
    overrides: OverrideRepository,
    results: ResultPublisher,
    log: Log,
  ) {
    this.#journal = journal;
    this.#states = states;
    this.#discovery = discovery;
    this.#confirmation = confirmation;
    this.#overrides = overrides;
    this.#results = results;
    this.#log = log;
  }

  /** Finds out about what was left; resolves when each has its result. */
  async run(all: readonly InterruptedWrite[], queue: SerialQueue): Promise<void> {
    await Promise.all(
      all.map(async (left) => {
        if (left.accepted) this.#overrides.interrupted(left, 'accepted');
        if (left.answered) {
          if (!left.accepted) this.#overrides.interrupted(left, 'unknown');
          if (this.#isForgotten(left.write)) this.#journal.mark(left.key, 'settled');
        } else if (left.accepted) await this.#resolve(left);
        else await queue.add(left.write.device, () => this.#resolve(left));
      }),
    );
  }

  async #resolve({ key, write, accepted }: InterruptedWrite): Promise<void> {
    const { name, feature, command, composite, topic, id } = write;
    const state = this.#states.get(write.device);
    this.#log.warn(
      { device: name, feature, command },
      'the bridge ended before this write had its answer; the platform is asked what it shows',
    );
    const result = state ? await this.#findOut(state, write, accepted) : UNKNOWN;
    // After a stop the next run finds out.
    if (!result) return;
    if (!accepted) this.#overrides.interrupted({ key, write }, result.status === 'applied' ? 'accepted' : 'unknown');
    if (this.#isForgotten(write)) this.#journal.mark(key, 'settled');
    const about = { id, device: state?.device.name ?? name, feature: composite ?? feature, command };
    this.#results.publish({ topic }, { ...about, ...result }, state !== undefined, () => this.#journal.mark(key, 'answered'));
  }

  async #findOut(state: DeviceState, write: JournalEntry, accepted: boolean): Promise<CommandResult | undefined> {
    const { feature, before = [] } = write;
    const effect = effectOf(write);
    const { kind } = await this.#confirmation.recheck({ state, feature, effect, before, accepted });
    if (kind === 'stopping') return undefined;
    return kind === 'shown' || (accepted && effect === undefined) ? { status: 'applied' } : UNKNOWN;
  }

  /** True where no read will show the feature any more: the device is not known now, or the settings leave the feature out. */
  #isForgotten({ device, feature }: JournalEntry): boolean {
    const known = this.#states.get(device)?.device;
    return known ? !isChosen(known, feature) : this.#discovery === undefined || this.#discovery.devices() !== undefined;
  }
}

const UNKNOWN: CommandResult = {
  status: 'unconfirmed',
  code: 'interrupted',
  message: 'the bridge was interrupted after it had begun to send this, and the platform does not show it; it is not sent again',
};
