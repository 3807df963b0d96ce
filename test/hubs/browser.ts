import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const BINARY = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser'].find((file) => existsSync(file));

/** True where a browser is installed. In CI it has to be: there the tests that need it fail instead of being left out. */
export const hasBrowser = BINARY !== undefined || process.env['CI'] === 'true';

/** A page of a headless browser, steered by the browser's own protocol. */
export type Page = {
  open(url: string): Promise<void>;
  /** All text that is on the page, also inside custom elements. */
  text(): Promise<string>;
  /** Resolves when all the words are on the page; rejects after 60 s with what is there. */
  untilShown(...words: readonly string[]): Promise<void>;
  evaluate(expression: string): Promise<unknown>;
  /** Writes a PNG of the window. */
  picture(file: string): Promise<void>;
};

export type Browser = {
  /** A new window; `script` runs before each page's own. */
  window(size: { readonly width: number; readonly height: number }, script?: string): Promise<Page>;
  close(): Promise<void>;
};

const PATIENCE_MS = 60_000;

const ALL_TEXT = `(() => {
  const found = [];
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) found.push(node.data);
    if (node.nodeName === 'STYLE' || node.nodeName === 'SCRIPT') return;
    if (node.nodeName === 'INPUT') found.push(node.value);
    for (const child of node.shadowRoot?.childNodes ?? []) walk(child);
    for (const child of node.childNodes) walk(child);
  };
  walk(document.body);
  return found.map((one) => one.trim()).filter((one) => one !== '').join('\\n');
})()`;

type Reply = { readonly id?: number; readonly result?: Readonly<Record<string, unknown>>; readonly error?: { readonly message: string } };
type Call = (method: string, params?: object, sessionId?: string) => Promise<Readonly<Record<string, unknown>>>;

/** The browser's socket: each call has its answer. */
const join = async (address: string): Promise<{ readonly call: Call; readonly socket: WebSocket }> => {
  const socket = new WebSocket(address);
  const open = new Map<number, (reply: Reply) => void>();
  let last = 0;
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error(`the browser does not answer on ${address}`)), { once: true });
  });
  socket.addEventListener('message', ({ data }) => {
    const reply: Reply = JSON.parse(String(data));
    open.get(reply.id ?? 0)?.(reply);
    open.delete(reply.id ?? 0);
  });
  const call: Call = (method, params = {}, sessionId) =>
    new Promise((resolve, reject) => {
      last += 1;
      open.set(last, ({ result, error }) => (error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result ?? {})));
      socket.send(JSON.stringify({ id: last, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
    });
  return { call, socket };
};

const addressOf = async (child: ChildProcess): Promise<string> => {
  let said = '';
  for await (const chunk of child.stderr?.iterator({ destroyOnReturn: false }) ?? []) {
    said += String(chunk);
    const address = /DevTools listening on (ws:\S+)/.exec(said)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error(`The browser did not start: ${said}`);
};

const pageOf = (call: Call, session: string): Page => {
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result } = await call('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true }, session);
    return typeof result === 'object' && result !== null && 'value' in result ? result.value : undefined;
  };
  const text = async (): Promise<string> => String(await evaluate(ALL_TEXT));
  return {
    evaluate,
    text,
    open: async (url) => void (await call('Page.navigate', { url }, session)),
    untilShown: async (...words) => {
      const limit = Date.now() + PATIENCE_MS;
      for (;;) {
        const shown = await text();
        const missing = words.filter((word) => !shown.includes(word));
        if (missing.length === 0) return;
        if (Date.now() > limit) throw new Error(`not on the page: ${missing.join(', ')}; there is:\n${shown}`);
        await pause(200);
      }
    },
    picture: async (file) => {
      const { data } = await call('Page.captureScreenshot', { format: 'png' }, session);
      writeFileSync(file, Buffer.from(String(data), 'base64'));
    },
  };
};

/** Starts a headless browser with a profile of its own; it calls nobody but the pages it is given. */
export const startBrowser = async (): Promise<Browser> => {
  if (BINARY === undefined) throw new Error('No Chromium is installed.');
  const profile = mkdtempSync(path.join(os.tmpdir(), 'browser-'));
  const own = ['--headless', '--no-sandbox', '--remote-debugging-port=0', `--user-data-dir=${profile}`];
  const quiet = [
    '--disable-background-networking',
    '--disable-component-update',
    '--no-first-run',
    '--hide-scrollbars',
    '--disable-gpu',
    '--lang=en',
  ];
  const child = spawn(BINARY, [...own, ...quiet, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  const { call, socket } = await join(await addressOf(child));
  return {
    window: async ({ width, height }, script) => {
      const { targetId } = await call('Target.createTarget', { url: 'about:blank', width, height });
      const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true });
      const session = String(sessionId);
      await call('Page.enable', {}, session);
      await call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false }, session);
      if (script !== undefined) await call('Page.addScriptToEvaluateOnNewDocument', { source: script }, session);
      return pageOf(call, session);
    },
    close: async () => {
      socket.close();
      child.kill('SIGTERM');
      await ended;
      rmSync(profile, { recursive: true, force: true });
    },
  };
};
