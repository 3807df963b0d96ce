import { DAYS, type Day, readWeek, type Week } from '../../schedule/week.ts';
import type { Issue } from '../../shared/issue.ts';
import { isRecord, parseJson } from '../../shared/json.ts';
import { isStatus, type Status } from '../../topics/resultPayload.ts';
import { printable, wrapText } from '../terminalText.ts';

/** An answer of the bridge (CONTRACT §4), as far as a person at a terminal needs it. */
export type Heard = {
  readonly id: string;
  readonly status: Status;
  readonly code?: string;
  readonly message?: string;
  readonly errors: readonly Pick<Issue, 'path' | 'message' | 'nearest'>[];
  readonly changed: readonly Day[];
  readonly kept: readonly Day[];
  readonly week?: Week;
  readonly adapted?: Week;
  /** The platform's own words: errorType, reason, viErrorId. */
  readonly platform: readonly string[];
  /** Everything, as it came. */
  readonly whole: Readonly<Record<string, unknown>>;
};

/** The answer in a payload; undefined where it is none with an id. */
export const readAnswer = (payload: string): Heard | undefined => {
  const json = parseJson(payload);
  if (!json.ok || !isRecord(json.value)) return undefined;
  const whole: Readonly<Record<string, unknown>> = json.value;
  const { id, status, code, message, errors, changed, kept, week, adapted } = whole;
  if (typeof id !== 'string' || !isStatus(status)) return undefined;
  const [read, shown] = [readWeek(week), readWeek(adapted)];
  return {
    id,
    status,
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof message === 'string' ? { message } : {}),
    errors: (Array.isArray(errors) ? errors : []).flatMap(readIssue),
    changed: daysOf(changed),
    kept: daysOf(kept),
    ...(read.ok ? { week: read.value } : {}),
    ...(shown.ok ? { adapted: shown.value } : {}),
    platform: [whole.errorType, whole.reason, whole.viErrorId].filter((word) => typeof word === 'string'),
    whole,
  };
};

const readIssue = (raw: unknown): readonly Heard['errors'][number][] => {
  if (!isRecord(raw) || typeof raw.path !== 'string' || typeof raw.message !== 'string') return [];
  return [{ path: raw.path, message: raw.message, ...(Array.isArray(raw.nearest) ? { nearest: raw.nearest } : {}) }];
};

const daysOf = (value: unknown): readonly Day[] => DAYS.filter((day) => Array.isArray(value) && value.includes(day));

/** True where the week is now, or would be, as it was asked for. */
export const isGood = ({ status }: Pick<Heard, 'status'>): boolean => status === 'applied' || status === 'unchanged' || status === 'valid';

const SENTENCES: Readonly<Record<Status, string>> = {
  accepted: 'the platform said yes',
  applied: 'the device has it',
  unchanged: 'it is so already; nothing was sent',
  unconfirmed: 'the platform said yes, but did not show it yet; schedule show tells later',
  superseded: 'another write came in between and overwrote it',
  rejected: 'nothing was sent',
  failed: 'the platform refused it or was not reached',
  valid: 'it can be written like this; nothing was sent',
};

/** The answer for people, as lines of at most 80 columns; places are those in the week as it was given. */
export const answerLines = (heard: Heard, placeOf: (path: string) => string): readonly string[] => {
  const { status, code, message, errors, kept, platform, whole } = heard;
  const words = errors.length > 0 ? undefined : message;
  const kind = code === undefined || code === 'invalid' ? status : `${status} (${code})`;
  return [
    ...wrapText(printable(`${kind}: ${words ?? SENTENCES[status]}${/[.!?]$/u.test(words ?? '') ? '' : '.'}`)),
    ...(kept.length > 0 ? wrapText(`Of it was sent: ${kept.join(', ')}.`, '  ') : []),
    ...(typeof whole.until === 'string' ? wrapText(printable(`It ends by itself at ${whole.until}.`), '  ') : []),
    ...issueLines(errors, placeOf),
    ...(platform.length > 0 ? wrapText(printable(`The platform says: ${platform.join(', ')}.`), '  ') : []),
  ];
};

/** Broken rules, each with its place and what would be right. */
export const issueLines = (issues: Heard['errors'], placeOf: (path: string) => string): readonly string[] =>
  issues.flatMap(({ path, message, nearest = [] }) => {
    const place = placeOf(path);
    const near =
      nearest.length > 0 ? `; nearest: ${nearest.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(', ')}` : '';
    return wrapText(printable(`${place === '' ? '' : `${place}: `}${message}${near}`), '  ');
  });
