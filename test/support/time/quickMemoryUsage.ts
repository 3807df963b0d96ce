import { onTestFinished, vi } from 'vitest';

/** Until the test ends, nobody reads the memory of the process: a bridge does it every minute, which is slow in virtual time. */
export const quickMemoryUsage = (): void => {
  if (vi.isMockFunction(process.memoryUsage.rss)) return;
  const spy = vi.spyOn(process.memoryUsage, 'rss').mockReturnValue(60e6);
  onTestFinished(() => spy.mockRestore());
};
