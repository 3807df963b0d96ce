import { isRecord } from '../base/json.ts';
import type { Json } from '../features/feature.ts';
import { DAYS, type Day } from '../schedule/week.ts';
import type { Said } from './answers.ts';
import type { CommandParts } from './commandParts.ts';
import type { Effect, Write } from './evaluate.ts';
import { type DeviceState, deviceKey } from './home.ts';
import type { Request } from './request.ts';

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
};

/** What the journal keeps of a write: enough to find out what became of it, and to answer it. */
export const journaled = (
  { state, message }: Request,
  { envelope: { id }, feature, command, told }: Write,
  effect?: Effect,
): Journaled => ({
  device: deviceKey(state.device),
  name: state.device.name,
  feature,
  command,
  topic: message.topic,
  ...(told?.feature === undefined ? {} : { composite: told.feature }),
  ...(id === undefined ? {} : { id }),
  ...(effect ? { values: Object.fromEntries(effect.values), ...(effect.days ? { days: effect.days } : {}) } : {}),
});

/** The write that a line of the journal keeps; undefined where it is none. */
export const readJournaled = (line: object): Journaled | undefined => {
  const { device, name, feature, command, composite, topic, id, values, days }: Partial<Record<string, unknown>> = { ...line };
  if (typeof device !== 'string' || typeof name !== 'string' || typeof feature !== 'string') return undefined;
  if (typeof command !== 'string' || typeof topic !== 'string') return undefined;
  return {
    ...{ device, name, feature, command, topic },
    ...(typeof composite === 'string' ? { composite } : {}),
    ...(typeof id === 'string' || typeof id === 'number' ? { id } : {}),
    ...(isJsonRecord(values) ? { values } : {}),
    ...(Array.isArray(days) ? { days: DAYS.filter((day) => days.includes(day)) } : {}),
  };
};

// What came out of JSON.parse is JSON all the way down.
const isJsonRecord = (value: unknown): value is Readonly<Record<string, Json>> => isRecord(value);

/** Writes that a killed process had sent are never sent again: the platform is asked what it shows, and they are answered (CONTRACT §4). */
export const answerInterrupted = async (parts: CommandParts): Promise<void> => {
  await Promise.all([...parts.journal.left].map(([key, line]) => answerOne(parts, key, readJournaled(line))));
};

const answerOne = async (parts: CommandParts, key: number, write: Journaled | undefined): Promise<void> => {
  const { states, answers, journal, log } = parts;
  if (!write) {
    journal.end(key);
    return;
  }
  const { name, feature, command, composite, topic, id } = write;
  const state = states.get(write.device);
  log.warn({ device: name, feature, command }, 'the bridge ended before this write had its answer; the platform is asked what it shows');
  const said = state ? await findOut(parts, state, write) : UNKNOWN;
  // A stop leaves it to the next run.
  if (!said) return;
  parts.ends.temporaries.interrupted(write, said.status === 'applied');
  const about = { ...(id === undefined ? {} : { id }), device: state?.device.name ?? name, feature: composite ?? feature, command };
  const message = { topic, payload: new Uint8Array(), retain: false };
  answers.give(message, { ...about, ...said }, state !== undefined, () => journal.end(key));
};

const findOut = async (parts: CommandParts, state: DeviceState, { feature, values, days }: Journaled): Promise<Said | undefined> => {
  const { confirmations, reader, quota, clock, counted, signal } = parts;
  state.doubt(feature, clock.elapsedMs());
  const read = parts.readFor(state, feature);
  const effect = values && { values: new Map(Object.entries(values)), ...(days ? { days } : {}) };
  const confirmed = effect ? confirmations.wait({ state, feature, effect, adapted: false, accepted: false, read }) : undefined;
  if (quota.mayRead(clock.elapsedMs())) {
    counted(read);
    await reader.read(read);
  }
  const how = (await confirmed)?.how;
  if (signal.aborted && how !== 'shown') return undefined;
  return how === 'shown' ? { status: 'applied' } : UNKNOWN;
};

const UNKNOWN: Said = {
  status: 'unconfirmed',
  code: 'interrupted',
  message: 'the bridge was interrupted after it had begun to send this, and the platform does not show it; it is not sent again',
};
