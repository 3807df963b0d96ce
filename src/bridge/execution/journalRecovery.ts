import type { Json } from '../../features/feature.ts';
import { DAYS, type Day } from '../../schedule/week.ts';
import { isRecord } from '../../shared/json.ts';
import type { CommandParts } from '../commandDependencies.ts';
import type { Request } from '../commands/command.ts';
import type { Effect, Write } from '../commands/evaluate.ts';
import { type Device, type DeviceState, deviceKey } from '../devices/deviceState.ts';
import type { Before, PendingWrite } from '../devices/pendingWrites.ts';
import { isChosen } from '../polling/readTarget.ts';
import type { Journal } from '../ports.ts';
import type { Said } from './resultPublisher.ts';

/** A write as the journal keeps it. `name` is the device's name in topics when it was sent. */
export type Journaled = {
  readonly device: string;
  readonly name: string;
  readonly feature: string;
  readonly command: string;
  /** The composite that was written to, where it was one. */
  readonly composite?: string;
  readonly topic: string;
  readonly id?: string | number;
  readonly values?: Readonly<Record<string, Json>>;
  readonly days?: readonly Day[];
  /** What the platform may still show of the values although it has carried out the write. */
  readonly before?: readonly Before[];
  readonly revsBefore?: readonly string[];
};

/** A write that an earlier run has left in the journal, and what is known of it. */
export type LeftWrite = {
  readonly key: number;
  readonly write: Journaled;
  readonly accepted: boolean;
  readonly answered: boolean;
  readonly settled: boolean;
};

/** What the journal keeps of a write: enough to find out what became of it, and to answer it. */
export const journaled = (
  { state, message }: Request,
  { envelope: { id }, feature, command, told }: Write,
  { effect, before, revsBefore }: Pick<PendingWrite, 'effect' | 'before' | 'revsBefore'>,
): Journaled => ({
  device: deviceKey(state.device),
  name: state.device.name,
  feature,
  command,
  topic: message.topic,
  ...(told?.feature === undefined ? {} : { composite: told.feature }),
  ...(id === undefined ? {} : { id }),
  ...(effect ? { values: Object.fromEntries(effect.values), ...(effect.days ? { days: effect.days } : {}), before } : {}),
  ...(effect ? {} : { revsBefore }),
});

/** The write that a line of the journal keeps; undefined where it is none. */
export const readJournaled = (line: object): Journaled | undefined => {
  const { device, name, feature, command, composite, topic, id, values, days, before, revsBefore }: Partial<Record<string, unknown>> = {
    ...line,
  };
  if (typeof device !== 'string' || typeof name !== 'string' || typeof feature !== 'string') return undefined;
  if (typeof command !== 'string' || typeof topic !== 'string') return undefined;
  return {
    ...{ device, name, feature, command, topic },
    ...(typeof composite === 'string' ? { composite } : {}),
    ...(typeof id === 'string' || typeof id === 'number' ? { id } : {}),
    ...(isJsonRecord(values) ? { values } : {}),
    ...(Array.isArray(days) ? { days: DAYS.filter((day) => days.includes(day)) } : {}),
    ...(Array.isArray(before) ? { before: before.flatMap(readBefore) } : {}),
    ...(Array.isArray(revsBefore) ? { revsBefore: revsBefore.filter((rev) => typeof rev === 'string') } : {}),
  };
};

const readBefore = (raw: unknown): readonly Before[] => {
  if (!isRecord(raw) || typeof raw['property'] !== 'string' || !Array.isArray(raw['values'])) return [];
  const day = DAYS.find((known) => known === raw['day']);
  return [{ property: raw['property'], ...(day === undefined ? {} : { day }), values: raw['values'] }];
};

// What came out of JSON.parse is JSON all the way down.
const isJsonRecord = (value: unknown): value is Readonly<Record<string, Json>> => isRecord(value);

/** What an earlier run has left in the journal; lines that make no sense are ended. */
export const leftWrites = (journal: Journal): readonly LeftWrite[] =>
  [...journal.left].flatMap(([key, { write: line, ...marks }]) => {
    const write = readJournaled(line);
    if (write) return [{ key, write, ...marks }];
    journal.answered(key);
    journal.settled(key);
    return [];
  });

const effectOf = ({ values, days }: Journaled): Effect | undefined =>
  values && { values: new Map(Object.entries(values)), ...(days ? { days } : {}) };

/** Those of them that concern the device and that no read has shown, as still pending since `sinceMs` (`Clock.elapsedMs`). */
export const pendingOf = (left: readonly LeftWrite[], device: Device, sinceMs: number): readonly PendingWrite[] =>
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
 * Writes that an earlier run had sent are never sent again: the platform is asked what it shows, and those without an answer are answered.
 * Until it is known what one did whose answer is missing, the device's other writes wait in `queue`.
 */
export const answerInterrupted = async (
  parts: CommandParts,
  queue: (device: string, work: () => Promise<void>) => Promise<void>,
): Promise<void> => {
  await Promise.all(
    parts.left.map(async (left) => {
      if (left.accepted) parts.ends.temporaries.interrupted(left, 'accepted');
      if (left.answered) {
        if (!left.accepted) parts.ends.temporaries.interrupted(left, 'unknown');
        if (isForgotten(parts, left.write)) parts.journal.settled(left.key);
      } else if (left.accepted) await answerOne(parts, left);
      else await queue(left.write.device, () => answerOne(parts, left));
    }),
  );
};

/** True where nobody will ever read the feature of a write again: the device is not known any more, or the settings leave it out. */
const isForgotten = ({ states, finder }: CommandParts, { device, feature }: Journaled): boolean => {
  const known = states.get(device)?.device;
  return known ? !isChosen(known, feature) : finder === undefined || finder.devices() !== undefined;
};

const answerOne = async (parts: CommandParts, { key, write, accepted }: LeftWrite): Promise<void> => {
  const { states, answers, journal, log } = parts;
  const { name, feature, command, composite, topic, id } = write;
  const state = states.get(write.device);
  log.warn({ device: name, feature, command }, 'the bridge ended before this write had its answer; the platform is asked what it shows');
  const said = state ? await findOut(parts, state, write, accepted) : UNKNOWN;
  // A stop leaves it to the next run.
  if (!said) return;
  if (!accepted) parts.ends.temporaries.interrupted({ key, write }, said.status === 'applied' ? 'accepted' : 'unknown');
  if (isForgotten(parts, write)) journal.settled(key);
  const about = { ...(id === undefined ? {} : { id }), device: state?.device.name ?? name, feature: composite ?? feature, command };
  const message = { topic, payload: new Uint8Array(), retain: false };
  answers.give(message, { ...about, ...said }, state !== undefined, () => journal.answered(key));
};

const findOut = async (parts: CommandParts, state: DeviceState, write: Journaled, accepted: boolean): Promise<Said | undefined> => {
  const { confirmations, reader, quota, clock, counted, signal } = parts;
  const { feature, before = [] } = write;
  const sinceMs = clock.elapsedMs();
  state.markStale(feature, sinceMs);
  const read = parts.readFor(state, feature);
  const effect = effectOf(write);
  const confirmed = effect ? confirmations.wait({ state, feature, effect, before, adapted: false, accepted, sinceMs, read }) : undefined;
  if (quota.mayRead(clock.elapsedMs())) {
    counted(read);
    await reader.read(read);
  }
  const how = (await confirmed)?.how;
  if (signal.aborted && how !== 'shown') return undefined;
  if (how === 'shown') return { status: 'applied' };
  return accepted && effect === undefined ? { status: 'applied' } : UNKNOWN;
};

const UNKNOWN: Said = {
  status: 'unconfirmed',
  code: 'interrupted',
  message: 'the bridge was interrupted after it had begun to send this, and the platform does not show it; it is not sent again',
};
