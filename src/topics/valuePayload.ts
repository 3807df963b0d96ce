import type { Json } from '../features/feature.ts';
import type { Message } from '../shared/message.ts';

/** A number as plain decimals with `.`, without exponent or loss of digits (`1e-7` → `0.0000001`). */
export const plainNumber = (value: number): string => {
  const text = String(value);
  const scientific = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!scientific) return text;
  const [, sign = '', head = '', tail = '', power = '0'] = scientific;
  const digits = head + tail;
  const point = 1 + Number(power);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  // JavaScript writes an exponent from 1e21 on, and a number has at most 17 digits.
  return sign + digits.padEnd(point, '0');
};

/** The payload of a value: bare scalars, JSON for arrays and objects, empty without a value. */
export const payloadOf = (value: Json | undefined): string => {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? plainNumber(value) : '';
  return JSON.stringify(value);
};

/** The retained messages of topics with this prefix; a leaf without a payload has none. */
export const retainedMessages = (
  prefix: string,
  payloads: readonly (readonly [leaf: string, payload: string | undefined])[],
): Message[] => {
  const messages: Message[] = [];
  for (const [leaf, payload] of payloads) if (payload) messages.push({ topic: prefix + leaf, payload, retain: true });
  return messages;
};
