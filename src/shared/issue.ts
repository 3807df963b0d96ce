/** One broken rule in a payload, a setting or an argument: place, rule, and allowed values. */
export type Issue = {
  /** JSON pointer into the payload (`/mon/1/end`), `line:column` for text, or a settings key. */
  readonly path: string;
  /** Machine-readable name of the rule, e.g. `resolution`. */
  readonly rule: string;
  /** One sentence: what is wrong and what is allowed. */
  readonly message: string;
  readonly got?: unknown;
  /** The allowed values, if they can be listed. */
  readonly allowed?: unknown;
  /** The nearest allowed values. */
  readonly nearest?: readonly unknown[];
};

/** The result of a check: the parsed value, or every broken rule. */
export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly issues: readonly Issue[] };

export const good = <T>(value: T): Checked<T> => ({ ok: true, value });
export const bad = (...issues: readonly Issue[]): Checked<never> => ({ ok: false, issues });

/** Converts an offset to `line:column`, both from 1. The lines are indexed once. */
export const lineColumns = (text: string): ((offset: number) => string) => {
  const starts = [0];
  for (const { index, 0: lineBreak } of text.matchAll(/\r\n|\r|\n/gu)) starts.push(index + lineBreak.length);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return `${low + 1}:${offset - (starts[low] ?? 0) + 1}`;
  };
};

/** A readable place: `column 5`, or `line 2, column 5` in multi-line text. JSON pointers stay. */
export const placeText = (path: string): string =>
  path.replace(/(\d+):(\d+)$/u, (_, line, column) => `${line === '1' ? '' : `line ${line}, `}column ${column}`);

/** The nearest valid values as text, except a value that already ends the message. */
export const untold = (nearest: readonly unknown[], message: string): readonly string[] =>
  nearest.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).filter((one) => !message.endsWith(`: ${one}`));

/** A JSON pointer (RFC 6901) from these keys. */
export const pointer = (...keys: readonly (string | number)[]): string =>
  keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Every rule for payloads, with its text for docs/errors.md. Issue.rule is one of these keys. */
export const RULES = {
  size: 'A payload has at most `mqtt.max_payload` bytes.',
  utf8: 'A payload is UTF-8 text; `path` is `line:column`.',
  json: 'The payload is JSON; `path` is `line:column`.',
  text: 'A week is JSON, or a text such as `mon-fri 06:00-22:00 normal; sat-sun none`; `path` is `line:column`.',
  truncated: 'A text with `…` was shortened by a hub; send the complete text.',
  twice: 'A key occurs once in its object, a day once in a text.',
  more: 'More rules are broken than an answer lists.',
  type: 'The value has the required type.',
  required: 'A required value is present.',
  unknown: 'Only parameters of the command are sent.',
  min: 'A number is not below the minimum.',
  max: 'A number is not above the maximum.',
  stepping: 'A number is the minimum plus a whole number of steps.',
  enum: 'The value is one of those that the command lists.',
  minLength: 'A text has at least the minimum number of characters.',
  maxLength: 'A text has at most the maximum number of characters.',
  regEx: 'A text matches the pattern of the command.',
  date: 'A date exists in the calendar, and an end is not before its start (nor on the same day, if the command says so).',
  empty: 'A week names at least one day; a day without entries is `[]`, in text `none`.',
  unknown_day:
    'Days are `mon`, `tue`, `wed`, `thu`, `fri`, `sat`, `sun`; in text also longer words, German ones, `weekdays`, `weekend`, `daily`.',
  unknown_key: 'An entry has only `start`, `end`, `mode` and `position`; an envelope only `value`, `id`, `if_rev`, `until` and `for`.',
  time: 'A time is `HH:MM` from `00:00` to `23:59`; `24:00` only as an end.',
  order: 'An entry ends after it starts.',
  midnight: 'An entry stays within its day; over midnight, write two entries.',
  position: 'A position is a whole number from 0, used once in its day.',
  maxEntries: 'A day has at most the maximum number of entries.',
  resolution: 'Start and end are multiples of the resolution (minutes).',
  mode: 'The mode is one of those that the schedule lists.',
  default_mode: 'The default mode applies between entries; no entry has it.',
  until: 'An end is RFC 3339, local time such as `2027-01-03 12:00`, `2027-01-03` or `22:00`, or `next`.',
  for: 'A duration is written like `90m`, `2h`, `1h30m`, `2d` or `PT90M`.',
  past: 'An end is in the future.',
  far: 'An end is at most a year ahead.',
  no_week: 'The end `next` needs a schedule that controls the value, and its week.',
  not_followed: 'The end `next` needs a schedule that the heating follows now; in standby it follows none.',
  no_change: 'The end `next` needs a week whose mode changes.',
  two_ends: 'A write has only one end: `until` or `for`.',
  profile: 'A profile is one of those in `schedules.profiles`, or `custom`.',
  overlap: 'Entries of a day do not overlap unless the schedule allows it; touching is allowed.',
} as const satisfies Readonly<Record<string, string>>;

export type Rule = keyof typeof RULES;

/** An Issue; `got` is shortened, and an empty `nearest` is left out. */
export const broken = (rule: Rule, path: string, message: string, facts: Pick<Issue, 'got' | 'allowed' | 'nearest'> = {}): Issue => ({
  path,
  rule,
  message,
  ...(facts.got === undefined ? {} : { got: short(facts.got) }),
  ...(facts.allowed === undefined ? {} : { allowed: facts.allowed }),
  ...(facts.nearest && facts.nearest.length > 0 ? { nearest: facts.nearest } : {}),
});

const short = (got: unknown): unknown => (typeof got === 'string' || (typeof got === 'object' && got !== null) ? shown(got) : got);

// Longer than any name or mode seen.
const LONGEST_SHOWN = 60;

/** A value for a message: a shortened text without quotes; `a list`, `an object`. */
export const shown = (value: unknown): string => {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = value === undefined ? 'nothing' : String(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)} (and ${text.length - LONGEST_SHOWN} characters more)` : text;
};

/** Enough for a week with nothing right; 64 KiB of garbage can break 40,000 rules. */
export const MOST_ISSUES = 100;

/** All issues, or the first MOST_ISSUES and one that counts the rest. */
export const listed = (issues: readonly Issue[]): readonly Issue[] => {
  const left = issues.length - MOST_ISSUES;
  return left > 0
    ? [...issues.slice(0, MOST_ISSUES), broken('more', '', `${left} more rules are broken; only the first ${MOST_ISSUES} are listed`)]
    : issues;
};
