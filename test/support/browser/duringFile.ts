import type { Page } from 'playwright-core';
import { beforeAll, onTestFinished } from 'vitest';

type Started<Given extends unknown[], Opened> = { open(...given: Given): Promise<Opened>; close(): Promise<void> };

/** What is started once for the tests of a file, in which each page ends with its test. */
export const duringFile = <Given extends unknown[], Opened extends { readonly page: Page }>(
  start: () => Promise<Started<Given, Opened>>,
) => {
  let started: Started<Given, Opened>;
  beforeAll(async () => {
    started = await start();
    return () => started.close();
  });
  return {
    open: async (...given: Given): Promise<Opened> => {
      const opened = await started.open(...given);
      onTestFinished(() => opened.page.context().close());
      return opened;
    },
  };
};
