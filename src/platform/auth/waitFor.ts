import { PlatformError } from '../errors.ts';

const gaveUp = (signal: AbortSignal): PlatformError =>
  new PlatformError('aborted', 'The call was given up while it waited for a token.', { arrived: 'no' }, { cause: signal.reason });

/** What the promise gives, or PlatformError `aborted` as soon as this caller gives up; the work itself goes on for the others. */
export const waitFor = <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  if (!signal) return work;
  return new Promise<T>((resolve, reject) => {
    const giveUp = (): void => reject(gaveUp(signal));
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
};
