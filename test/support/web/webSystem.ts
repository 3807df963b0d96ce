import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../src/shared/clock.ts';
import { LogRing } from '../../../src/shared/log.ts';
import { startWeb, type WebOptions, type WebServer } from '../../../src/web/server.ts';
import { recordingLog, startTestSystem, type TestSystem, type TestSystemOptions, tempDir } from '../system/testSystem.ts';
import { type WebClient, webClient } from './webClient.ts';

/** A password of the page, and how it stands in settings where it was stored: without the work of hashing it. */
export const PASSWORD = 'a good password';
export const HASHED_PASSWORD = 'scrypt$B2KVzY4VJRs+WR7Q/sH3/w$1nHiIhBrIpo1Q8bvXcl5o2cfR5u+EnDIRf3/8sDlKpg';

/** Nothing asks so fast as a test. */
export const patientClock = (): Clock => {
  let requests = 0;
  return {
    ...systemClock,
    elapsedMs: () => {
      requests += 1;
      return performance.now() + requests * 150;
    },
  };
};

export type Page = {
  readonly web: WebServer;
  readonly port: number;
  readonly client: WebClient;
  readonly logRing: LogRing;
  readonly logged: readonly { readonly level: string; readonly facts: object; readonly sentence: string }[];
  readonly dataDir: string;
};

export type PageOptions = Partial<Omit<WebOptions, 'settings'>> & { readonly settings?: Partial<WebOptions['settings']> };

/** The page alone, on a port of its own. */
export const startPage = async ({ settings, ...options }: PageOptions = {}): Promise<Page> => {
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const logRing = options.logRing ?? new LogRing();
  const dataDir = options.dataDir ?? tempDir();
  const web = await startWeb({
    mode: 'run',
    isContainer: false,
    log: recordingLog(logged),
    clock: patientClock(),
    ...options,
    logRing,
    dataDir,
    settings: { enabled: true, port: 0, hosts: [], trusted_proxies: [], frame_ancestors: [], update_check: false, ...settings },
  });
  onTestFinished(() => web.close());
  const port = Number(new URL(web.addresses()[0] ?? 'http://localhost:1').port);
  return { web, port, client: webClient(port), logRing, logged, dataDir };
};

/** A whole bridge that has published what it knows, with its page. */
export const startWebSystem = async (
  options: TestSystemOptions = {},
  page: PageOptions = {},
): Promise<Page & { readonly system: TestSystem }> => {
  const system = await startTestSystem(options);
  onTestFinished(() => system.close());
  await system.recorder.untilTopic('heating2mqtt/bridge/health');
  const started = await startPage(page);
  started.web.attach(system.app.view);
  return { ...started, system };
};
