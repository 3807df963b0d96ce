import type { Json } from '../features/feature.ts';

/** A number as plain decimals with `.`: never an exponent, no digit lost (`1e-7` → `0.0000001`). */
export const plainNumber = (value: number): string => {
  const text = String(value);
  const scientific = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!scientific) return text;
  const [, sign = '', head = '', tail = '', power = '0'] = scientific;
  const digits = head + tail;
  const point = 1 + Number(power);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return sign + (digits.length <= point ? digits.padEnd(point, '0') : `${digits.slice(0, point)}.${digits.slice(point)}`);
};

/** The payload of a value (CONTRACT §2.1): bare scalars, JSON for arrays and objects, empty where there is no value. */
export const payloadOf = (value: Json | undefined): string => {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? plainNumber(value) : '';
  return typeof value === 'boolean' ? String(value) : JSON.stringify(value);
};
