import { jsonObject } from '../../shared/json.ts';

/** A line of the log as the page shows it. */
export type LogLine = { readonly at: string; readonly level: string; readonly message: string };

// The numbers of pino.
const LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' };
const LONGEST = 2000;

/** Reads a line that pino has written: the sentence, and behind it the facts. */
export const readLogLine = (line: string): LogLine => {
  const { level, time, msg, ...facts } = jsonObject(line) ?? { msg: line.trim() };
  const shown = Object.entries(facts).map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const message = shown.length === 0 ? String(msg) : `${msg} (${shown.join(', ')})`;
  return { at: String(time ?? ''), level: LEVELS[Number(level)] ?? 'info', message: message.slice(0, LONGEST) };
};
