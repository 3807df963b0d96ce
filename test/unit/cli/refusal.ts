import { UsageError } from '../../../src/shared/errors.ts';

/** The sentence with which the words of a command are refused. */
export const refusalOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof UsageError && error.code === 'usage') return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
};
