import type { BrowserContextOptions, FrameLocator, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import type { TestSystem, TestSystemOptions } from '../system/testSystem.ts';
import type { ReverseProxy } from '../web/reverseProxy.ts';
import { type PageOptions, startWebSystem } from '../web/webSystem.ts';
import { AXE, axeOn } from './axe.ts';
import { startChromium } from './chromium.ts';

/** Two frames later, with every change of colour or place at its end. */
const STILL = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() =>
  Promise.allSettled(document.getAnimations().filter((one) => one instanceof CSSTransition).map(({ finished }) => finished)))`;

const LISTEN = `
globalThis.wrong = [];
addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => wrong.push('refused: ' + violatedDirective + ' ' + blockedURI));
addEventListener('error', ({ message }) => wrong.push('error: ' + message));
addEventListener('unhandledrejection', ({ reason }) => wrong.push('rejection: ' + reason));
`;

/** The page of a whole bridge in a real browser. */
export type LivePage = {
  readonly page: Page;
  readonly url: string;
  readonly system: TestSystem;
  readonly web: Awaited<ReturnType<typeof startWebSystem>>;
  /** What axe finds; an empty list is good. */
  axe(): Promise<readonly string[]>;
  /** What the page was refused, and its errors. */
  wrong(): Promise<readonly string[]>;
  /** How far the content is wider than the window; 0 is good. */
  overflow(): Promise<number>;
};

/** How the page is opened: what comes after its address, what is done before, what it is reached through, and the window. */
export type Opening = BrowserContextOptions & {
  readonly hash?: string;
  readonly before?: (page: Page) => Promise<unknown>;
  readonly through?: Pick<ReverseProxy, 'url' | 'leadTo'>;
};

/** Everything of the simulated home, where the tests do not say otherwise. */
const ALL = { features: ['*'] };

/** A bridge with its page, open in a browser. All of it ends with the test. */
export const openLivePage = async (
  { hash = '', before, through, ...window }: Opening = {},
  options: TestSystemOptions = {},
  page: PageOptions = {},
): Promise<LivePage> => {
  const [browser, web] = await Promise.all([startChromium(), startWebSystem({ device: ALL, ...options }, page)]);
  onTestFinished(() => browser.close());
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', locale: 'en-GB', ...window });
  await context.addInitScript({ content: `${AXE}\n${LISTEN}` });
  const opened = await context.newPage();
  opened.setDefaultTimeout(40_000);
  await before?.(opened);
  through?.leadTo(page.settings?.ingress ?? web.port);
  const url = through?.url ?? `http://127.0.0.1:${web.port}/`;
  await opened.goto(url + hash);
  return {
    page: opened,
    url,
    system: web.system,
    web,
    axe: async () => {
      await opened.evaluate(STILL);
      // The week editor has its own tests.
      return axeOn(opened, "{ exclude: ['heating-week-editor'] }");
    },
    wrong: async () => (await opened.evaluate('wrong')) as readonly string[],
    overflow: async () => {
      await opened.evaluate(STILL);
      return Number(await opened.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'));
    },
  };
};

/** Types a week into the text below its drawing. */
export const typeWeek = async (page: Page | FrameLocator, text: string): Promise<void> => {
  await page.getByText('As text', { exact: true }).click();
  await page.locator('textarea').fill(text);
};

export const saveWeek = async (page: Page | FrameLocator): Promise<void> => {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Save now', exact: true }).click();
};
