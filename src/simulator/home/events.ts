import type { Json, JsonObject } from '../http/json.ts';
import type { House } from './house.ts';

/** An event of an installation, as the platform stores it. */
export type PlatformEvent = JsonObject & { readonly eventTimestamp: string };

/** The platform's order: newest first. */
const newestFirst = (a: PlatformEvent, b: PlatformEvent): number => (a.eventTimestamp < b.eventTimestamp ? 1 : -1);

const wholeSecond = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}.000Z`;

/** The heating's local clock, 11 minutes fast, with a wrong `Z` (it is not UTC). */
const heatingClock = (house: House, at: number): string => {
  const { date, time } = house.wall(at + 11 * 60_000);
  return `${date}T${time}:33.000Z`;
};

/** The events of one platform, by installation. An event is listed seconds to minutes after it happened. */
export class Events {
  readonly #all: { readonly installation: string; readonly event: PlatformEvent; readonly storedAt: number }[] = [];
  add(house: House, eventType: string, body: JsonObject, at: number, lateMs = 2000): void {
    const event = {
      ...{ eventType, gatewaySerial: house.home.gateway, eventTimestamp: wholeSecond(at) },
      ...{ createdAt: new Date(at + lateMs).toISOString(), editedBy: 'system', origin: 'system', body },
    };
    this.#all.push({ installation: String(house.home.installation), event, storedAt: at + lateMs });
  }

  /** The events of the last `days` that are stored by `now`, newest first. */
  list(installation: string, days: number, now: number): readonly PlatformEvent[] {
    const from = new Date(now - days * 86_400_000).toISOString();
    return this.#all
      .filter((one) => one.installation === installation && one.storedAt <= now && one.event.eventTimestamp >= from)
      .map(({ event }) => event)
      .toSorted(newestFirst);
  }
}

export type Raised = {
  readonly code: string;
  readonly device: string;
  readonly text: string;
  /** `device-error`, `device-message-status` and similar. */
  readonly type: string;
  readonly lateMs: number;
  readonly active: boolean;
};

/** A fault starts or ends: as an event, and in the device's error list if there is one. */
export const raise = (house: House, events: Events, { code, device, text, type, lateMs, active }: Raised, now: number): void => {
  const { model } = house.home.devices[device] ?? {};
  const body = { errorCode: code, deviceId: device, modelId: model ?? 'Simulated_Device', active, errorDescription: text };
  events.add(house, type, { ...body, equipmentType: 'Boiler', errorEventType: 'Error' }, now, lateMs);
  const list = type === 'device-error' ? 'errors' : (/^device-message-(\w+)$/.exec(type)?.[1] ?? '');
  const record = house.everRecord(device, `device.messages.${list}.raw`);
  if (!record) return;
  record.presence = 'enabled';
  const entries = record.value('entries');
  const others = (Array.isArray(entries) ? entries : []).filter((entry: Json) => !isOf(entry, code));
  const entry = { timestamp: heatingClock(house, now), errorCode: code, accessLevel: 'customer', audiences: [], priority: 'criticalError' };
  house.put(record, 'entries', active ? [entry, ...others] : others, now);
};

const isOf = (entry: Json, code: string): boolean =>
  typeof entry === 'object' && entry !== null && 'errorCode' in entry && entry.errorCode === code;
