import { join, resolve } from 'node:path';
import type { Env } from './environment.ts';

const NAME = 'heating2mqtt';

/**
 * Where state is kept by the platform's convention: systemd's $STATE_DIRECTORY, macOS Application Support, Windows %LOCALAPPDATA%,
 * else the XDG state folder. undefined where not even a home folder is known.
 */
export const defaultDataDir = (env: Env, platform: NodeJS.Platform, home: string | undefined): string | undefined => {
  // systemd names several folders with a colon between them.
  const given = env.STATE_DIRECTORY?.split(':')[0];
  if (given) return resolve(given);
  if (platform === 'win32' && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, NAME);
  // The XDG specification has relative paths ignored.
  if (platform !== 'win32' && platform !== 'darwin' && env.XDG_STATE_HOME?.startsWith('/')) return join(env.XDG_STATE_HOME, NAME);
  if (!home) return undefined;
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', NAME);
  return platform === 'win32' ? join(home, 'AppData', 'Local', NAME) : join(home, '.local', 'state', NAME);
};
