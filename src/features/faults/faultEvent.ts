import * as z from 'zod/mini';
import { FAULT_KINDS, type FaultSource, kindOf } from './faultKind.ts';

/** A begin, an end, or (without `active`) a moment of something that a heating tells. */
export const FAULT_EVENT = z.object({
  /** The same for the same event, however often it is read. */
  key: z.string(),
  gateway: z.string(),
  /** Empty where the event names none. */
  device: z.string(),
  code: z.string(),
  kind: z.enum(FAULT_KINDS),
  /** Epoch milliseconds: by the platform's clock, or when the bridge first saw it. Never by the heating's clock. */
  at: z.number(),
  active: z.optional(z.boolean()),
  /** The platform's own sentence, in English. */
  text: z.optional(z.string()),
  /** `messages`: seen in a list of the device. */
  from: z.enum(['events', 'messages']),
  /** The moment by the heating's clock, as it came: to be shown, never to be computed with. */
  clock: z.optional(z.string()),
});
export type FaultEvent = Readonly<z.infer<typeof FAULT_EVENT>>;

/** A page of events, as far as it makes sense; `next` is the cursor of the next one, `oldestMs` the time of the oldest event, of commands too. */
export type EventPage = { readonly events: readonly FaultEvent[]; readonly next?: string; readonly oldestMs: number };

/** A page has at most so many: it is what is asked for. */
const MOST_EVENTS = 1000;
/** An event with a longer type, id or time is left out; a longer code is cut. */
const LONGEST = 100;
const LONGEST_TEXT = 500;
/** On one line, without what controls a terminal or turns the direction of a line. */
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

/** The code of a message, the same in a list and in an event; older boilers have numbers. */
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

/** Events of commands, of whatever program: they say nothing of faults. */
const COMMANDS = 'feature-changed';
const SOURCES: ReadonlyMap<string, FaultSource> = new Map([
  ['device-error', 'error'],
  ['device-message-error', 'error'],
  ['device-message-service', 'service'],
  ['device-message-info', 'info'],
  ['device-message-status', 'status'],
]);

/** With its zone: without one it is the clock of some machine. */
const INSTANT = /^\d{4}-\d\d-\d\dT.+(?:Z|[+-]\d\d:?\d\d)$/;
const isInstant = (time: string | undefined): time is string => time !== undefined && INSTANT.test(time) && !Number.isNaN(Date.parse(time));

/** Reads a page; undefined for anything else. What makes no sense, or is about commands, is left out; `nowMs` stands in for a time that cannot be read. */
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
  // Without a time that can be read, when the platform stored it: it keeps two of them apart.
  const time = [data.eventTimestamp, data.createdAt].find(isInstant) ?? data.eventTimestamp ?? '';
  const isOfGateway = eventType.startsWith('gateway-');
  const device = isOfGateway ? '' : (body.deviceId ?? data.deviceId ?? '');
  if ([eventType, gateway, device, time].some(({ length }) => length > LONGEST)) return undefined;
  // Half a character cannot be percent-encoded: it is part of no key.
  if (![gateway, device].every((id) => id.isWellFormed())) return undefined;
  const isConnection = /^(?:gateway|device)-(?:online|offline)$/.test(eventType);
  const isMessage = SOURCES.has(eventType) || eventType.startsWith('device-message-');
  const code = (isMessage && body.errorCode) || eventType.replace(/-offline$/, '-online');
  const online = body.online ?? (eventType.endsWith('-offline') ? false : undefined);
  // What does not say whether it is online tells no connection that is lost.
  const active = isConnection ? (online === undefined ? undefined : !online) : body.active;
  const parsedMs = isInstant(time) ? Date.parse(time) : nowMs;
  const sentence = body.errorDescription;
  return {
    key: JSON.stringify([gateway, device, eventType, time, code, active]),
    ...{ gateway, device, code },
    kind: isConnection && active !== undefined ? 'connection' : isMessage ? kindOf(code, SOURCES.get(eventType) ?? 'unknown') : 'other',
    // One that lies ahead counts with the time of its first sight.
    at: Math.min(parsedMs, nowMs),
    active,
    text: sentence && sentence !== code ? sentence : undefined,
    from: 'events',
  };
};
