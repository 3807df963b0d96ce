import type { GetAnswers, SetupReport } from '../../api/answers.ts';
import { isRecord } from '../../shared/json.ts';
import { sessionCookie, tooOften } from '../api/session.ts';
import { get, ok, post, type Route, refused, type WebAnswer, type WebRequest } from '../routes.ts';
import { TryLimit } from '../security/limits.ts';
import type { WebParts } from '../server.ts';
import { accountRoutes } from './accountRoutes.ts';
import { backupRoutes } from './backupRoutes.ts';
import { changesIn, Draft, NO_CHANGES, PASSWORD_NEEDED, shortPassword, shownMistakes, withHashedPassword, withMistakes } from './draft.ts';
import { secretsElsewhere } from './keptSecrets.ts';
import type { SetupHost, SetupServices } from './services.ts';
import { SettingsWriter, settingsRoutes } from './settingsRoutes.ts';

const WRONG_CODE = refused(401, 'wrong_code', 'Wrong code; the valid code is in the log.');
const NO_CODE = refused(403, 'no_code', 'No code is needed here.');

/** The routes of the first set-up, the settings and the platform login. */
export const setupRoutes = (host: SetupHost, services: SetupServices, { sessions, log, clock, finishAny }: WebParts): readonly Route[] => {
  const draft = new Draft(host.sources);
  const writer = new SettingsWriter(host, log);
  const { code } = host;
  const limit = new TryLimit();

  const enter = async ({ body, client, isSecure }: WebRequest): Promise<WebAnswer> => {
    const given = isRecord(body) ? body.code : undefined;
    if (typeof given !== 'string') return refused(422, 'invalid', 'code must be a string.');
    if (!code || host.entry() !== 'code') return NO_CODE;
    const waitS = limit.take(client, clock.elapsedMs());
    if (waitS > 0) return tooOften(waitS);
    if (!code.use(given)) return WRONG_CODE;
    limit.worked(client);
    return { status: 204, headers: sessionCookie(await sessions.begin(), isSecure) };
  };

  const showCode = (): WebAnswer => {
    if (host.entry() === 'code') code?.show();
    return ok<GetAnswers['api/code']>({ minutes: 15 });
  };

  /** A page behind a code needs a password once the code is used. */
  const needsPassword = ({ isIngress }: WebRequest): boolean =>
    host.entry() === 'code' && !isIngress && draft.plan().read.loaded.web.password === null;

  const state = (request: WebRequest): WebAnswer => {
    const { mistakes } = draft.plan();
    const { problem, problemCode } = writer;
    const missing = mistakes.filter(({ rule }) => rule === 'required').map(({ path }) => path.join('.'));
    return ok<SetupReport>({ needsPassword: needsPassword(request), missing, text: draft.preview(), problem, problemCode });
  };

  const gather = async ({ body }: WebRequest): Promise<WebAnswer> => {
    const given = changesIn(body);
    if (!given) return NO_CHANGES;
    const short = shortPassword(given);
    if (short.length > 0) return withMistakes(short);
    const changes = await withHashedPassword(given);
    const wrong = draft.plan(changes).mistakes.filter(({ rule }) => rule !== 'required');
    if (wrong.length > 0) return withMistakes(shownMistakes(wrong));
    const [before, after] = [draft.plan().read, draft.plan(changes).read];
    const hasTokens = before.dataDir !== undefined && services.loggedIn(before.dataDir) !== undefined;
    const elsewhere = secretsElsewhere(before, after.loaded, changes, hasTokens);
    if (elsewhere.length > 0) return withMistakes(elsewhere);
    draft.take(changes);
    return ok({});
  };

  const finish = (request: WebRequest): Promise<WebAnswer> | WebAnswer =>
    needsPassword(request) ? withMistakes(PASSWORD_NEEDED) : writer.apply(draft.plan(), { answerFirst: true }, () => draft.clear());

  return [
    get('api/code', showCode, 'open'),
    post('api/code', enter, 'open'),
    get('api/setup', state, 'setup'),
    post('api/setup', gather, 'setup'),
    post('api/setup/finish', finish, 'setup'),
    ...accountRoutes(draft, host, services, finishAny),
    ...settingsRoutes(draft, writer, host, services),
    ...backupRoutes(draft, writer, host, services, clock),
  ];
};
