import type { Clock } from '../../shared/clock.ts';
import { LogRing } from '../../shared/log.ts';
import type { AccountsView } from '../accountsView.ts';
import { LiveState } from '../live/liveState.ts';
import { Streams } from '../live/streams.ts';
import { type Found, findRoute, type Route, refused } from '../routes.ts';

/** How often an open page checks for a restarted bridge. */
const FOLLOW_MS = 2000;

type Page = { readonly state: LiveState; readonly streams: Streams; readonly routes: readonly Route[] };

const UNKNOWN = refused(404, 'not_found', 'There is no such account.');

/** Routes for the data of further accounts, created per account at the first request and removed with it. */
export const makeAccountPages = (
  accounts: AccountsView,
  routesOf: (state: LiveState, streams: Streams) => readonly Route[],
  clock: Clock,
) => {
  const pages = new Map<string, Page>();
  /** Runs while an account has a page. */
  let timer: NodeJS.Timeout | undefined;

  /** The route of `api/a/NAME/…`; else undefined. Only sessions learn whether an account exists. */
  const find = (method: string, path: string): Found | undefined => {
    const [, name, rest] = /^api\/a\/([a-z0-9_-]{1,40})\/(.+)$/.exec(path) ?? [];
    if (name === undefined || rest === undefined) return undefined;
    follow();
    const isKnown = accounts.settings(name) !== undefined;
    const found = isKnown ? findRoute((pages.get(name) ?? open(name)).routes, method, `api/${rest}`) : undefined;
    if (found?.kind === 'route') return found;
    const isPost = method === 'POST';
    return { kind: 'route', route: { method: isPost ? 'POST' : 'GET', path: 'api/a', access: 'session', handle: () => UNKNOWN } };
  };

  /** Ends the streams of a session, or all. */
  const end = (session?: string): void => {
    for (const { streams } of pages.values()) streams.end(session);
  };

  const close = (): void => {
    clearInterval(timer);
  };

  const open = (name: string): Page => {
    const state = new LiveState(new LogRing(), () => clock.now());
    const streams = new Streams(state);
    const page: Page = { state, streams, routes: routesOf(state, streams) };
    state.attach(accounts.view(name));
    pages.set(name, page);
    timer ??= setInterval(() => follow(), FOLLOW_MS).unref();
    return page;
  };

  const follow = (): void => {
    for (const [name, { state, streams }] of pages) {
      if (accounts.settings(name) === undefined) {
        streams.end();
        pages.delete(name);
      } else if (state.view !== accounts.view(name)) state.attach(accounts.view(name));
    }
  };

  return { find, end, close };
};
