import type { Issue } from '../shared/issue.ts';
import { bridgeTopic, deviceTopic, featureTopic } from './topicNames.ts';

/** The write statuses, with text for docs/errors.md. `accepted` and `waiting` precede a final one. */
export const STATUSES = {
  accepted: 'not final: the platform accepted the write',
  waiting: 'not final: kept until the other values of its command are written too; `message` names them',
  applied: 'the platform shows it (if the effect cannot be predicted, as with `resetSchedule`: the platform accepted it)',
  unchanged: 'this is already set; nothing was sent',
  unconfirmed: 'it was sent, but the platform did not show it in time, or the bridge was stopped before it could check',
  superseded: 'a later write replaced some of it before it was sent, or cancelled it; `kept` names the days that were still sent',
  rejected: 'not sent; `code` and `errors` say why and what is allowed',
  failed: 'the platform refused it or could not be reached; `code` and `message` say why',
  valid: 'a check on `validate` found no mistake',
} as const satisfies Readonly<Record<string, string>>;

export type Status = keyof typeof STATUSES;

export const isStatus = (word: unknown): word is Status => typeof word === 'string' && Object.hasOwn(STATUSES, word);

/** The `code` of a `rejected` answer, with its text for docs/errors.md. */
export const REFUSALS = {
  empty: 'an empty payload is not a command',
  retained: 'the message was retained: publish it without the retain flag',
  invalid: '`errors` lists each broken rule with its place',
  unknown_device: 'the settings have no such device',
  unknown_feature: 'the device has no such feature, or the settings exclude it',
  unknown_command: 'the feature has no such command; the answer lists its commands',
  unknown_topic: 'this topic takes no commands; the answer names those that do',
  not_writable: 'nothing can be written on this topic; the answer names the commands',
  forbidden: 'a setting forbids it (`commands.allow`, `commands.deny`)',
  conflict:
    'the record has another `rev` than `if_rev`: read it again; or the values that an undo or the end of a temporary write would restore were changed elsewhere',
  not_reversible: 'no command can restore what this would replace, so it cannot be temporary',
  end_not_kept: 'the end of this temporary write cannot be stored, so the write would be permanent',
  no_end: 'this feature has no temporary write in force',
  incomplete:
    'the command needs more values than are known, or the values that it waited for did not arrive within a day; the answer names them (of a week: send all seven days)',
  not_executable: 'the device does not accept this command now',
  too_often:
    'more commands in an hour than `commands.per_hour`, a second poll of the same within a minute, or a second restart of a gateway within ten',
  unreadable: 'the platform currently refuses every read of it, or there is no device; the log says why',
  no_quota: 'no call is left for this at the moment (see `bridge/quota`)',
} as const satisfies Readonly<Record<string, string>>;

export type RefusalCode = keyof typeof REFUSALS;

/** An answer to a message (docs/errors.md). */
export type Answer = {
  readonly id?: string | number | undefined;
  /** The device's name in topics; absent if the message named no known device. */
  readonly device?: string | undefined;
  readonly feature?: string | undefined;
  /** The topic that was written to. */
  readonly topic: string;
  readonly command?: string | undefined;
  /** For a climate or water heater: the written feature. */
  readonly through?: string;
  readonly status: Status;
  readonly code?: string | undefined;
  /** One sentence: what happened, and for a refusal the allowed values. */
  readonly message?: string | undefined;
  readonly errors?: readonly Issue[] | undefined;
  readonly rev?: string | undefined;
  /** When a temporary write ends, or a waiting one (RFC 3339). */
  readonly until?: string | undefined;
  /** The days of the week that the write changed. */
  readonly changed?: readonly string[] | undefined;
  /** For a `superseded` write: the days that were sent. */
  readonly kept?: readonly string[];
  readonly week?: unknown;
  /** The week as text. */
  readonly text?: string | undefined;
  /** The written temperature before it was rounded to a step; by property if several were written. */
  readonly rounded_from?: number | Readonly<Record<string, number>>;
  /** What the platform shows instead of the written value. */
  readonly adapted?: unknown;
  readonly errorType?: string | undefined;
  readonly reason?: string | undefined;
  readonly viErrorId?: string | undefined;
  /** RFC 3339. */
  readonly at: string;
};

/** `result` of the feature and of the device, or `bridge/result` for an unknown device. */
export const resultTopics = (base: string, { device, feature }: Pick<Answer, 'device' | 'feature'>, known: boolean): string[] => {
  if (!known || device === undefined) return [bridgeTopic(base, 'result')];
  const all = deviceTopic(base, device, 'result');
  return feature === undefined ? [all] : [featureTopic(base, device, feature, 'result'), all];
};
