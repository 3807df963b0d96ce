import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Delivery } from '../control/faults.ts';
import type { Answer } from './answer.ts';

const cutAfter = (response: ServerResponse, answer: Answer, where: 'headers' | 'middle' | 'stall'): void => {
  const bytes = Buffer.from(answer.body);
  // The announced length is at least two bytes, so even an empty body is incomplete.
  response.writeHead(answer.status, { ...answer.headers, 'content-length': Math.max(bytes.length, 2) });
  const destroy = (): void => void response.socket?.destroy();
  if (where === 'stall') {
    response.write(bytes.subarray(0, Math.floor(bytes.length / 2)));
    response.flushHeaders();
    return;
  }
  if (where === 'headers' || bytes.length < 2) {
    response.flushHeaders();
    setImmediate(destroy);
    return;
  }
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), destroy);
};

const drip = async (response: ServerResponse, answer: Answer, msPerByte: number, signal: AbortSignal): Promise<void> => {
  const bytes = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...answer.headers, 'content-length': bytes.length });
  for (let i = 0; i < bytes.length && !response.destroyed; i++) {
    response.write(bytes.subarray(i, i + 1));
    await sleep(msPerByte, undefined, { signal });
  }
  response.end();
};

/** The body with trailing spaces, which JSON allows. */
const padded = (body: string, bytes: number): string => body + ' '.repeat(Math.max(0, bytes - Buffer.byteLength(body)));

/** Sends an answer as described by the fault; rejects only when `signal` is aborted. */
export const deliver = async (response: ServerResponse, given: Answer, how: Delivery | undefined, signal: AbortSignal): Promise<void> => {
  const answer = how && how.padBytes > 0 ? { ...given, body: padded(given.body, how.padBytes) } : given;
  if (how && how.delayMs > 0) await sleep(how.delayMs, undefined, { signal });
  if (how?.hang) return;
  if (how?.cut === 'before' || how?.cut === 'after_effect') {
    response.socket?.destroy();
    return;
  }
  if (how?.cut) return cutAfter(response, answer, how.cut);
  if (how && how.slowMsPerByte > 0) return drip(response, answer, how.slowMsPerByte, signal);
  response.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(answer.body) });
  response.end(answer.body);
};
