import { classifyBody, jsonOf } from './classify.ts';
import { PlatformError } from './errors.ts';
import type { HttpAnswer } from './exchange.ts';
import { isRecord } from './json.ts';
import { codeIn, wordsIn } from './text.ts';

/** The platform's yes to a command, with its own words. */
export type Accepted = {
  /** The device took another value than the one sent: read it again. */
  readonly adapted: boolean;
  readonly reason?: string;
  readonly message?: string;
};

const ADAPTED = 'WARNING_PARAMETERS_CHANGED';

const badAnswer = (status: number): PlatformError =>
  new PlatformError(
    'bad_answer',
    'The platform answered the command with something that is neither a yes nor a no. Whether it was executed shows only in the next read.',
    { arrived: 'yes', status },
  );

const refusal = (status: number, reason: string | undefined, message: string | undefined): PlatformError => {
  const words = [reason, message].filter((word) => word !== undefined).join(': ');
  return new PlatformError('device_error', `The platform took the command but says that it did not succeed${words && ` (${words})`}.`, {
    arrived: 'yes',
    status,
    reason,
  });
};

/** What a 2xx answer to a command means: nothing in it is a yes too; `success: false` and what is no JSON object are thrown as PlatformError. */
export const acceptedOf = ({ status, contentType, text }: HttpAnswer): Accepted => {
  if (text.trim() === '') return { adapted: false };
  const body = jsonOf(contentType, text);
  const failure = classifyBody(status, body);
  if (failure) throw failure;
  if (!isRecord(body)) throw badAnswer(status);
  const data = isRecord(body.data) ? body.data : body;
  const reason = codeIn(data, 'reason');
  const message = wordsIn(data, 'message');
  // As text too: the platform once sent isExecutable so.
  if (data.success === false || data.success === 'false') throw refusal(status, reason, message);
  return { adapted: reason === ADAPTED, ...(reason && { reason }), ...(message && { message }) };
};
