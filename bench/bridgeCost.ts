import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import type { Settings } from '../src/config/settings.ts';
import { freePort } from '../test/support/network/freePort.ts';
import { type Broker, USERS_BROKER } from './brokers.ts';
import { alternate, type Figures } from './figures.ts';
import { residentMb, type Subject } from './processes.ts';
import { deviceTopics, ONLINE, pageAnswers, publishedBy, type StartTime, startTime, withBroker, withPlatform } from './start.ts';
import { dataDir, gatewaysOf, median, type Platform, settingsFor, startBridge } from './world.ts';

/** What the page costs the bridge: at its start, and in memory. The floor is the same release with the page off. */

const FEATURES = 298;
const CHANGED_FEATURES = 30;
const READS = 40;
/** Time that a read has at least, for what follows it. */
const SETTLED_MS = 40;
/** Time after the last read, in which memory is given back. */
const REST_MS = 2000;

type Variant = 'off' | 'on';

/** The settings with a page of its own, which is off or on. */
const settingsOf = async (dir: string, platform: Platform, broker: Broker, variant: Variant): Promise<Settings> =>
  settingsFor(platform, broker, await dataDir(dir), gatewaysOf(1), variant === 'on' ? await freePort() : undefined);

/** Each has its own compiled code in a cache of this name, as in its own home: that of the page is kept too. */
const start = (dir: string, settings: Settings, cache: string, env: NodeJS.ProcessEnv = {}): Subject =>
  startBridge(settings.data_dir, settings, { CACHE_DIRECTORY: join(dir, `cache-${cache}`), ...env });

/** With one arena for all threads: with several, the memory of one and the same program differs by 15 MB from start to start. */
const ONE_ARENA = { MALLOC_ARENA_MAX: '1' };

/** Start to the last retained topic, nothing kept but compiled code. Gives the rounds in `figures`. */
export const costOfStart = (dir: string, rounds: number, figures: Figures): Promise<void> =>
  withPlatform(FEATURES, async (platform) => {
    const first = async (variant: Variant) => {
      let port = 0;
      const begin = async (broker: Broker): Promise<Subject> => {
        const settings = await settingsOf(dir, platform, broker, variant);
        port = settings.web.port;
        return start(dir, settings, variant);
      };
      return publishedBy(USERS_BROKER, dir, begin, 1500, () => (variant === 'on' ? pageAnswers(port) : Promise.resolve()));
    };
    const messages = await first('off');
    await first('on');
    const timed = (variant: Variant) => () =>
      startTime(USERS_BROKER, dir, messages, async (broker) => {
        const settings = await settingsOf(dir, platform, broker, variant);
        return () => start(dir, settings, variant);
      });
    const [on, off] = await alternate(rounds, timed('on'), timed('off'));
    const of = (starts: readonly StartTime[], key: keyof StartTime): number => median(starts.map((one) => one[key]));
    const unit = 'ms';
    const name = `start to the last of ${deviceTopics(messages).size} topics, page on (floor: off)`;
    figures.add({ name, value: of(on, 'ms'), floor: of(off, 'ms'), limit: 1.05, unit });
    const cpu = { value: of(on, 'cpu'), floor: of(off, 'cpu') };
    // It differs less than the time where the machine has other work.
    if (!Number.isNaN(cpu.floor)) figures.add({ name: 'CPU of that start', ...cpu, limit: 1.05, unit });
  });

type Memory = { readonly off: number; readonly on: number; readonly open: number };

/** Three bridges of which one has its page open, after the same reads. */
const memoryOf = (dir: string, platform: Platform, browser: Browser): Promise<Memory> => {
  const withBridge = (cache: keyof Memory, next: (poll: () => Promise<void>, bridge: Subject, port: number) => Promise<Memory>) =>
    withBroker(USERS_BROKER, dir, async (broker, recorder) => {
      const variant = cache === 'off' ? 'off' : 'on';
      const settings = await settingsOf(dir, platform, broker, variant);
      const online = recorder.next('bench/bridge/state', ONLINE);
      const bridge = start(dir, settings, `memory-${cache}`, ONE_ARENA);
      try {
        await online;
        await recorder.quiet(1000);
        if (variant === 'on') await pageAnswers(settings.web.port);
        const poll = async (): Promise<void> => {
          const got = platform.next('got');
          await recorder.client.publishAsync('bench/bridge/poll/set', 'all', { qos: 1 });
          await got;
          await recorder.quiet(SETTLED_MS);
        };
        return await next(poll, bridge, settings.web.port);
      } finally {
        await bridge.stop();
      }
    });
  return withBridge('off', (pollOff, off) =>
    withBridge('on', (pollOn, on) =>
      withBridge('open', async (pollOpen, open, port) => {
        const context = await browser.newContext();
        try {
          const page = await context.newPage();
          await page.goto(`http://127.0.0.1:${port}/`);
          await page.locator('.card').first().waitFor();
          for (let read = 0; read < READS; read += 1) {
            for (const poll of [pollOff, pollOn, pollOpen]) await poll();
          }
          await new Promise((resolve) => setTimeout(resolve, REST_MS));
          return { off: residentMb(off), on: residentMb(on), open: residentMb(open) };
        } finally {
          await context.close();
        }
      }),
    ),
  );
};

/** Memory of the bridge with the page off, on, and open in a browser. */
export const costInMemory = (dir: string, rounds: number, figures: Figures, browser: Browser): Promise<void> =>
  withPlatform(FEATURES, async (platform) => {
    await platform.change(CHANGED_FEATURES);
    const found: Memory[] = [];
    for (let round = 0; round < rounds; round += 1) found.push(await memoryOf(dir, platform, browser));
    const floor = median(found.map(({ off }) => off));
    figures.add({
      name: 'memory of the bridge, page not opened (floor: off)',
      value: median(found.map(({ on }) => on)),
      floor,
      limit: { plus: 6 },
      unit: 'MB',
    });
    figures.add({
      name: 'memory of the bridge, page open (floor: off)',
      value: median(found.map(({ open }) => open)),
      floor,
      limit: { plus: 6 },
      unit: 'MB',
    });
  });
