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
/** The file that stores changes. */
export const file = signal('');
export const login = signal<LoginReport>({ loggedIn: false, redirect: '' });
export const setup = signal<SetupReport>({ needsPassword: false, missing: [], text: '' });
/** Why the bridge did not start with the last change. */
export const problem = signal('');
export const isLoaded = signal(false);

/** The value of a setting as text; empty without one. */
export const settingText = (path: string): string => {
  const value = rows.value.get(path)?.value;
  return value === null || value === undefined ? '' : String(value);
};

/** Where a setting is fixed, in the page's language; empty if it can be changed. */
export const fixedText = (path: string): string => {
  const row = rows.value.get(path);
  if (!row?.fixed) return '';
  return row.origin.kind === 'options' ? words.value.fixedByOptions : words.value.fixedBy(row.origin.where);
};

/** Loads the settings. Throws like `getJson`. */
export const loadRows = async (): Promise<void> => {
  const answer = await getJson('api/settings');
  batch(() => {
    rows.value = new Map(answer.settings.map((row) => [row.path, row]));
    file.value = answer.file;
    problem.value = problemIn(answer);
  });
};

/** Loads the current login and the result of the last one. Throws like `getJson`. */
export const loadLogin = async (): Promise<void> => {
  login.value = await getJson('api/platform/login', `?page=${encodeURIComponent(location.href)}`);
};

/** Loads everything that the setup shows. Throws like `getJson`. */
export const loadSetup = async (): Promise<void> => {
  const [answer] = await Promise.all([getJson('api/setup'), loadRows(), loadLogin()]);
  setup.value = answer;
  isLoaded.value = true;
};

/** Errors by the path of their field; the empty path is for errors without a field. */
export type Problems = Readonly<Record<string, string>>;

/** A server message in the page's language, by the first code that has a text. */
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

/** The result of a broker test. Codes of the broker have their own texts. Includes the address if several. */
export const brokerSentence = ({ code, message, facts }: Outcome): string => {
  const { brokerFaults, brokerFault } = words.value;
  if (code === undefined) return message;
  return atAddress(facts, brokerFaults[code] ?? (isOwnCode(code) ? translated([code], message, facts) : brokerFault(message, code)));
};

/** True for errors found by the bridge, not by a broker: they belong to no field. */
export const isOwnCode = (code: string): boolean => /^broker_no_\w+$/u.test(code);

/** The message with the broker's address, if there are several. */
const atAddress = (facts: unknown, sentence: string): string =>
  isRecord(facts) && typeof facts.address === 'string' ? `${facts.address}: ${sentence}` : sentence;

/** Why the bridge did not start with a change. */
const problemIn = ({ problem: why, problemCode }: SettingsReport): string => (why === undefined ? '' : translated([problemCode], why));

/** A refused login in the page's language, if its code has a text. */
export const loginFault = ({ code = '', message, facts }: Omit<LoginAttempt, 'status'>, otherCode?: unknown): string => {
  const known = code === 'forbidden' ? 'wrong_account' : code;
  return words.value.loginFaults[known] ?? translated(known === 'failed' ? [otherCode, known] : [known, otherCode], message, facts);
};

/** The text of a refusal without field errors. */
const refusalOf = ({ code, message, body }: ApiError): string =>
  code === 'not_started'
    ? words.value.startFailed(translated([body['code']], String(body['problem'] ?? '')))
    : loginFault({ code, message, ...(isRecord(body['facts']) ? { facts: body['facts'] } : {}) }, body['code']);

/** The texts of an error, by field. */
export const problemsOf = (error: unknown): Problems => {
  if (!(error instanceof ApiError)) return { '': pageWords.value.noConnection };
  const { mistakes: found } = error.body;
  const mistakes = mistakesOf(Array.isArray(found) ? found : [], rows.value, words.value, pageWords.value.rule);
  return isRight(mistakes) ? { '': refusalOf(error) } : mistakes;
};

/** All errors as one text, for places without fields. */
export const textOf = (problems: Problems): string => Object.values(problems).join(' ');

/** The errors at other fields, each with its path. */
export const elsewhere = (problems: Problems, isField: (path: string) => boolean): string =>
  Object.entries(problems)
    .flatMap(([path, text]) => (isField(path) ? [] : [`${path} ${text}`.trim()]))
    .join(' ');

export type Changes = Readonly<Record<string, unknown>>;
/** Saves changes and returns their errors. */
export type Save = (changes: Changes) => Promise<Problems>;

/** Saves the input of a setup and returns its errors. */
export const keep: Save = async (changes) => {
  try {
    await postJson('api/setup', { changes });
    await loadSetup();
    return {};
  } catch (error) {
    return problemsOf(error);
  }
};

/** True without any errors. */
export const isRight = (problems: Problems): boolean => Object.keys(problems).length === 0;
