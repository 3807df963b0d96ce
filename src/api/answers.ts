import type { PastSeries } from '../features/energy/pastFiles.ts';
import type { DayRow, Prices } from '../features/performance/dayRow.ts';
import type { Pace } from '../language/answers/pace.ts';
import type { Issue } from '../shared/issue.ts';
import type { Answer, Status } from '../topics/resultPayload.ts';
import type { AccountsAnswer, LoginLink } from './accounts.ts';

// The answers of the page's server (docs/web-access.md), for the server and the page.

/** `none`: the page needs no login; `needed`: login missing in this request; `done`: logged in. */
export type LoginState = 'none' | 'needed' | 'done';

export type SessionReport = {
  /** `code`: a setup that first requires the code from the log. */
  readonly mode: 'run' | 'setup' | 'code';
  readonly login: LoginState;
  /** True if Home Assistant embeds the page and has done the login. */
  readonly ingress: boolean;
  /** The user name from Home Assistant. */
  readonly user?: string | undefined;
  /** Further accounts exist, beside the main account or without one. Sent only after login. */
  readonly accounts?: 'beside' | 'only' | undefined;
};

/** A line of the log. */
export type LogLine = { readonly at: string; readonly level: string; readonly message: string };

type Followed = {
  /** The revision of the state, for queries of later changes. */
  readonly rev: number;
  /** The last answers to commands, from any client. */
  readonly results: readonly Answer[];
  readonly log: readonly LogLine[];
  /** The ids of the last page commands that the bridge has accepted. */
  readonly taken: readonly Answer['id'][];
};

/** A release of this program; its notes are plain text. */
export type Release = { readonly version: string; readonly notes: string; readonly address: string };

/** The content of all retained topics. */
export type WholeState = Followed & {
  readonly base: string;
  readonly version: string;
  /** A newer available version, if the version check is enabled. */
  readonly newer?: string | undefined;
  /** The machine of the bridge: operating system and Node version. */
  readonly platform: string;
  readonly topics: Readonly<Record<string, string>>;
};

/** The changes since a revision; null for a cleared topic. */
export type StateSince = Followed & { readonly changed: Readonly<Record<string, string | null>> };

/** Keep-alive interval: proxies keep the stream open, and the page detects a dead connection. */
export const ALIVE_MS = 20_000;

/** The events of `api/stream`. */
export type StreamEvents = {
  readonly hello: { readonly rev: number };
  readonly topic: { readonly rev: number; readonly topic: string; readonly payload: string | null };
  readonly result: { readonly rev: number; readonly answer: Answer };
  readonly log: { readonly rev: number } & LogLine;
  /** Previously known data is invalid. */
  readonly reset: Readonly<Record<string, never>>;
  /** Every `ALIVE_MS`. */
  readonly alive: Readonly<Record<string, never>>;
};

/** The value of a topic from an instant on (epoch ms): a number, a mode, or null. */
export type HistoryPoint = readonly [at: number, value: number | string | null];

/** Values are kept for `kept` days. */
export type TopicHistory = {
  readonly topic: string;
  readonly kept: number;
  readonly since: number;
  readonly now: number;
  readonly points: readonly HistoryPoint[];
};

/** A change made by the bridge. */
export type ChangeEntry = {
  readonly key: number;
  readonly at: string;
  readonly device: string;
  readonly feature: string;
  readonly topic: string;
  readonly command: string;
  readonly by: { readonly kind: 'mqtt' | 'page' | 'end' | 'season' | 'calendar' | 'price'; readonly user?: string | undefined };
  /** Values by property; for a week by property and day. Absent if unknown. */
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
  readonly until?: string;
  readonly status: Status;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  /** The command that undoes the change, or the reason why there is none. */
  readonly undo: { readonly topic: string; readonly payload: string } | { readonly why: string };
};

/** A value that the undo of a schedule restores. `isForeign`: since changed elsewhere, so undo fails. */
export type BroughtBack = {
  readonly property: string;
  readonly day?: string | undefined;
  readonly value: unknown;
  readonly isForeign: boolean;
};

/** A fault or another message of a heating; instants in epoch ms. */
export type FaultEntry = {
  readonly code: string;
  /** `fault`, `warning`, `service`, `info`, `status`, `connection` or `other`. */
  readonly kind: string;
  /** The platform's text, in English. */
  readonly text?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** The time on the heating's own clock, unparsed. */
  readonly clock?: string | undefined;
};

/** Messages of a device in the last year, newest first. `tells`: it has reported a fault, or none. */
export type DeviceFaultLog = { readonly device: string; readonly tells: boolean; readonly faults: readonly FaultEntry[] };

/** Operation of a device: completed days, oldest first; `open`: today. `prices`: current settings. */
type PerformanceAnswer = { readonly rows: readonly DayRow[]; readonly open?: DayRow; readonly prices: Prices };
/** Import of past data into Home Assistant: `off`: not enabled in the app; `none`: not an app. */
export type ImportState = 'on' | 'off' | 'none';

type Windows = { readonly per_10_minutes: number; readonly per_day: number };

export type CallReport = {
  readonly used: Windows;
  readonly left: Windows;
  readonly reset_at?: string;
  readonly poll_seconds: number;
  readonly pace: Pace;
  /** The calls of the last 24 hours, by purpose. */
  readonly causes: Readonly<Record<string, number>>;
};

/** A setting with the layer that sets it. A secret has no `value`. */
export type SettingRow = {
  readonly path: string;
  readonly value?: unknown;
  readonly default: unknown;
  readonly origin: { readonly kind: 'default' | 'app' | 'page' | 'file' | 'options' | 'environment'; readonly where: string };
  /** The value in the settings file that the page overrides. A secret has no value here either. */
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
  /** A valid value, or how the default is determined. */
  readonly hint?: string;
};

/** Why the bridge did not start with the last change. */
type StartProblem = { readonly problem?: string | undefined; readonly problemCode?: string | undefined };

export type SettingsReport = StartProblem & {
  /** True until the bridge has started with the last change, or the change was reverted. */
  readonly busy: boolean;
  /** The file that stores changes. */
  readonly file: string;
  readonly settings: readonly SettingRow[];
};

/** The answer to a written settings change. `overruled`: values of the settings file without effect. */
export type SettingsWritten = {
  readonly file: string;
  readonly overruled: readonly { readonly path: string; readonly where: string }[];
};

export type SetupReport = StartProblem & {
  readonly needsPassword: boolean;
  /** The settings that are still missing. */
  readonly missing: readonly string[];
  /** The file content to be written, without secrets. */
  readonly text: string;
};

/** An error in a setting, shown at its field. */
export type ShownMistake = {
  readonly path: string;
  readonly rule: string;
  readonly message: string;
  readonly where: string;
  readonly nearest?: readonly string[] | undefined;
  readonly allowed?: string | undefined;
  /** The week rule that a profile breaks, with its facts. */
  readonly issue?: Issue | undefined;
};

/** The facts for a sentence. */
export type Facts = Readonly<Record<string, unknown>>;

/** The result of a test: a sentence, and a code with facts so that the page can translate it. */
export type Outcome = { readonly ok: boolean; readonly message: string; readonly code?: string; readonly facts?: Facts | undefined };

/** One test of `heating2mqtt check`. `note`: a failure that ends by itself. */
export type CheckLine = Outcome & {
  readonly name: string;
  readonly note: boolean;
  /** `name` is the name of a further account. */
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

/** The login to the platform. `callback`: the redirect address below this page. */
export type LoginReport = {
  readonly loggedIn: boolean;
  readonly as?: string | undefined;
  readonly secondsLeft?: number | undefined;
  readonly last?: LoginAttempt | undefined;
  readonly redirect: string;
  readonly callback?: string | undefined;
};

/** A started login. `oneTap`: it redirects back to the page by itself. */
export type LoginBegun = { readonly address: string; readonly redirect: string; readonly oneTap: boolean; readonly seconds: number };

export type GetAnswers = {
  'api/accounts': AccountsAnswer;
  'api/session': SessionReport;
  'api/state': WholeState | StateSince;
  'api/changes': { readonly changed_at: Readonly<Record<string, number>> };
  'api/history': TopicHistory;
  'api/faults': { readonly faults: readonly DeviceFaultLog[] };
  'api/performance': PerformanceAnswer;
  /** The consumption before the bridge began to count. */
  'api/past': { readonly past: readonly PastSeries[]; readonly import: ImportState };
  'api/change-history': { readonly changes: readonly ChangeEntry[]; readonly more: boolean; readonly undo: readonly BroughtBack[] };
  'api/calls': CallReport;
  'api/settings': SettingsReport;
  'api/setup': SetupReport;
  'api/platform/login': LoginReport;
  'api/code': { readonly minutes: number };
  /** `hub`: Home Assistant reports new versions of its app. */
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
  /** The last answer if it came at once. */
  'api/write': Answer | { readonly id?: Answer['id']; readonly status?: undefined };
};
