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
export const JSON_VALUE = z.custom<Json>((value) => value !== undefined);
export const ID = z.union([z.string(), z.number()]);
const BEFORE = z.object({ property: z.string(), day: z.optional(z.enum(DAYS)), values: z.readonly(z.array(JSON_VALUE)) });

export const AUTHOR = z.object({ kind: z.enum(['mqtt', 'page', 'end']), user: z.optional(z.string()) });

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
  by: z.catch(z.optional(AUTHOR), undefined),
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
  /** Undefined where no effect can be predicted. */
  readonly effect: Effect | undefined;
  readonly accepted: boolean;
  readonly answered: boolean;
  readonly settled: boolean;
};

/** What the journal keeps of a write: enough to find out what became of it, and to answer it. */
export const journalEntry = (
  { target: { state }, source, by }: DeviceRequest,
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
  by,
  values: effect && Object.fromEntries(effect.values),
  days: effect?.days,
  before: effect && before,
  revsBefore: effect ? undefined : revsBefore,
});

/** The writes that an earlier run has left in the journal. Entries that cannot be read are ended. */
export const interruptedWrites = (journal: Journal): readonly InterruptedWrite[] =>
  [...journal.left].flatMap(([key, { write: line, ...marks }]) => {
    const write = ENTRY.safeParse(line).data;
    if (write) return [{ key, write, effect: effectOf(write), ...marks }];
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
    .map(({ key, write: { feature, before = [], revsBefore = [] }, effect, accepted }) => {
      return { key, feature, outcome: accepted ? 'accepted' : 'unknown', effect, before, revsBefore, sinceMs };
    });

/**
 * Writes that an earlier run had sent are never sent again: the platform is asked what it shows, and those without a result get theirs.
 * While it is not known what a write without an answer did, the device's other writes wait. Without `discovery` the settings name the
 * devices. The function resolves when each write has its result.
 */
export const journalRecovery = (
  journal: Journal,
  states: ReadonlyMap<string, DeviceState>,
  discovery: Pick<DeviceDiscovery, 'devices'> | undefined,
  confirmation: Confirmation,
  overrides: OverrideRepository,
  history: { recovered(write: InterruptedWrite, result: CommandResult): void },
  results: ResultPublisher,
  log: Log,
): ((all: readonly InterruptedWrite[], queue: SerialQueue) => Promise<void>) => {
  const findOut = async (state: DeviceState, { write, effect, accepted }: InterruptedWrite): Promise<CommandResult | undefined> => {
    const { feature, before = [] } = write;
    const { kind } = await confirmation.recheck({ state, feature, effect, before, accepted });
    // After a stop the next run finds out.
    if (kind === 'stopping') return undefined;
    return kind === 'shown' || (accepted && effect === undefined) ? { status: 'applied' } : UNKNOWN;
  };

  /** No read will show the feature any more where the device is not known now, or the settings leave the feature out. */
  const settleForgotten = ({ key, write: { device, feature } }: InterruptedWrite): void => {
    const known = states.get(device)?.device;
    const isForgotten = known ? !isChosen(known, feature) : discovery === undefined || discovery.devices() !== undefined;
    if (isForgotten) journal.mark(key, 'settled');
  };

  const resolve = async (left: InterruptedWrite): Promise<void> => {
    const { name, feature, command, composite, topic, id, by } = left.write;
    const state = states.get(left.write.device);
    log.warn({ device: name, feature, command }, 'the bridge ended before this write had its answer; the platform is asked what it shows');
    const result = state ? await findOut(state, left) : UNKNOWN;
    if (!result) return;
    if (!left.accepted) overrides.interrupted(left, result.status === 'applied' ? 'accepted' : 'unknown');
    settleForgotten(left);
    history.recovered(left, result);
    const about = { id, device: state?.device.name ?? name, feature: composite ?? feature, command };
    results.publish({ topic, by }, { ...about, ...result }, state !== undefined, () => journal.mark(left.key, 'answered'));
  };

  return async (all, queue) => {
    const resolved = all.map(async (left) => {
      if (left.accepted) overrides.interrupted(left, 'accepted');
      if (left.answered) {
        if (!left.accepted) overrides.interrupted(left, 'unknown');
        settleForgotten(left);
      } else if (left.accepted) await resolve(left);
      else await queue.add(left.write.device, () => resolve(left));
    });
    await Promise.all(resolved);
  };
};

const UNKNOWN: CommandResult = {
  status: 'unconfirmed',
  code: 'interrupted',
  message: 'the bridge was interrupted after it had begun to send this, and the platform does not show it; it is not sent again',
};
