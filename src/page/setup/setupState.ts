import { batch, computed, signal } from '@preact/signals';
import { SETUP_WORDS } from '../../language/setup/setup.ts';
import { isRecord } from '../../shared/json.ts';
import { mistakesOf } from '../settings/mistakes.ts';
import { words as pageWords } from '../shell/words.ts';
import { ApiError, getJson, postJson } from '../state/api.ts';
import { language } from '../state/preferences.ts';
import { endSession, isLoggedOut } from '../state/session.ts';
import type { Row } from './row.ts';

/** The texts of the set-up in the language of the page. */
export const words = computed(() => SETUP_WORDS[language.value]);

export type Login = {
  readonly loggedIn: boolean;
  readonly as?: string;
  readonly secondsLeft?: number;
  readonly last?: { readonly status: string; readonly code?: string; readonly message: string };
  readonly redirect?: string;
  readonly callback?: string;
};

export const rows = signal<ReadonlyMap<string, Row>>(new Map());
/** The file that takes changes. */
export const file = signal('');
export const login = signal<Login>({ loggedIn: false });
export const setup = signal<{ readonly needsPassword: boolean; readonly missing: readonly string[]; readonly text: string }>({
  ...{ needsPassword: false, missing: [], text: '' },
});
/** Why the bridge did not start with the last change. */
export const problem = signal('');
export const isLoaded = signal(false);

const texts = (list: unknown): readonly string[] => (Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The value of a setting as text; empty where it has none. */
export const settingText = (path: string): string => {
  const value = rows.value.get(path)?.value;
  return value === null || value === undefined ? '' : String(value);
};

/** Who has fixed a setting, in the language of the page; empty where it can be changed. */
export const fixedText = (path: string): string => {
  const row = rows.value.get(path);
  if (!row?.fixed) return '';
  return row.origin.kind === 'options' ? words.value.fixedByOptions : words.value.fixedBy(row.origin.where);
};

/** Asks for the settings. Throws as `getJson`. */
export const loadRows = async (): Promise<void> => {
  const answer = await getJson('api/settings');
  const list = Array.isArray(answer['settings']) ? (answer['settings'] as readonly Row[]) : [];
  batch(() => {
    rows.value = new Map(list.map((row) => [row.path, row]));
    file.value = text(answer['file']);
    problem.value = problemIn(answer);
  });
};

/** Asks who is logged in, and how the last login ended. Throws as `getJson`. */
export const loadLogin = async (): Promise<void> => {
  const answer = await getJson(`api/platform/login?page=${encodeURIComponent(location.href)}`);
  login.value = { ...(answer as Partial<Login>), loggedIn: answer['loggedIn'] === true };
};

/** Asks for all that the set-up shows. Throws as `getJson`. */
export const loadSetup = async (): Promise<void> => {
  const [answer] = await Promise.all([getJson('api/setup'), loadRows(), loadLogin()]);
  setup.value = { needsPassword: answer['needsPassword'] === true, missing: texts(answer['missing']), text: text(answer['text']) };
  isLoaded.value = true;
};

/** Mistakes by the path of their field; the empty path is for what belongs to no field. */
export type Problems = Readonly<Record<string, string>>;

/** A sentence of the server in the language of the page, by its codes, where one of them has words. */
export const translated = (codes: readonly unknown[], message: string, facts: unknown = {}): string => {
  const known = codes.filter((code) => typeof code === 'string');
  const { codes: failures } = pageWords.value;
  const failure = known.find((code) => Object.hasOwn(failures, code));
  return words.value.translated(known, isRecord(facts) ? facts : {}) ?? (failure === undefined ? undefined : failures[failure]) ?? message;
};

/** Why the bridge did not start with a change. */
const problemIn = (answer: Readonly<Record<string, unknown>>): string => {
  const why = text(answer['problem']);
  return why === '' ? '' : translated([answer['problemCode']], why);
};

/** A refused login in the language of the page, where that is known. */
export const loginFault = (code: string, message: string, otherCode?: unknown): string => {
  const known = loginWord(code, message);
  return words.value.loginFaults[known] ?? translated(known === 'failed' ? [otherCode, known] : [known, otherCode], message);
};

/** The platform says `invalid_request` for nearly everything; the sentence of the server tells what it was. */
const loginWord = (code: string, message: string): string => {
  if (code === 'forbidden') return 'wrong_account';
  if (code === 'unauthorized_client') return 'invalid_client';
  if (code !== 'invalid_request') return code;
  if (/redirect/i.test(message)) return 'redirect';
  if (/does not know the client/.test(message)) return 'invalid_client';
  return /^The code of this login/.test(message) ? 'invalid_grant' : code;
};

/** What a refusal without mistakes says. */
const refusalOf = ({ code, message, body }: ApiError): string =>
  code === 'not_started'
    ? words.value.startFailed(translated([body['code']], text(body['problem'])))
    : loginFault(code, message, body['code']);

/** What an error says, at the fields that it is about. */
export const problemsOf = (error: unknown): Problems => {
  if (isLoggedOut(error)) endSession();
  if (!(error instanceof ApiError)) return { '': pageWords.value.noConnection };
  const mistakes = mistakesOf(error.body['mistakes'], rows.value, words.value, pageWords.value.rule);
  return isRight(mistakes) ? { '': refusalOf(error) } : mistakes;
};

export type Changes = Readonly<Record<string, unknown>>;

/** Keeps what was entered in a set-up; gives what is wrong with it. */
export const keep = async (changes: Changes): Promise<Problems> => {
  try {
    await postJson('api/setup', { changes });
    await loadSetup();
    return {};
  } catch (error) {
    return problemsOf(error);
  }
};

/** True where there is nothing to mend. */
export const isRight = (problems: Problems): boolean => Object.keys(problems).length === 0;
