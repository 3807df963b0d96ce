import type { AccountsAnswer, LoginLink } from '../../api/accounts.ts';
import type { LoginAttempt, LoginBegun } from '../../api/answers.ts';
import type { Settings } from '../../config/settings.ts';
import type { Clock } from '../../shared/clock.ts';
import { messageOf, systemCode, UsageError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/json.ts';
import type { Log } from '../../shared/log.ts';
import type { AccountsView } from '../accountsView.ts';
import { failed, get, NO_CONTENT, ok, post, type Route, refused, type WebAnswer, type WebRequest } from '../routes.ts';
import type { SetupServices } from '../setup/services.ts';
import { type LinkShown, linkPage } from './linkPage.ts';
import { type Claims, loginLinks } from './loginLinks.ts';

/** The accounts of the process, and the dependencies of their logins. */
export type AccountsParts = {
  readonly view: AccountsView;
  /** The login of an account with these settings; the same object for each call. */
  readonly login: (name: string, settings: Settings) => Pick<SetupServices['login'], 'begin' | 'finish'>;
};

/** True if the address belongs to no pending login, or to another one. */
const isOfOther = ({ code }: LoginAttempt): boolean => code === 'no_login' || code === 'invalid';

const UNKNOWN = refused(404, 'not_found', 'There is no such account.');

const NOT_KEPT =
  'another worker may serve this account now, so the login was not stored: log in again on the page of the worker that serves it.';

const textIn = (body: unknown, key: string): string => {
  const found = isRecord(body) ? body[key] : undefined;
  return typeof found === 'string' ? found.trim() : '';
};

/** The account table, adding, removing, logins and login links. `stylesheet`: its path below the page. */
export const accountsRoutes = (
  { view, login }: AccountsParts,
  { dataDir, clock, log, stylesheet }: { dataDir: string; clock: Clock; log: Log; stylesheet: () => Promise<string> },
): {
  readonly routes: readonly Route[];
  /** The routes of a login link's page and form; none for another path. */
  readonly linkRoutes: (path: string) => readonly Route[];
  readonly finishAny: Finish;
} => {
  const links = loginLinks(dataDir, clock, (name) => view.settings(name)?.platform.client_id);

  const orRefused = async (work: () => WebAnswer | Promise<WebAnswer>): Promise<WebAnswer> => {
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof UsageError) return { status: 422, json: { error: cause.code, message: cause.message } };
      return systemCode(cause) === undefined ? failed(cause) : failed(cause, 'storage');
    }
  };
  /** The accounts with a login in progress; for a login by link, also the content of its page. */
  const begun = new Map<string, { readonly link: Claims; readonly shown: LinkShown & { readonly kind: 'begun' } } | undefined>();
  /** `link`: the link on whose page the address was entered; it counts as used, whatever began the login. */
  const finish = async (name: string, settings: Settings, address: string, link?: Claims): Promise<LoginAttempt> => {
    const attempt = await login(name, settings).finish(address);
    if (attempt.status !== 'applied') {
      // The page of the link tells the user to contact the person that sent it.
      if (begun.get(name) && !isOfOther(attempt)) log.warn({ account: name, why: attempt.message }, 'a login by a link failed');
      return attempt;
    }
    if ((await view.keepLogin?.(name)) === false) return { status: 'failed', code: 'login_failed', message: NOT_KEPT };
    view.view(name)?.pollNow();
    const by = link ?? begun.get(name)?.link;
    begun.delete(name);
    if (by) {
      links.use(by);
      log.info({ account: name }, 'an account was logged in by a link');
    }
    return attempt;
  };
  /** A POST route for the account named in the body. */
  const postFor = (path: string, work: (name: string, settings: Settings, request: WebRequest) => Promise<WebAnswer> | WebAnswer): Route =>
    post(path, (request) => {
      const name = textIn(request.body, 'name');
      const settings = isRecord(request.body) && request.body['name'] === name ? view.settings(name) : undefined;
      return settings ? orRefused(() => work(name, settings, request)) : UNKNOWN;
    });

  const routes: readonly Route[] = [
    get('api/accounts', () => ok<AccountsAnswer>({ accounts: view.list() })),
    post('api/accounts/add', ({ body }) =>
      orRefused(async () => {
        await view.add({ name: textIn(body, 'name'), client_id: textIn(body, 'client_id') });
        log.info({ account: textIn(body, 'name') }, 'an account was added on the page');
        return NO_CONTENT;
      }),
    ),
    post('api/accounts/remove', ({ body }) =>
      orRefused(async () => {
        await view.remove(textIn(body, 'name'));
        log.info({ account: textIn(body, 'name') }, 'an account was removed on the page');
        return NO_CONTENT;
      }),
    ),
    postFor('api/accounts/login', async (name, settings) => {
      const started = await login(name, settings).begin(settings.platform);
      begun.set(name, undefined);
      return ok<LoginBegun>({ ...started, redirect: settings.platform.redirect_uri, oneTap: false });
    }),
    postFor('api/accounts/login/finish', async (name, settings, { body }) => ok(await finish(name, settings, textIn(body, 'address')))),
    postFor('api/accounts/link', (name) => {
      const made = links.make(name);
      if (!made) return UNKNOWN;
      log.info({ account: name }, 'a login link for an account was created on the page');
      return ok<LoginLink>({ path: `l/${made.token}`, endsMs: made.endsMs });
    }),
  ];

  const answer = async (request: WebRequest, shown: LinkShown): Promise<WebAnswer> =>
    linkPage(request.headers['accept-language'], shown, `../${await stylesheet()}`);

  /** The page of a link. Only a click begins a login, because link preview programs also open links. */
  const showLink = async (token: string, request: WebRequest): Promise<WebAnswer> => {
    const link = links.check(token);
    if (typeof link === 'string') return answer(request, { kind: 'fault', fault: link });
    const { account } = link;
    const settings = view.settings(account);
    if (!settings) return answer(request, { kind: 'fault', fault: 'gone' });
    if (request.method === 'GET') return answer(request, { kind: 'start', account });
    const address = textIn(request.body, 'address');
    let problem: string | undefined;
    if (address !== '') {
      const attempt = await finish(account, settings, address, link);
      if (attempt.status === 'applied') return answer(request, { kind: 'done', account });
      problem = attempt.code ?? attempt.status;
      const waiting = begun.get(account);
      // The address of another login does not affect the pending one.
      if (problem === 'invalid' && waiting) return answer(request, { ...waiting.shown, problem });
    }
    try {
      const { address: platform } = await login(account, settings).begin(settings.platform);
      const shown = { kind: 'begun', account, platform, redirect: settings.platform.redirect_uri } as const;
      begun.set(account, { link, shown });
      return await answer(request, { ...shown, problem });
    } catch (cause) {
      log.warn({ account, why: messageOf(cause) }, 'the login by a link could not start');
      return answer(request, { kind: 'start', account, problem: 'unreachable' });
    }
  };

  return {
    routes,
    linkRoutes: (path) => {
      const token = /^l\/([\w.-]{1,2000})$/.exec(path)?.[1];
      if (token === undefined) return [];
      const show = (request: WebRequest): Promise<WebAnswer> => showLink(token, request);
      return [get(path, show, 'open'), { ...post(path, show, 'open'), isForm: true }];
    },
    finishAny: async (address, request, place) => {
      for (const [name, byLink] of begun) {
        const settings = view.settings(name);
        const attempt = settings && (await finish(name, settings, address));
        if (!attempt || isOfOther(attempt)) continue;
        if (!byLink) return 'table';
        const shown: LinkShown = attempt.status === 'applied' ? { kind: 'done', account: name } : { kind: 'fault', fault: 'failed' };
        return linkPage(request.headers['accept-language'], shown, `${place}${await stylesheet()}`);
      }
      return undefined;
    },
  };
};

/**
 * Completes the login of this address and returns what to show: the table, or the page of the link that began
 * it, with its files at `place`. Undefined if no login is pending for it.
 */
export type Finish = (address: string, request: WebRequest, place: string) => Promise<WebAnswer | 'table' | undefined>;
