import { vi } from 'vitest';

/** From now on nobody in this worker reads the memory of the process: a bridge does it every minute, which is slow in virtual time. */
export const quickMemoryUsage = (): void => {
  if (!vi.isMockFunction(process.memoryUsage.rss)) vi.spyOn(process.memoryUsage, 'rss').mockReturnValue(60e6);
};
