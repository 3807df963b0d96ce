import type { PastSeries } from '../features/energy/pastFiles.ts';
import type { DayRow, Prices } from '../features/performance/dayRow.ts';
import type { Pace } from '../language/answers/pace.ts';
import type { Issue } from '../shared/issue.ts';
import type { Answer, Status } from '../topics/resultPayload.ts';
import type { AccountsAnswer, LoginLink } from './accounts.ts';

// What the page's server answers (docs/web-access.md), for the server and for the page.

/** `none`: this page needs no login; `needed`: it does, and this request has none; `done`: it has one. */
export type LoginState = 'none' | 'needed' | 'done';

export type SessionReport = {
  /** `code`: a set-up that first wants the code of the log. */
  readonly mode: 'run' | 'setup' | 'code';
  readonly login: LoginState;
  /** Home Assistant shows the page, and has done the login. */
  readonly ingress: boolean;
  /** The name that Home Assistant gives. */
  readonly user?: string | undefined;
  /** There are further accounts, beside the main one or alone. Told to those alone that are logged in. */
  readonly accounts?: 'beside' | 'only' | undefined;
};

/** A line of the log. */
export type LogLine = { readonly at: string; readonly level: string; readonly message: string };

type Followed = {
  /** The number of the state, for the question what changed since. */
  readonly rev: number;
  /** The last answers to commands of anyone. */
  readonly results: readonly Answer[];
  readonly log: readonly LogLine[];
  /** The ids of the last commands of pages that the bridge has taken. */
  readonly taken: readonly Answer['id'][];
};

/** A release of this program; its notes are plain text. */
export type Release = { readonly version: string; readonly notes: string; readonly address: string };

/** All that the retained topics say. */
export type WholeState = Followed & {
  readonly base: string;
  readonly version: string;
  /** A version that is there, where somebody allowed to ask for it. */
  readonly newer?: string | undefined;
  /** The machine of the bridge: system and Node. */
  readonly platform: string;
  readonly topics: Readonly<Record<string, string>>;
};

/** What changed since a number; null for a topic that was cleared. */
export type StateSince = Followed & { readonly changed: Readonly<Record<string, string | null>> };

/** So often a stream says that it lives: so proxies do not close it, and a page knows a connection that has broken without a word. */
export const ALIVE_MS = 20_000;

/** The events of `api/stream`. */
export type StreamEvents = {
  readonly hello: { readonly rev: number };
  readonly topic: { readonly rev: number; readonly topic: string; readonly payload: string | null };
  readonly result: { readonly rev: number; readonly answer: Answer };
  readonly log: { readonly rev: number } & LogLine;
  /** What is known counts no more. */
  readonly reset: Readonly<Record<string, never>>;
  /** Every `ALIVE_MS`. */
  readonly alive: Readonly<Record<string, never>>;
};

/** What a topic said from a moment on (epoch ms): a number, a mode, or nothing. */
export type HistoryPoint = readonly [at: number, value: number | string | null];

/** For `kept` days values are kept. */
export type TopicHistory = {
  readonly topic: string;
  readonly kept: number;
  readonly since: number;
  readonly now: number;
  readonly points: readonly HistoryPoint[];
};

/** A change that the bridge has made. */
export type ChangeEntry = {
  readonly key: number;
  readonly at: string;
  readonly device: string;
  readonly feature: string;
  readonly topic: string;
  readonly command: string;
  readonly by: { readonly kind: 'mqtt' | 'page' | 'end' | 'season' | 'calendar' | 'price'; readonly user?: string | undefined };
  /** Values by property; of a week by property and day. Absent where they are not known. */
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
  readonly until?: string;
  readonly status: Status;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  /** The command that takes it back, or why there is none. */
  readonly undo: { readonly topic: string; readonly payload: string } | { readonly why: string };
};

/** A value that the undo of a schedule brings back. `isForeign`: another program has changed it since, so the undo is refused. */
export type BroughtBack = {
  readonly property: string;
  readonly day?: string | undefined;
  readonly value: unknown;
  readonly isForeign: boolean;
};

/** A fault, or another message of a heating; the moments in epoch milliseconds. */
export type FaultEntry = {
  readonly code: string;
  /** `fault`, `warning`, `service`, `info`, `status`, `connection` or `other`. */
  readonly kind: string;
  /** The platform's sentence, in English. */
  readonly text?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** The moment by the heating's own clock, as it came. */
  readonly clock?: string | undefined;
};

/** What a device has told in the last year, the newest first. `tells`: it has told a fault once, or that there is none. */
export type DeviceFaultLog = { readonly device: string; readonly tells: boolean; readonly faults: readonly FaultEntry[] };

/** How a device ran: the days that have ended, oldest first, and what is known of the one that has not. `prices`: those of the settings now. */
type PerformanceAnswer = { readonly rows: readonly DayRow[]; readonly open?: DayRow; readonly prices: Prices };
/** Whether the past can be imported into Home Assistant: `off` in an app where nobody has switched it on, `none` elsewhere. */
export type ImportState = 'on' | 'off' | 'none';

type Windows = { readonly per_10_minutes: number; readonly per_day: number };

export type CallReport = {
  readonly used: Windows;
  readonly left: Windows;
  readonly reset_at?: string;
  readonly poll_seconds: number;
  readonly pace: Pace;
  /** The calls of the last 24 hours by what they were for. */
  readonly causes: Readonly<Record<string, number>>;
};

/** A setting with the layer that decides it. A secret has no `value`. */
export type SettingRow = {
  readonly path: string;
  readonly value?: unknown;
  readonly default: unknown;
  readonly origin: { readonly kind: 'default' | 'app' | 'page' | 'file' | 'options' | 'environment'; readonly where: string };
  /** What the settings file says, where the page has set it otherwise. A secret has no value here either. */
  readonly inFile?: { readonly value?: unknown; readonly where: string };
  readonly fixed: boolean;
  readonly secret: boolean;
  readonly isSet: boolean;
  readonly doc: string;
  readonly format: 'text' | 'number' | 'flag' | 'choice' | 'list' | 'profiles' | 'devices';
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly example?: string;
  /** A right value, or how a default is found. */
  readonly hint?: string;
};

/** Why the bridge did not start with the last change. */
type StartProblem = { readonly problem?: string | undefined; readonly problemCode?: string | undefined };

export type SettingsReport = StartProblem & {
  /** True until the bridge has started with the last change, or that was taken back. */
  readonly busy: boolean;
  /** The file that takes changes. */
  readonly file: string;
  readonly settings: readonly SettingRow[];
};

/** The answer to a change of settings that was written. `overruled`: what the settings file states otherwise, without effect. */
export type SettingsWritten = {
  readonly file: string;
  readonly overruled: readonly { readonly path: string; readonly where: string }[];
};

export type SetupReport = StartProblem & {
  readonly needsPassword: boolean;
  /** The settings that are still missing. */
  readonly missing: readonly string[];
  /** The file that would be written, without its secrets. */
  readonly text: string;
};

/** A mistake of a setting, as the page shows it at its field. */
export type ShownMistake = {
  readonly path: string;
  readonly rule: string;
  readonly message: string;
  readonly where: string;
  readonly nearest?: readonly string[] | undefined;
  readonly allowed?: string | undefined;
  /** The rule of weeks that a profile breaks, with its facts. */
  readonly issue?: Issue | undefined;
};

/** What a sentence is about. */
export type Facts = Readonly<Record<string, unknown>>;

/** How a test ended: a sentence for people, and a code with facts by which the page can say it in another language. */
export type Outcome = { readonly ok: boolean; readonly message: string; readonly code?: string; readonly facts?: Facts | undefined };

/** One test of `heating2mqtt check`. `note`: it does not work now, and ends by itself. */
export type CheckLine = Outcome & {
  readonly name: string;
  readonly note: boolean;
  /** `name` is that of a further account. */
  readonly isAccount?: true;
};

/** A device of the account. */
export type AccountDevice = {
  readonly installation: string;
  readonly gateway: string;
  readonly device: string;
  readonly model?: string | undefined;
  readonly type?: string | undefined;
  readonly roles: readonly string[];
};

export type LoginAttempt = Omit<Outcome, 'ok'> & { readonly status: 'applied' | 'rejected' | 'failed' };

/** The login to the platform. `callback`: the address below this page to which a login can come back. */
export type LoginReport = {
  readonly loggedIn: boolean;
  readonly as?: string | undefined;
  readonly secondsLeft?: number | undefined;
  readonly last?: LoginAttempt | undefined;
  readonly redirect: string;
  readonly callback?: string | undefined;
};

/** A login that was begun. `oneTap`: it comes back to the page itself. */
export type LoginBegun = { readonly address: string; readonly redirect: string; readonly oneTap: boolean; readonly seconds: number };

export type GetAnswers = {
  'api/accounts': AccountsAnswer;
  'api/session': SessionReport;
  'api/state': WholeState | StateSince;
  'api/changes': { readonly changed_at: Readonly<Record<string, number>> };
  'api/history': TopicHistory;
  'api/faults': { readonly faults: readonly DeviceFaultLog[] };
  'api/performance': PerformanceAnswer;
  /** What was used before the bridge counted. */
  'api/past': { readonly past: readonly PastSeries[]; readonly import: ImportState };
  'api/change-history': { readonly changes: readonly ChangeEntry[]; readonly more: boolean; readonly undo: readonly BroughtBack[] };
  'api/calls': CallReport;
  'api/settings': SettingsReport;
  'api/setup': SetupReport;
  'api/platform/login': LoginReport;
  'api/code': { readonly minutes: number };
  /** `hub`: Home Assistant tells of new versions of its app. */
  'api/release': { readonly version: string; readonly asks: 'on' | 'off' | 'hub'; readonly newer?: Release | undefined };
};

export type PostAnswers = {
  'api/accounts/login': LoginBegun;
  'api/accounts/login/finish': LoginAttempt;
  'api/accounts/link': LoginLink;
  'api/broker/test': Outcome;
  'api/platform/login': LoginBegun;
  'api/platform/login/finish': LoginAttempt;
  'api/devices/find': { readonly devices: readonly AccountDevice[] };
  'api/past/import': Outcome;
  'api/past/clear': Outcome;
  'api/check': { readonly lines: readonly CheckLine[] };
  'api/settings': SettingsWritten;
  /** The last answer where it came at once. */
  'api/write': Answer | { readonly id?: Answer['id']; readonly status?: undefined };
};
