import type { LoginAttempt, LoginBegun, LoginReport, PostAnswers, ShownMistake } from '../../api/answers.ts';
import type { Settings } from '../../config/settings.ts';
import { isRecord } from '../../shared/json.ts';
import type { Finish } from '../accounts/accountsRoutes.ts';
import { failed, get, ok, post, type Route, refused, type WebAnswer, type WebRequest } from '../routes.ts';
import { type Changes, changesIn, type Draft, settingsOf, withMistakes } from './draft.ts';
import { secretsElsewhere } from './keptSecrets.ts';
import type { SetupHost, SetupServices } from './services.ts';

/** The path below the page to which the login page can redirect the browser. */
const CALLBACK = 'login/callback';

const isSettings = (found: Settings | readonly ShownMistake[]): found is Settings => !Array.isArray(found);

/** The callback address of a page at this address; undefined if that is invalid. */
const callbackOf = (page: unknown): string | undefined => {
  const url = typeof page === 'string' ? URL.parse(CALLBACK, page.replace(/[?#].*$/s, '')) : null;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined;
};

/** A login that redirects to the page itself needs no pasting. Some services append a slash. */
const isOneTap = (redirect: string, page: unknown): boolean => {
  const callback = callbackOf(page);
  return callback !== undefined && redirect.replace(/\/$/, '') === callback;
};

/** Tests and logins, with the current settings and those of a set-up in progress. */
export const accountRoutes = (draft: Draft, host: SetupHost, services: SetupServices, finishAny?: Finish): readonly Route[] => {
  /** Works with the settings that would result from these changes. */
  const withSettings = async (
    changes: Changes,
    sections: readonly string[],
    work: (settings: Settings) => Promise<WebAnswer>,
  ): Promise<WebAnswer> => {
    const plan = draft.plan(changes);
    const found = settingsOf(plan, sections);
    if (!isSettings(found)) return withMistakes(found);
    const elsewhere = secretsElsewhere(draft.plan().read, plan.read.loaded, changes, services.loggedIn(found.data_dir) !== undefined);
    if (elsewhere.length > 0) return withMistakes(elsewhere);
    try {
      return await work(found);
    } catch (cause) {
      return failed(cause);
    }
  };
  const given = ({ body }: WebRequest): Changes => changesIn(body) ?? {};

  const testBroker = (request: WebRequest) =>
    withSettings(given(request), ['mqtt'], async (settings) => ok(await services.testBroker(settings)));

  const beginLogin = (request: WebRequest) =>
    withSettings(given(request), ['platform'], async ({ platform }) => {
      const { address, seconds } = await services.login.begin(platform);
      const page = isRecord(request.body) ? request.body.page : undefined;
      return ok<LoginBegun>({ address, redirect: platform.redirect_uri, oneTap: isOneTap(platform.redirect_uri, page), seconds });
    });

  const finish = async (address: string): Promise<LoginAttempt> => {
    const attempt = await services.login.finish(address);
    if (attempt.status === 'applied') host.loggedIn();
    return attempt;
  };

  const finishLogin = async ({ body }: WebRequest): Promise<WebAnswer> => {
    const address = isRecord(body) ? body.address : undefined;
    if (typeof address !== 'string') return refused(422, 'invalid', 'address must be a string.');
    return ok(await finish(address));
  };

  // The query must not stay in the browser history; `api/platform/login` tells the page the result.
  const callback = async (request: WebRequest): Promise<WebAnswer> => {
    const query = `?${request.query}`;
    const place = request.path.endsWith('/') ? '../../' : '../';
    const attempt = await finish(query);
    const wasOther = attempt.code === 'no_login' || attempt.code === 'invalid';
    const answer = wasOther ? await finishAny?.(query, request, place) : undefined;
    if (answer && answer !== 'table') return answer;
    return { status: 303, headers: { location: `${place}#/${answer ? 'accounts' : 'settings/login'}` } };
  };

  const loginState = (request: WebRequest) =>
    withSettings({}, [], async ({ data_dir, platform }) => {
      const { secondsLeft, last } = services.login;
      const found = services.loggedIn(data_dir);
      const loggedIn = found !== undefined && !host.needsLogin();
      const addresses = { redirect: platform.redirect_uri, callback: callbackOf(request.query.get('page')) };
      return ok<LoginReport>({ loggedIn, as: found?.as, secondsLeft, last, ...addresses });
    });

  const findDevices = (request: WebRequest) =>
    withSettings(given(request), ['platform'], async (settings) =>
      ok<PostAnswers['api/devices/find']>({ devices: await services.findDevices(settings) }),
    );

  const check = () => withSettings({}, [], async (settings) => ok<PostAnswers['api/check']>({ lines: await services.check(settings) }));

  return [
    post('api/broker/test', testBroker),
    get('api/platform/login', loginState),
    post('api/platform/login', beginLogin),
    post('api/platform/login/finish', finishLogin),
    get(CALLBACK, callback, 'open'),
    get(`${CALLBACK}/`, callback, 'open'),
    post('api/devices/find', findDevices),
    post('api/check', check),
  ];
};
