import { get } from 'node:http';
import { isUnset, readSettings, type Sources } from '../../config/load.ts';
import type { Io } from '../terminal/io.ts';

const AT_MOST_MS = 5000;

/**
 * Asks the page of a bridge that waits for its first set-up whether it is there: exit code 0 where it is, else 1. Undefined where there are
 * settings.
 */
export const checkSetup = async (sources: Sources, io: Pick<Io, 'out'>): Promise<number | undefined> => {
  const read = readSettings(sources);
  const { enabled, listen, port } = read.loaded.web;
  if (!isUnset(read) || !enabled) return undefined;
  const host = listen === null || listen === '0.0.0.0' || listen === '::' ? '127.0.0.1' : listen;
  const isThere = await new Promise<boolean>((resolve) => {
    const asked = get({ host, port, path: '/health', timeout: AT_MOST_MS }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on('error', () => resolve(false)).on('timeout', () => asked.destroy(new Error('no answer')));
  });
  io.out(
    isThere
      ? 'ok   set-up: there are no settings yet; the page makes them'
      : 'FAIL set-up: there are no settings, and no page that could make them',
  );
  return isThere ? 0 : 1;
};
