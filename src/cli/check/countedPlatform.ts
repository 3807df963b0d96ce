import { openPlatform } from '../../app.ts';
import { isCallFailure } from '../../bridge/ports.ts';
import { TEN_MINUTES_MS } from '../../bridge/reads/pollBudget.ts';
import { rateLimiter } from '../../bridge/reads/rateLimiter.ts';
import type { Settings } from '../../config/settings.ts';
import type { TokenKeeper } from '../../platform/auth/tokenKeeper.ts';
import { backAt } from '../../platform/classify.ts';
import type { PlatformClient } from '../../platform/client.ts';
import { PlatformError } from '../../platform/errors.ts';
import { systemClock } from '../../shared/clock.ts';
import { type Log, SILENT } from '../../shared/log.ts';
import { openStorage } from '../../storage/storage.ts';

/** Makes a call if one is left, reserve included; else throws. `beforePage` checks it for each next page. */
export type Ask = <T>(call: (platform: PlatformClient, beforePage: () => Promise<void>) => Promise<T>) => Promise<T>;

/**
 * Opens the platform for a command that holds the lock of `data_dir`, with its tokens. Calls are counted in
 * `data_dir`, and a 429 also blocks the next bridge. `log`: for faults of the database.
 */
export const withPlatform = async <T>(settings: Settings, log: Log, work: (ask: Ask, tokens: TokenKeeper) => Promise<T>): Promise<T> => {
  const clock = systemClock;
  const storage = openStorage(settings.data_dir, log);
  const quota = rateLimiter(settings.platform.quota, clock, storage.calls, false);
  const { tokens, platform, close } = openPlatform(settings, SILENT, clock, quota.calls);
  const mustBeLeft = async (): Promise<void> => {
    const waitMs = quota.commandWaitMs();
    if (waitMs === 0) return;
    const nowMs = clock.elapsedMs();
    // Before an answer tells the time, the wait counts from the last call, and ten minutes after it a call is tried.
    const isPlaced = quota.knownMs() !== undefined;
    const ms = isPlaced ? waitMs : Math.max(waitMs, TEN_MINUTES_MS) + (quota.lastCallMs() ?? nowMs) - nowMs;
    const limitReset = clock.now() + ms;
    const sentence = `No call to the platform is left, so none was made. ${backAt(limitReset)}`;
    throw new PlatformError('no_quota', sentence, { arrived: 'no', limitReset });
  };
  const ask: Ask = async (call) => {
    await mustBeLeft();
    try {
      return await call(platform, mustBeLeft);
    } catch (error) {
      if (isCallFailure(error) && error.code === 'rate_limited') quota.refused(error);
      throw error;
    }
  };
  try {
    return await work(ask, tokens);
  } finally {
    await close();
    storage.close();
  }
};
