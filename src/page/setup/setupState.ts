import { batch, computed, signal } from '@preact/signals';
import type { LoginAttempt, LoginReport, Outcome, SettingRow, SettingsReport, SetupReport } from '../../api/answers.ts';
import { SETUP_WORDS } from '../../language/setup/setup.ts';
import { isRecord } from '../../shared/json.ts';
import { mistakesOf } from '../settings/mistakes.ts';
import { localTimes } from '../shell/format.ts';
import { words as pageWords } from '../shell/words.ts';
import { ApiError, getJson, postJson } from '../state/api.ts';
import { language } from '../state/preferences.ts';

/** The texts of the set-up in the language of the page. */
export const words = computed(() => SETUP_WORDS[language.value]);

export const rows = signal<ReadonlyMap<string, SettingRow>>(new Map());
/** The file that takes changes. */
export const file = signal('');
export const login = signal<LoginReport>({ loggedIn: false, redirect: '' });
export const setup = signal<SetupReport>({ needsPassword: false, missing: [], text: '' });
/** Why the bridge did not start with the last change. */
export const problem = signal('');
export const isLoaded = signal(false);

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
  batch(() => {
    rows.value = new Map(answer.settings.map((row) => [row.path, row]));
    file.value = answer.file;
    problem.value = problemIn(answer);
  });
};

/** Asks who is logged in, and how the last login ended. Throws as `getJson`. */
export const loadLogin = async (): Promise<void> => {
  login.value = await getJson('api/platform/login', `?page=${encodeURIComponent(location.href)}`);
};

/** Asks for all that the set-up shows. Throws as `getJson`. */
export const loadSetup = async (): Promise<void> => {
  const [answer] = await Promise.all([getJson('api/setup'), loadRows(), loadLogin()]);
  setup.value = answer;
  isLoaded.value = true;
};

/** Mistakes by the path of their field; the empty path is for what belongs to no field. */
export type Problems = Readonly<Record<string, string>>;

/** A sentence of the server in the language of the page, by its codes, where one of them has words. */
export const translated = (codes: readonly unknown[], message: string, facts: unknown = {}): string => {
  const { codes: failures } = pageWords.value;
  for (const code of codes) {
    if (typeof code !== 'string') continue;
    const own =
      words.value.translated([code], isRecord(facts) ? facts : {}) ?? (Object.hasOwn(failures, code) ? failures[code] : undefined);
    if (own !== undefined) return own;
  }
  return localTimes(message);
};

/** What a test of a broker says: of the broker's codes in the words of the page, of ours as everywhere; with its address where there are several. */
export const brokerSentence = ({ code, message, facts }: Outcome): string => {
  const { brokerFaults, brokerFault } = words.value;
  if (code === undefined) return message;
  return atAddress(facts, brokerFaults[code] ?? (isOwnCode(code) ? translated([code], message, facts) : brokerFault(message, code)));
};

/** True for what the bridge finds and no broker says: it belongs to no field. */
export const isOwnCode = (code: string): boolean => /^broker_no_\w+$/u.test(code);

/** The sentence with the address of the broker that it is about, where there are several. */
const atAddress = (facts: unknown, sentence: string): string =>
  isRecord(facts) && typeof facts.address === 'string' ? `${facts.address}: ${sentence}` : sentence;

/** Why the bridge did not start with a change. */
const problemIn = ({ problem: why, problemCode }: SettingsReport): string => (why === undefined ? '' : translated([problemCode], why));

/** A refused login in the language of the page, where that is known. */
export const loginFault = ({ code = '', message, facts }: Omit<LoginAttempt, 'status'>, otherCode?: unknown): string => {
  const known = code === 'forbidden' ? 'wrong_account' : code;
  return words.value.loginFaults[known] ?? translated(known === 'failed' ? [otherCode, known] : [known, otherCode], message, facts);
};

/** What a refusal without mistakes says. */
const refusalOf = ({ code, message, body }: ApiError): string =>
  code === 'not_started'
    ? words.value.startFailed(translated([body['code']], String(body['problem'] ?? '')))
    : loginFault({ code, message, ...(isRecord(body['facts']) ? { facts: body['facts'] } : {}) }, body['code']);

/** What an error says, at the fields that it is about. */
export const problemsOf = (error: unknown): Problems => {
  if (!(error instanceof ApiError)) return { '': pageWords.value.noConnection };
  const { mistakes: found } = error.body;
  const mistakes = mistakesOf(Array.isArray(found) ? found : [], rows.value, words.value, pageWords.value.rule);
  return isRight(mistakes) ? { '': refusalOf(error) } : mistakes;
};

/** All that is wrong as one text, where there are no fields. */
export const textOf = (problems: Problems): string => Object.values(problems).join(' ');

/** What is wrong elsewhere than at these fields, each with its path. */
export const elsewhere = (problems: Problems, isField: (path: string) => boolean): string =>
  Object.entries(problems)
    .flatMap(([path, text]) => (isField(path) ? [] : [`${path} ${text}`.trim()]))
    .join(' ');

export type Changes = Readonly<Record<string, unknown>>;
/** Keeps changes; gives what is wrong with them. */
export type Save = (changes: Changes) => Promise<Problems>;

/** Keeps what was entered in a set-up; gives what is wrong with it. */
export const keep: Save = async (changes) => {
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
