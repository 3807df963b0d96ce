import * as z from 'zod/mini';
import type { Platform } from '../bridge/ports.ts';
import { classify, jsonOf } from './classify.ts';
import { PlatformError } from './errors.ts';
import type { HttpAnswer } from './exchange.ts';
import { CODE, inData, WORDS } from './text.ts';

const ANSWER = inData(z.object({ success: z.optional(z.unknown()), reason: CODE, message: WORDS }));

/** A command that the platform accepted, with the platform's own words. */
export type Accepted = Awaited<ReturnType<Platform['execute']>>;

const ADAPTED = 'WARNING_PARAMETERS_CHANGED';

const badAnswer = (status: number): PlatformError =>
  new PlatformError('bad_answer', 'The answer of the platform does not say whether the command was executed. The next read shows it.', {
    arrived: 'yes',
    status,
  });

const refusal = (status: number, reason: string, message: string): PlatformError => {
  const words = [reason, message].filter(Boolean).join(': ');
  return new PlatformError('device_error', `The platform accepted the command but reports that it failed${words && ` (${words})`}.`, {
    arrived: 'yes',
    status,
    reason: reason || undefined,
  });
};

/** Reads a 2xx command answer (empty: accepted). PlatformError: `success: false`, or no JSON object. */
export const readCommandAnswer = ({ status, contentType, bytes }: Pick<HttpAnswer, 'status' | 'contentType' | 'bytes'>): Accepted => {
  const text = String(bytes);
  if (text.trim() === '') return { adapted: false };
  const body = jsonOf(contentType, text);
  const failure = classify(status, body);
  if (failure) throw failure;
  const answer = ANSWER.safeParse(body);
  if (!answer.success) throw badAnswer(status);
  const { success, reason, message } = answer.data;
  // The value may be text: the platform once sent isExecutable as text.
  if (success === false || success === 'false') throw refusal(status, reason, message);
  return { adapted: reason === ADAPTED, ...(reason && { reason }), ...(message && { message }) };
};
