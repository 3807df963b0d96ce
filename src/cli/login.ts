import type { Settings } from '../config/settings.ts';
import { commandFor } from '../language/accounts/loginHelp.ts';
import { type IdentitySettings, identityService, type LoginStart } from '../platform/auth/identityService.ts';
import { readLoginId } from '../platform/auth/readLoginId.ts';
import { listenForRedirect, type Page } from '../platform/auth/redirectListener.ts';
import { pastedQuery, returnedQuery } from '../platform/auth/returnedQuery.ts';
import { checkWritable, tokenPath, updateTokens, writeTokens } from '../platform/auth/tokenFile.ts';
import type { StoredTokens } from '../platform/auth/tokens.ts';
import { systemClock } from '../shared/clock.ts';
import { CodedError, messageOf } from '../shared/errors.ts';
import { countBeside } from '../storage/callRepository.ts';
import type { Io } from './terminal/io.ts';

/** The settings that a login needs. */
type LoginSettings = Pick<Settings, 'data_dir' | 'account'> & { readonly platform: IdentitySettings & { readonly base_url: string } };

type LoginIo = Pick<Io, 'out' | 'err' | 'stdin' | 'openBrowser'>;

/** A started login. `command` starts another one. */
type Login = {
  readonly start: LoginStart;
  readonly redirectUri: string;
  readonly command: string | undefined;
  readonly finish: (returned: URLSearchParams) => Promise<StoredTokens>;
  readonly waitMs: number;
};

const WAIT_MS = 10 * 60_000;

const LOGGED_IN: Page = { status: 200, title: 'Logged in', text: 'heating2mqtt is logged in. You can close this window.' };
const NOT_THIS_LOGIN: Page = {
  status: 400,
  title: 'Address of another login',
  text: 'This address belongs to another login. Open the address that the terminal shows; it still waits for the login.',
};

class LoginEnded extends CodedError<'waited_too_long' | 'nothing_pasted'> {}

/** Opens the browser and waits for its request to the redirect URI. */
const byBrowser = async ({ start, redirectUri, command, finish, waitMs }: Login, io: LoginIo): Promise<StoredTokens> => {
  const { promise, resolve, reject } = Promise.withResolvers<StoredTokens>();
  let result: Promise<StoredTokens> | undefined;
  const receive = async (query: URLSearchParams): Promise<Page> => {
    const returned = returnedQuery(start, query);
    if (!returned) return NOT_THIS_LOGIN;
    // A code works once, but some browsers send the request twice.
    result ??= finish(returned);
    result.then(resolve, reject);
    return result.then(
      () => LOGGED_IN,
      (error: unknown) => ({ status: 400, title: 'The login failed', text: messageOf(error) }),
    );
  };
  const listener = await listenForRedirect(redirectUri, `${command} --paste`, receive);
  const tooLong = `The browser did not come back within ${waitMs / 60_000} minutes. Run \`${command}\` again.`;
  const timer = setTimeout(() => reject(new LoginEnded('waited_too_long', tooLong)), waitMs);
  try {
    io.out(
      `Open this address in a browser on this machine and log in:\n\n${start.address}\n\nWaiting for the browser to come back to ${redirectUri} …`,
    );
    io.openBrowser(start.address);
    return await promise;
  } finally {
    clearTimeout(timer);
    await listener.close();
  }
};

/** Reads lines until one is the address to which the platform redirected the browser. */
const byPaste = async ({ start, redirectUri, command, finish, waitMs }: Login, io: LoginIo): Promise<StoredTokens> => {
  io.out(`Open this address in a browser on any machine and log in:\n\n${start.address}\n`);
  io.out(
    `The browser then goes to ${redirectUri}… and shows an error; this is normal. Copy that address from the address bar, paste it here within 20 seconds, and press Enter:`,
  );
  const { createInterface } = process.getBuiltinModule('node:readline');
  const lines = createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY, signal: AbortSignal.timeout(waitMs) });
  try {
    for await (const line of lines) {
      if (line.trim() === '') continue;
      const query = pastedQuery(line);
      const returned = returnedQuery(start, query);
      if (returned) return await finish(returned);
      io.err(
        query
          ? 'This address is not the end of this login: it must contain `code`, and the `state` of the address above. Paste the whole address from the address bar.'
          : 'This text is not an address with a `?`. Paste the whole address from the address bar, not only the code: it also contains the `state`.',
      );
    }
  } finally {
    lines.close();
  }
  throw new LoginEnded('nothing_pasted', `No address was pasted, so nothing was changed. Run \`${command} --paste\` again.`);
};

const minute = (instant: number): string => new Date(instant).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });

/** Stores the tokens before anything else can fail, then prints the user and the expiry of the login. */
const storeLogin = async (settings: LoginSettings, tokens: StoredTokens, io: LoginIo): Promise<void> => {
  await writeTokens(settings.data_dir, tokens);
  try {
    const counted = (): void => void countBeside(settings.data_dir, systemClock.now());
    const loginId = await readLoginId(settings.platform, tokens.access_token, counted);
    // The bridge may already have renewed them.
    const isOurs = (held: StoredTokens | undefined): held is StoredTokens => held?.consent_at === tokens.consent_at;
    if (loginId !== undefined) await updateTokens(settings.data_dir, (held) => (isOurs(held) ? { ...held, login_id: loginId } : held));
    io.out(`Logged in${loginId === undefined ? '' : ` as ${loginId}`}.`);
  } catch (error) {
    io.out('Logged in.');
    io.err(`The name of the account could not be read: ${messageOf(error)}`);
  }
  io.out(
    `The tokens are stored in ${tokenPath(settings.data_dir)}, readable only by this user. A running bridge uses them within a minute.`,
  );
  if (tokens.refresh_token === undefined) {
    io.err(
      `The platform gave no refresh token, so this login ends at ${minute(tokens.expires_at)}. Add offline_access to platform.scope (\`${settings.platform.scope} offline_access\`) and log in again, or log in again every hour.`,
    );
  }
};

/**
 * `heating2mqtt login`: opens the platform's login, receives the code (from the browser or pasted), and
 * stores the tokens. Exit code 0 after a login, else 1. Prints a failure as one sentence, never a token.
 */
export const login = async (
  settings: LoginSettings,
  options: { readonly paste: boolean; readonly waitMs?: number },
  io: LoginIo,
): Promise<number> => {
  const identity = identityService(settings.platform, systemClock);
  try {
    checkWritable(settings.data_dir);
    const start = await identity.begin();
    await identity.checkAddress(start);
    const begun: Login = {
      ...{ start, redirectUri: settings.platform.redirect_uri, command: commandFor('login', settings.account) },
      finish: (returned) => identity.exchange(start, returned),
      waitMs: options.waitMs ?? WAIT_MS,
    };
    await storeLogin(settings, await (options.paste ? byPaste : byBrowser)(begun, io), io);
    return 0;
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    io.err(error.message);
    return 1;
  } finally {
    await identity.close();
  }
};
