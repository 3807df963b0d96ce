/** The kinds of messages, most severe first. `connection`: gateway or device lost; `other`: unknown event. */
export const FAULT_KINDS = ['fault', 'warning', 'service', 'info', 'status', 'connection', 'other'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Kinds that stay open until they end. The others are only log entries. */
export const OPEN_KINDS: ReadonlySet<FaultKind> = new Set(['fault', 'warning', 'service']);

/** Kinds that are a problem while they last. */
export const isProblem = (kind: FaultKind): boolean => kind === 'fault' || kind === 'warning';

/** The source of a code: a list or an event type; `unknown`: another name. */
export type FaultSource = 'error' | 'service' | 'info' | 'status' | 'unknown';

/** By the first letter of a code. Two hexadecimal digits are codes of Vitotronic and older boilers. */
const FAMILIES: readonly (readonly [pattern: RegExp, kind: FaultKind])[] = [
  [/^0F$/i, 'service'],
  [/^[\da-f]{2}$/i, 'fault'],
  [/^F\.?\d/i, 'fault'],
  [/^A\.?\d/i, 'warning'],
  [/^P\.?\d/i, 'service'],
  [/^I\.?\d/i, 'info'],
  [/^S\.?\d/i, 'status'],
];

/** An empty entry in the list of an older boiler (thovid/ioBroker.viessmannapi#56). */
export const NO_FAULT = /^0+$/;

/** The kind of a code. The source outranks the letter: no status entry is a fault, and no error is hidden. */
export const kindOf = (code: string, source: FaultSource): FaultKind => {
  const family = FAMILIES.find(([pattern]) => pattern.test(code))?.[1];
  if (NO_FAULT.test(code)) return 'status';
  if (source === 'unknown') return family ?? 'other';
  if (source !== 'error') return source;
  if (family === 'info' || family === 'status') return 'warning';
  return family ?? 'fault';
};

/** The most severe of these kinds. */
export const mostSevere = (kinds: readonly FaultKind[]): FaultKind => FAULT_KINDS.find((kind) => kinds.includes(kind)) ?? 'other';
