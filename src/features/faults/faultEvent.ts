import * as z from 'zod/mini';
import { FAULT_KINDS, type FaultSource, kindOf } from './faultKind.ts';

/** A begin, an end, or (without `active`) a single moment that a heating reports. */
export const FAULT_EVENT = z.object({
  /** Identical for the same event in every read. */
  key: z.string(),
  gateway: z.string(),
  /** Empty if the event names no device. */
  device: z.string(),
  code: z.string(),
  kind: z.enum(FAULT_KINDS),
  /** Epoch ms, from the platform's clock or the bridge's first sight. Never from the heating's clock. */
  at: z.number(),
  active: z.optional(z.boolean()),
  /** The platform's own sentence, in English. */
  text: z.optional(z.string()),
  /** `messages`: seen in a list of the device. */
  from: z.enum(['events', 'messages']),
  /** The time from the heating's clock, unchanged. For display only, not for calculations. */
  clock: z.optional(z.string()),
});
export type FaultEvent = Readonly<z.infer<typeof FAULT_EVENT>>;

/** The valid events of a page. `next`: the next cursor; `oldestMs`: the oldest event, commands included. */
export type EventPage = { readonly events: readonly FaultEvent[]; readonly next?: string; readonly oldestMs: number };

/** The requested page size, which is the maximum. */
const MOST_EVENTS = 1000;
/** An event with a longer type, id or time is left out; a longer code is cut. */
const LONGEST = 100;
const LONGEST_TEXT = 500;
/** One line, without terminal control or text direction characters. */
const plain = (text: string, most: number): string =>
  text
    .slice(0, 10 * most)
    .replace(/[\s\p{Cc}\p{Bidi_Control}]+/gu, ' ')
    .trim()
    .slice(0, most);
const text = (most: number) =>
  z.pipe(
    z.string(),
    z.transform((all) => plain(all, most)),
  );
const lenient = <T>(schema: z.ZodMiniType<T>) => z.catch(z.optional(schema), undefined);
const ID = lenient(z.pipe(z.union([z.string(), z.number()]), z.transform(String)));

/** The code of a message, equal in lists and events; older boilers use numbers. */
export const CODE = z.pipe(
  z.union([z.string(), z.number()]),
  z.transform((code) => plain(String(code), LONGEST)),
);

const BODY = z.object({
  errorCode: lenient(CODE),
  active: lenient(z.boolean()),
  online: lenient(z.boolean()),
  deviceId: ID,
  errorDescription: lenient(text(LONGEST_TEXT)),
});
const EVENT = z.object({
  eventType: z.string(),
  gatewaySerial: z.string(),
  eventTimestamp: lenient(z.string()),
  createdAt: lenient(z.string()),
  deviceId: ID,
  body: z.catch(BODY, {}),
});
const TIMED = z.object({ eventTimestamp: z.string() });
const PAGE = z.object({
  data: z.array(z.unknown()),
  cursor: lenient(z.object({ next: lenient(z.string()) })),
});

/** Command events of any program: they contain no faults. */
const COMMANDS = 'feature-changed';
const SOURCES: ReadonlyMap<string, FaultSource> = new Map([
  ['device-error', 'error'],
  ['device-message-error', 'error'],
  ['device-message-service', 'service'],
  ['device-message-info', 'info'],
  ['device-message-status', 'status'],
]);

/** With its zone. Without one, the source of the clock is unknown. */
const INSTANT = /^\d{4}-\d\d-\d\dT.+(?:Z|[+-]\d\d:?\d\d)$/;
const isInstant = (time: string | undefined): time is string => time !== undefined && INSTANT.test(time) && !Number.isNaN(Date.parse(time));

/** Reads a page, without invalid and command events. `nowMs` replaces an unreadable time. Else undefined. */
export const parseEvents = (page: unknown, nowMs: number): EventPage | undefined => {
  const { data } = PAGE.safeParse(page);
  if (!data) return undefined;
  const next = data.cursor?.next;
  const events = data.data.slice(0, MOST_EVENTS).flatMap((event) => eventOf(event, nowMs) ?? []);
  const oldestMs = data.data.reduce<number>((oldest, event) => {
    const time = TIMED.safeParse(event).data?.eventTimestamp;
    return isInstant(time) ? Math.min(Date.parse(time), oldest) : oldest;
  }, nowMs);
  return { events, oldestMs, ...(next && data.data.length > 0 ? { next } : {}) };
};

const eventOf = (raw: unknown, nowMs: number): FaultEvent | undefined => {
  const { data } = EVENT.safeParse(raw);
  if (!data || data.eventType === COMMANDS || data.eventType === '') return undefined;
  const { eventType, gatewaySerial: gateway, body } = data;
  // Without a readable time, the time of storage on the platform distinguishes two events.
  const time = [data.eventTimestamp, data.createdAt].find(isInstant) ?? data.eventTimestamp ?? '';
  const isOfGateway = eventType.startsWith('gateway-');
  const device = isOfGateway ? '' : (body.deviceId ?? data.deviceId ?? '');
  if ([eventType, gateway, device, time].some(({ length }) => length > LONGEST)) return undefined;
  // A lone surrogate cannot be percent-encoded, so it is not valid in a key.
  if (![gateway, device].every((id) => id.isWellFormed())) return undefined;
  const isConnection = /^(?:gateway|device)-(?:online|offline)$/.test(eventType);
  const isMessage = SOURCES.has(eventType) || eventType.startsWith('device-message-');
  const code = (isMessage && body.errorCode) || eventType.replace(/-offline$/, '-online');
  const online = body.online ?? (eventType.endsWith('-offline') ? false : undefined);
  // Without an online state, the event does not mean a lost connection.
  const active = isConnection ? (online === undefined ? undefined : !online) : body.active;
  const parsedMs = isInstant(time) ? Date.parse(time) : nowMs;
  const sentence = body.errorDescription;
  return {
    key: JSON.stringify([gateway, device, eventType, time, code, active]),
    ...{ gateway, device, code },
    kind: isConnection && active !== undefined ? 'connection' : isMessage ? kindOf(code, SOURCES.get(eventType) ?? 'unknown') : 'other',
    // A time in the future counts as the time of first sight.
    at: Math.min(parsedMs, nowMs),
    active,
    text: sentence && sentence !== code ? sentence : undefined,
    from: 'events',
  };
};
