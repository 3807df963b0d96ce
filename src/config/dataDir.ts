import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Env } from './environment.ts';
import { APP_DATA_DIR } from './homeAssistantApp.ts';

const NAME = 'heating2mqtt';

/** The user's home folder; undefined if none is known. */
export const homeOf = (env: Env): string | undefined => {
  if (env.HOME) return env.HOME;
  try {
    return homedir();
  } catch {
    // Containers use user ids that the system does not know.
    return undefined;
  }
};

/**
 * The state folder by the platform's convention: /data in a Home Assistant app, systemd's $STATE_DIRECTORY,
 * macOS Application Support, Windows %LOCALAPPDATA%, else the XDG state folder. undefined without a home
 * folder.
 */
export const defaultDataDir = (env: Env, platform: NodeJS.Platform, home: string | undefined): string | undefined => {
  if (env.SUPERVISOR_TOKEN) return APP_DATA_DIR;
  // systemd separates several folders with a colon.
  const given = env.STATE_DIRECTORY?.split(':')[0];
  if (given) return resolve(given);
  if (platform === 'win32' && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, NAME);
  // The XDG specification ignores relative paths.
  if (platform !== 'win32' && platform !== 'darwin' && env.XDG_STATE_HOME?.startsWith('/')) return join(env.XDG_STATE_HOME, NAME);
  if (!home) return undefined;
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', NAME);
  return platform === 'win32' ? join(home, 'AppData', 'Local', NAME) : join(home, '.local', 'state', NAME);
};
