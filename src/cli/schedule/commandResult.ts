import * as z from 'zod/mini';
import { readWeek } from '../../schedule/readWeek.ts';
import { DAYS } from '../../schedule/week.ts';
import { printInstant, readInstant } from '../../schedule/zone.ts';
import { placeText, untold } from '../../shared/issue.ts';
import { jsonObject } from '../../shared/json.ts';
import { printable } from '../../shared/log.ts';
import { isStatus, type Status } from '../../topics/resultPayload.ts';
import { wrapText } from '../terminal/terminalText.ts';

const TEXT = z.catch(z.optional(z.string()), undefined);
const ISSUE = z.object({ path: z.string(), message: z.string(), nearest: z.catch(z.optional(z.array(z.unknown())), undefined) });
const WEEK = z.pipe(
  z.optional(z.unknown()),
  z.transform((value) => {
    const week = readWeek(value);
    return week.ok ? week.value : undefined;
  }),
);

/** The fields of a command result (`topics/resultPayload.ts`) that the terminal shows. */
const RESULT = z.object({
  id: z.string(),
  status: z.custom<Status>(isStatus),
  code: TEXT,
  message: TEXT,
  until: TEXT,
  errors: z.catch(z.array(ISSUE), []),
  kept: z.catch(z.array(z.string()), []),
  week: WEEK,
  adapted: WEEK,
  errorType: TEXT,
  reason: TEXT,
  viErrorId: TEXT,
});

export type CommandResult = z.infer<typeof RESULT>;

/** The result in a payload; undefined without an id or a known status. */
export const readCommandResult = (payload: string): CommandResult | undefined => RESULT.safeParse(jsonObject(payload)).data;

/** True if the week is, or would be, as requested. */
export const isSuccess = ({ status }: Pick<CommandResult, 'status'>): boolean =>
  status === 'applied' || status === 'unchanged' || status === 'valid';

const SENTENCES: Readonly<Record<Status, string>> = {
  accepted: 'the platform accepted it',
  waiting: 'it is sent once the other values are written',
  applied: 'the device shows it',
  unchanged: 'the device already has this; nothing was sent',
  unconfirmed: 'the platform accepted it, but does not show it yet; try schedule show later',
  superseded: 'another write replaced it',
  rejected: 'nothing was sent',
  failed: 'the platform refused it or could not be reached',
  valid: 'the week is valid; nothing was sent',
};

/**
 * The result as lines of at most 80 columns. `placeOf` maps an issue path to the place in the user's input;
 * `zone` is the time zone of the schedule, if known, for the end time.
 */
export const resultLines = (result: CommandResult, placeOf: (path: string) => string, zone: string | undefined): readonly string[] => {
  const { status, code, message, errors, until, errorType, reason, viErrorId } = result;
  const endMs = zone === undefined ? undefined : readInstant(until ?? '', zone);
  const end = zone === undefined || endMs === undefined ? until : printInstant(endMs, zone);
  const text = errors.length > 0 ? undefined : message;
  const kind = code === undefined || code === 'invalid' ? status : `${status} (${code})`;
  const kept = DAYS.filter((day) => result.kept.includes(day));
  const ofPlatform = [errorType, reason, viErrorId].filter((word) => word !== undefined);
  return [
    ...wrapText(printable(`${kind}: ${text ?? SENTENCES[status]}${/[.!?]$/u.test(text ?? '') ? '' : '.'}`)),
    ...(kept.length > 0 ? wrapText(`These days were sent: ${kept.join(', ')}.`, '  ') : []),
    ...(end === undefined ? [] : wrapText(printable(`It ends by itself at ${end}.`), '  ')),
    ...issueLines(errors, placeOf),
    ...(ofPlatform.length > 0 ? wrapText(printable(`The platform says: ${ofPlatform.join(', ')}.`), '  ') : []),
  ];
};

type ShownIssue = { readonly path: string; readonly message: string; readonly nearest?: readonly unknown[] | undefined };

/** Broken rules, each with its place and the nearest valid values. */
export const issueLines = (issues: readonly ShownIssue[], placeOf: (path: string) => string): readonly string[] =>
  issues.flatMap(({ path, message, nearest = [] }) => {
    const place = placeText(placeOf(path));
    const values = untold(nearest, message);
    const near = values.length > 0 ? `; nearest: ${values.join(', ')}` : '';
    return wrapText(printable(`${place === '' ? '' : `${place}: `}${message}${near}`), '  ');
  });
