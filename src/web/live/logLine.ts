import type { LogLine } from '../../api/answers.ts';
import { jsonObject } from '../../shared/json.ts';
import { factsText } from '../../shared/log.ts';

const LONGEST = 2000;

/** Reads a line that pino has written: the sentence, and behind it the facts. */
export const readLogLine = (line: string): LogLine => {
  const { level, time, msg, ...facts } = jsonObject(line) ?? { msg: line.trim() };
  const shown = factsText(facts);
  const message = shown === '' ? String(msg) : `${msg} (${shown})`;
  return { at: String(time ?? ''), level: String(level ?? 'info'), message: message.slice(0, LONGEST) };
};
