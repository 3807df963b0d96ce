import type { Page, Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { type LivePage, openLivePage, saveWeek, typeWeek } from '../../support/browser/livePage.ts';
import { SCHEDULE } from '../../support/system/testSystem.ts';
import { FakeView } from '../../support/web/fakeView.ts';

const TARGET = 'heating2mqtt/home/heating/dhw/temperature/main/value';

const isStream = (request: Request): boolean => request.url().includes('api/stream');

/** The page while all is well, with its stream. */
const openWell = async (): Promise<LivePage> => {
  let stream: Promise<unknown> = Promise.resolve();
  const before = async (page: Page): Promise<void> => {
    stream = page.waitForRequest(isStream);
  };
  const opened = await openLivePage({ before });
  await opened.page.getByRole('region', { name: 'All is well' }).waitFor();
  await stream;
  return opened;
};

/** As if another tab were shown, or this one again. */
const setHidden = (page: Page, isHidden: boolean): Promise<unknown> =>
  page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));`);

/** As if somebody came back to the tab. */
const lookAgain = async (page: Page): Promise<void> => {
  await setHidden(page, true);
  await setHidden(page, false);
};

describe('the connection of the page', () => {
  test('where a proxy holds the stream back, the page asks instead', async () => {
    const { page, system } = await openLivePage({ before: (opened) => opened.route('**/api/stream*', () => new Promise(() => undefined)) });
    const water = page.getByRole('region', { name: 'Hot water', exact: true });
    await water.getByText('50 °C').waitFor();
    await system.recorder.publish(`${TARGET}/set`, '54');
    await water.getByText('54 °C').waitFor();
  });

  test('while the bridge is away the page says so, keeps what it knows, and comes back by itself', async () => {
    const { page } = await openWell();
    await page.route('**/api/**', (route) => route.abort());
    await lookAgain(page);
    await page.getByRole('region', { name: 'No connection to the bridge' }).waitFor();
    expect(await page.getByRole('region', { name: 'Hot water', exact: true }).count()).toBe(1);
    await page.unroute('**/api/**');
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByRole('region', { name: 'All is well' }).waitFor();
  });

  test('a phone that has a network again shows the bridge at once, and not with the next try', async () => {
    const { page } = await openWell();
    const lost = page.getByRole('region', { name: 'No connection to the bridge' });
    let failed = 0;
    page.on('requestfailed', (request) => (failed += Number(request.url().includes('api/state'))));
    await page.context().setOffline(true);
    await lookAgain(page);
    await lost.waitFor();
    // The next try comes eight seconds later.
    await expect.poll(() => failed, { timeout: 20_000 }).toBeGreaterThan(3);
    await page.context().setOffline(false);
    await page.getByRole('region', { name: 'All is well' }).waitFor({ timeout: 4000 });
  });

  test('what came just before the connection changed is not lost', async () => {
    const { page, system } = await openLivePage({
      before: (opened) =>
        opened.addInitScript({
          content: `globalThis.held = undefined;
            const draw = requestAnimationFrame;
            globalThis.requestAnimationFrame = (run) => (held ? held.push(run) : draw(run));
            const { parse } = JSON;
            JSON.parse = (text, ...more) => {
              if (held && text.includes('${TARGET}"') && text.includes('"53"')) globalThis.isHeard = true;
              return parse(text, ...more);
            };`,
        }),
    });
    const water = page.getByRole('region', { name: 'Hot water', exact: true });
    await water.getByText('50 °C').waitFor();
    await page.getByRole('region', { name: 'All is well' }).waitFor();
    // No frame is drawn from here on, as in a tab that is not seen.
    await page.evaluate('held = []');
    await system.recorder.publish(`${TARGET}/set`, '53');
    await expect.poll(() => page.evaluate('globalThis.isHeard'), { timeout: 15_000 }).toBe(true);
    await lookAgain(page);
    await expect.poll(() => water.getByRole('status').first().textContent(), { timeout: 15_000 }).toBe('53\u00a0°C');
  });

  test('a hidden page follows nothing', async () => {
    const { page } = await openWell();
    const closed = page.waitForEvent('requestfailed', isStream);
    await setHidden(page, true);
    await closed;
    const opened = page.waitForRequest(isStream);
    await setHidden(page, false);
    await opened;
  });

  test('a login that has ended leads to the form; under Home Assistant to Home Assistant', async () => {
    for (const [ingress, words] of [
      [false, 'Password of this page'],
      [true, 'Open heating2mqtt from Home Assistant again.'],
    ] as const) {
      const { page } = await openLivePage({
        before: (opened) => opened.route('**/api/session', (route) => route.fulfill({ json: { mode: 'run', login: 'none', ingress } })),
      });
      await page.getByRole('region', { name: 'All is well' }).waitFor();
      await page.route('**/api/state*', (route) => route.fulfill({ status: 401, json: { error: 'login_needed' } }));
      await lookAgain(page);
      await page.getByText(words).waitFor();
    }
  });

  test('what is not saved outlasts the end of a login, and can be saved after the next one', async () => {
    const password = 'correct horse';
    const { page } = await openLivePage({ hash: `#/schedules/home/${SCHEDULE}` }, {}, { settings: { password } });
    const logIn = async (): Promise<void> => {
      await page.getByLabel('Password of this page').fill(password);
      await page.getByRole('button', { name: 'Log in' }).click();
    };
    await logIn();
    await typeWeek(page, 'mon 05:30-09:00 normal');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    await page.context().clearCookies();
    await lookAgain(page);
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    await logIn();
    await saveWeek(page);
    await page.locator('heating-week-editor').getByText('The heating has it.').first().waitFor();
  });

  test('a connection that breaks without a word: the page asks when the stream is silent, and until there is an answer it does not say that all is well', async () => {
    const { page } = await openLivePage({
      before: async (opened) => {
        await opened.clock.install();
        await opened.addInitScript({
          content: `globalThis.EventSource = class extends EventSource { constructor(url) { super(url); globalThis.stream = this; } };`,
        });
      },
    });
    const well = page.getByRole('region', { name: 'All is well' });
    await well.waitFor();
    const asked: string[] = [];
    await page.route('**/api/state*', (route) => void asked.push(route.request().url()));
    for (let turn = 0; turn < 3; turn += 1) {
      await page.clock.fastForward(45_000);
      await page.evaluate(`stream.dispatchEvent(new MessageEvent('alive', { data: '{}' }))`);
    }
    expect([asked, await well.count()]).toEqual([[], 1]);
    await page.clock.fastForward(61_000);
    await expect.poll(() => asked.length).toBe(1);
    await page.clock.fastForward(2001);
    await page.getByRole('region', { name: /^Connecting to the bridge/ }).waitFor();
    // Without an answer the next try comes after some seconds.
    await expect.poll(() => asked.length, { timeout: 30_000 }).toBe(2);
    await page.unroute('**/api/state*');
    await page.clock.fastForward(61_000);
    await well.waitFor();
  });

  test('a page whose texts cannot be loaded at first comes when they can', async () => {
    let refused = 0;
    const { page } = await openLivePage({
      before: (opened) =>
        opened.route('**/pageEn-*.js', (route) => {
          refused += 1;
          return refused < 3 ? route.abort() : route.continue();
        }),
    });
    await page.getByRole('region', { name: 'All is well' }).waitFor();
    expect(refused).toBe(3);
  });

  test('nor is it lost where a proxy answers in place of the bridge by then', async () => {
    let asked = 0;
    const { page } = await openLivePage({
      before: async (opened) => {
        await opened.route('**/pageEn-*.js', (route) => (asked < 4 ? route.abort() : route.continue()));
        await opened.route(
          ({ pathname }) => pathname === '/',
          (route) => {
            asked += 1;
            return asked === 2 || asked === 3 ? route.fulfill({ status: 502, body: '502: Bad Gateway' }) : route.continue();
          },
        );
      },
    });
    await page.getByRole('region', { name: 'All is well' }).waitFor();
  });

  test('a page that is older than the bridge says so', async () => {
    const { page } = await openWell();
    await page.route('**/api/state*', async (route) => {
      const response = await route.fetch({ url: route.request().url().replace(/\?.*/, '') });
      await route.fulfill({ response, json: { ...(await response.json()), version: '99.0.0' } });
    });
    await lookAgain(page);
    await page.getByText(/^The bridge was updated\./).waitFor();
    await page.getByRole('button', { name: 'Reload' }).waitFor();
  });

  test('another bridge in the same process is followed without a reload', async () => {
    const { page, web, system } = await openWell();
    web.web.attach(undefined);
    const next = new FakeView('heating2mqtt');
    web.web.attach(next.asBridge);
    await expect.poll(() => page.getByText(/^The bridge is reading your heating/).count()).toBeGreaterThan(0);
    next.say(...system.app.view.topics());
    await page.getByRole('region', { name: 'All is well' }).waitFor();
  });

  test('a write whose answer is lost is not sent again, and its outcome is found', async () => {
    const { page, system } = await openLivePage();
    const water = page.getByRole('region', { name: 'Hot water', exact: true });
    // It reaches the bridge, but the answer does not reach the page.
    await page.route('**/api/write', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await water.getByRole('button', { name: 'Warmer' }).click();
    await water.getByRole('button', { name: 'Permanently', exact: true }).click();
    await water.getByText('The heating has it.').waitFor();
    expect(system.recorder.last(TARGET)).toBe('51');
    expect(system.posts()).toHaveLength(1);
  });

  test('a write that did not reach the bridge is said to be not sent, as soon as the bridge answers', async () => {
    const { page, system } = await openLivePage();
    const water = page.getByRole('region', { name: 'Hot water', exact: true });
    await water.getByText('50 °C').waitFor();
    await page.route('**/api/**', (route) => route.abort());
    await water.getByRole('button', { name: 'Warmer' }).click();
    await water.getByRole('button', { name: 'Permanently', exact: true }).click();
    await water.getByText(/^The connection broke\. The result shows/).waitFor();
    await page.unroute('**/api/**');
    await water.getByText(/The connection broke before it was sent/).waitFor();
    expect(system.recorder.last(TARGET)).toBe('50');
  });

  test('with a password: wrong, right, and out again', async () => {
    const { page, axe } = await openLivePage({}, {}, { settings: { password: 'correct horse' } });
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await page.getByText('heating2mqtt web-password').waitFor();
    expect(await axe()).toEqual([]);
    await page.getByLabel('Password of this page').fill('wrong horse');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('Wrong password.').waitFor();
    expect(await axe()).toEqual([]);
    await page.getByLabel('Password of this page').fill('correct horse');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('region', { name: 'All is well' }).waitFor();
    await page.getByLabel('Language and appearance').click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    // Nothing of what was shown stays.
    expect(await page.locator('.card:not(form)').count()).toBe(0);
  });

  test.each([
    ['en-GB', 'Too many tries. Try again in (\\d+) seconds?\\.'],
    ['de-DE', 'Zu viele Versuche. In (\\d+)\\ss geht es wieder\\.'],
  ])('after too many wrong passwords the page says how long to wait, in %s', async (locale, sentence) => {
    const { page, axe, wrong } = await openLivePage({ locale }, {}, { settings: { password: 'correct horse' } });
    const password = page.locator('input[name=password]');
    for (let tries = 0; tries < 6; tries += 1) {
      const answered = page.waitForResponse('**/api/login');
      await password.fill(`wrong horse ${tries}`);
      await page.keyboard.press('Enter');
      const response = await answered;
      expect(response.status()).toBe(tries < 5 ? 401 : 429);
      await page.locator('button[type=submit]:enabled').waitFor();
    }
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(new RegExp(`^${sentence}$`, 'u'));
    const [, seconds] = new RegExp(sentence, 'u').exec((await page.getByRole('alert').textContent()) ?? '') ?? [];
    expect(Number(seconds)).toSatisfy((wait: number) => wait > 1 && wait <= 60);
    expect(await axe()).toEqual([]);
    expect(await wrong()).toEqual([]);
  });
});
