import { openPlatform } from '../../app.ts';
import { isCallFailure } from '../../bridge/polling/featureReader.ts';
import { RateLimiter } from '../../bridge/quota/rateLimiter.ts';
import type { Settings } from '../../config/settings.ts';
import type { TokenKeeper } from '../../platform/auth/tokenKeeper.ts';
import type { PlatformClient } from '../../platform/client.ts';
import { systemClock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import { openStorage } from '../../storage/storage.ts';

/** A log for commands that print their own lines. */
export const SILENT: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

export type CountedPlatform = {
  readonly tokens: TokenKeeper;
  /** Makes a call if one is left, also from the reserve. Throws Error if none is left, and what the platform throws. `beforePage` checks this for each further page. */
  readonly ask: <T>(call: (platform: PlatformClient, beforePage: () => Promise<void>) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
};

/** The platform for a command that holds the lock of `data_dir`: calls are counted there, and a 429 holds for this command and the next bridge. */
export const openCounted = (settings: Settings): CountedPlatform => {
  const clock = systemClock;
  const storage = openStorage(settings.data_dir, SILENT);
  const quota = new RateLimiter(settings.platform.quota, clock, storage.calls, () => platform.clockOffsetMs ?? 0);
  const { tokens, platform, close } = openPlatform(settings, SILENT, clock, quota.calls);
  const mustBeLeft = (): void => {
    const waitMs = quota.commandWaitMs(clock.elapsedMs());
    if (waitMs === 0) return;
    const until = new Date(clock.now() + waitMs).toISOString();
    throw new Error(`No call to the platform is left until ${until}, so none was made. Try again then.`);
  };
  return {
    tokens,
    ask: async (call) => {
      mustBeLeft();
      try {
        return await call(platform, async () => mustBeLeft());
      } catch (error) {
        if (isCallFailure(error) && error.code === 'rate_limited') quota.refused(error, clock.elapsedMs());
        throw error;
      }
    },
    close: async () => {
      await close();
      storage.close();
    },
  };
};
