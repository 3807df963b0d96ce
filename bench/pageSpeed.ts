import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { Settings } from '../src/config/settings.ts';
import { writeTokens } from '../src/platform/auth/tokenFile.ts';
import { type Simulator, startSimulator } from '../src/simulator/simulator.ts';
import { freePort } from '../test/support/network/freePort.ts';
import { type Broker, USERS_BROKER } from './brokers.ts';
import { alternate, type Figures } from './figures.ts';
import { type Fetched, type FloorPage, floorPage } from './floorFiles.ts';
import type { FloorFile, PageFloorTask } from './pageFloor.ts';
import { started, within } from './processes.ts';
import { ONLINE, pageAnswers, withBroker } from './start.ts';
import { listen, median, type Recorder, settingsFor, startBridge } from './world.ts';

/** What people feel of the page of the simulated home: how soon a view is ready, and how soon a change shows. */

const SCHEDULE = 'heating.circuits.0.heating.schedule';
type View = {
  readonly name: string;
  readonly hash: string;
  /** True in the page when the view is drawn with live values. */
  readonly isReady: string;
  /** Where its floor is. */
  readonly path: string;
};

const VIEWS: readonly [View, ...View[]] = [
  {
    name: 'overview',
    hash: '#/',
    isReady: `/\\d\\s°C/.test([...document.querySelectorAll('.card .number')].map((one) => one.textContent).join(' '))`,
    path: 'overview',
  },
  {
    name: 'week editor',
    hash: `#/schedules/home/${SCHEDULE}`,
    isReady: `!!document.querySelector('heating-week-editor')?.shadowRoot?.querySelector('.entry')`,
    path: 'editor',
  },
];

/** How often a value changes in each round, and between which values. */
const CHANGES = 10;
const LEAST_VALUE = 45;
const DIFFERENT_VALUES = 10;

/** The bridge allows so many requests at once, and some more each second: after this time a page may load again. */
const REFILL_MS = 1500;
const mayAsk = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, REFILL_MS));

/** In every page: the milliseconds until something holds and is painted, from the start of the navigation; and the moment of it. */
const WATCH = `globalThis.untilPainted = (holds) => new Promise((resolve) => {
  const look = () => {
    if (!holds()) { requestAnimationFrame(look); return; }
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
  };
  look();
});`;

type Home = { readonly broker: Broker; readonly recorder: Recorder; readonly url: string };

const settingsOf = async (dir: string, simulator: Simulator, broker: Broker): Promise<Settings> => {
  const folder = mkdtempSync(join(dir, 'data-'));
  const { access_token } = simulator.issueTokens();
  await writeTokens(folder, { access_token, expires_at: Date.now() + 3_600_000, scope: 'IoT User', consent_at: Date.now() });
  const settings = settingsFor(simulator, broker, folder, [], await freePort());
  const { installation, gateway } = simulator;
  const devices = simulator.devices.filter((device) => device !== 'gateway');
  return {
    ...settings,
    devices: devices.map((device, i) => ({
      name: i === 0 ? 'home' : 'rooms',
      installation: String(installation),
      gateway,
      device,
      features: ['*'],
      exclude: [],
    })),
  };
};

/** The release with the simulated home, and its page. */
const withHome = async (dir: string, measure: (home: Home) => Promise<void>): Promise<void> => {
  const simulator = await startSimulator();
  try {
    await withBroker(USERS_BROKER, dir, async (broker, recorder) => {
      const settings = await settingsOf(dir, simulator, broker);
      const online = recorder.next('bench/bridge/state', ONLINE);
      const bridge = startBridge(settings.data_dir, settings);
      try {
        await online;
        await recorder.quiet(1000);
        await pageAnswers(settings.web.port);
        await measure({ broker, recorder, url: `http://127.0.0.1:${settings.web.port}/` });
      } finally {
        await bridge.stop();
      }
    });
  } finally {
    await simulator.close();
  }
};

/** Opens an address with an empty cache, and leaves it when what is measured there is done. */
const visit = async <T>(browser: Browser, url: string, measure: (page: Page) => Promise<T>): Promise<T> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB', reducedMotion: 'reduce' });
  try {
    const page = await context.newPage();
    await page.addInitScript({ content: WATCH });
    await page.goto(url, { waitUntil: 'commit' });
    return await measure(page);
  } finally {
    await context.close();
  }
};

const untilPainted = async (page: Page, what: string, holds: string): Promise<number> =>
  Number(await within(what, page.evaluate(`untilPainted(() => ${holds})`)));

/** What a view has fetched when it is ready. */
const filesOf = async (browser: Browser, url: string, { hash, isReady }: View): Promise<readonly Fetched[]> => {
  await mayAsk();
  const names = await visit(browser, url + hash, async (page) => {
    await untilPainted(page, 'the page', isReady);
    const all = await page.evaluate(`performance.getEntriesByType('resource').map(({ name }) => name)`);
    return new Set((all as readonly string[]).filter((name) => !/api\/stream|\.svg$/.test(name)));
  });
  await mayAsk();
  return Promise.all(
    [...names].map(async (name) => {
      const answer = await fetch(name);
      if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
      return { path: name.slice(url.length), type: answer.headers.get('content-type') ?? '', text: await answer.text() };
    }),
  );
};

const startFloor = async (dir: string, broker: Broker, files: readonly FloorFile[]) => {
  const file = join(dir, 'floor-page.json');
  writeFileSync(file, JSON.stringify(files));
  const task: PageFloorTask = { broker: broker.url, files: file };
  const child = started(fork(join(import.meta.dirname, 'pageFloor.ts'), { env: { ...process.env, TASK: JSON.stringify(task) } }));
  const [{ port }] = (await within('the floor page', once(child, 'message'))) as [{ port: number }];
  return { url: `http://127.0.0.1:${port}/`, stop: () => child.disconnect() };
};

/** A value that is written by MQTT: where, on which topic it is heard, and what holds on the page that shows it. */
type Change = { readonly set: string; readonly heardOn: string; readonly shows: (value: number) => string };

const OF_PAGE: Change = {
  set: 'bench/home/heating/dhw/temperature/main/value/set',
  heardOn: 'bench/home/heating/dhw/temperature/main/value',
  shows: (value) => `document.querySelector('.card.water .target .number')?.textContent.startsWith('${value}')`,
};
const OF_FLOOR: Change = {
  set: 'bench/floor/set',
  heardOn: 'bench/floor/shown',
  shows: (value) => `document.getElementById('value').textContent === '${value}'`,
};

/** Milliseconds from the moment at which a client of the broker hears each change until the page has painted it: the median. */
const msToShow = async (page: Page, { broker, recorder }: Home, { set, heardOn, shows }: Change): Promise<number> => {
  // By itself: the broker holds a small packet back while another one to the same client is not acknowledged by its system.
  const listener = await listen(broker, [heardOn]);
  const origin = Number(await page.evaluate('performance.timeOrigin'));
  const times: number[] = [];
  for (let change = 0; change <= CHANGES; change += 1) {
    const value = LEAST_VALUE + (change % DIFFERENT_VALUES);
    await page.evaluate(`void (globalThis.painted = untilPainted(() => ${shows(value)}))`);
    const heard = listener.next(heardOn, (payload) => payload === String(value)).then(() => performance.timeOrigin + performance.now());
    await recorder.client.publishAsync(set, String(value), { qos: 1 });
    const painted = within(`${value} on the page`, page.evaluate('painted'));
    if (change > 0) times.push(origin + Number(await painted) - (await heard));
    else await Promise.all([painted, heard]);
  }
  await listener.close();
  return median(times);
};

/** First view, week editor, and a change, beside floor pages of the same size. */
export const speedOfPage = (dir: string, rounds: number, figures: Figures, browser: Browser): Promise<void> =>
  withHome(dir, async (home) => {
    const floors: FloorPage[] = [];
    for (const view of VIEWS) floors.push(floorPage(view.path, await filesOf(browser, home.url, view)));
    const floor = await startFloor(
      dir,
      home.broker,
      floors.flatMap(({ files }) => files),
    );
    try {
      for (const [at, { name, hash, isReady }] of VIEWS.entries()) {
        const bare = floors[at];
        if (!bare) continue;
        const [ofPage, ofFloor] = await alternate(
          rounds,
          async () => {
            await mayAsk();
            return visit(browser, home.url + hash, (page) => untilPainted(page, name, isReady));
          },
          () => visit(browser, `${floor.url}${bare.path}/`, (page) => untilPainted(page, 'the floor page', bare.isReady)),
        );
        const title = `first view: ${name} with live values (${bare.files.length} files, ${(bare.bytes / 1000).toFixed(1)} kB)`;
        figures.add({ name: title, value: median(ofPage), floor: median(ofFloor), limit: undefined, unit: 'ms' });
      }
      await mayAsk();
      await visit(browser, home.url + VIEWS[0].hash, async (page) => {
        await untilPainted(page, 'the page', VIEWS[0].isReady);
        await visit(browser, `${floor.url}${VIEWS[0].path}/`, async (bare) => {
          await untilPainted(bare, 'the floor page', floors[0]?.isReady ?? 'false');
          const [ofPage, ofFloor] = await alternate(
            rounds,
            () => msToShow(page, home, OF_PAGE),
            () => msToShow(bare, home, OF_FLOOR),
          );
          const name = 'change of a topic: heard on the broker to painted';
          figures.add({ name, value: median(ofPage), floor: median(ofFloor), limit: undefined, unit: 'ms' });
        });
      });
    } finally {
      floor.stop();
    }
  });
