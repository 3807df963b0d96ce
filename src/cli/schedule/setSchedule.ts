import { randomUUID } from 'node:crypto';
import type { Guest } from '../../mqtt/requestClient.ts';
import type { Week } from '../../schedule/week.ts';
import { CodedError } from '../../shared/errors.ts';
import type { Issue } from '../../shared/issue.ts';
import { readText } from '../../topics/commandPayload.ts';
import { bridgeTopic, featureTopic } from '../../topics/topicNames.ts';
import type { Io } from '../io.ts';
import { printable, wrapText } from '../terminalText.ts';
import { answerLines, type Heard, isGood, issueLines, readAnswer } from './answer.ts';
import { differenceLines } from './difference.ts';
import type { Wanted } from './requestedWeek.ts';
import type { Found } from './retainedSchedules.ts';

/** The bridge is not there, or did not answer in time. */
export class NoAnswer extends CodedError<'bridge_offline' | 'no_answer'> {}

/** How a write is done and shown. */
export type SetOptions = {
  readonly base: string;
  readonly dryRun: boolean;
  readonly json: boolean;
  readonly timeoutMs: number;
  readonly maxPayload: number;
  readonly colour: boolean;
};

type Show = Pick<Io, 'out' | 'err'>;

/**
 * Asks the bridge to check the week, shows what would change, and unless it is a dry run has it written and waits for the answer. Gives the
 * exit code: 0 where the week is as it was asked for. Throws NoAnswer or a GuestError.
 */
export const setSchedule = async (guest: Guest, found: Found, wanted: Wanted, options: SetOptions, io: Show): Promise<number> => {
  const { base, dryRun, json, colour } = options;
  const payload = JSON.stringify({ ...wanted.envelope, id: randomUUID(), value: wanted.value });
  const fits = readText(Buffer.from(payload), options.maxPayload);
  if (!fits.ok) return refuse(fits.issues, wanted.placeOf, options, io);
  const out = json ? () => undefined : (lines: readonly string[]) => lines.forEach((line) => void io.out(line));
  const end = (heard: Heard): number => {
    if (json) io.out(JSON.stringify(heard.whole));
    else out(answerLines(heard, wanted.placeOf));
    return isGood(heard) ? 0 : 1;
  };
  await guest.subscribe([`${base}/+/result`]);
  out([printable(`${found.device} ${found.feature}`)]);
  const checked = await ask(guest, found, 'validate', wanted, options, io);
  if (!isGood(checked)) return end(checked);
  out(changeLines(found.week, checked.week, colour));
  if (dryRun) return end(checked);
  const answer = await ask(guest, found, 'set', wanted, options, io);
  if (answer.adapted && checked.week) {
    const made = differenceLines(checked.week, answer.adapted, colour);
    out(made.length > 0 ? ['The platform made something else of it:', ...made] : []);
  }
  return end(answer);
};

/** Says what is wrong in a week that was not even sent; the exit code 1. */
export const refuse = (
  issues: readonly Issue[],
  placeOf: (path: string) => string,
  { json }: Pick<SetOptions, 'json'>,
  io: Pick<Io, 'out'>,
): 1 => {
  if (json) io.out(JSON.stringify({ status: 'rejected', code: 'invalid', errors: issues }));
  else for (const line of ['rejected: nothing was sent.', ...issueLines(issues, placeOf)]) io.out(line);
  return 1;
};

const changeLines = (before: Week, after: Week | undefined, colour: boolean): readonly string[] => {
  if (!after) return [];
  const lines = differenceLines(before, after, colour);
  return lines.length > 0 ? lines : ['Nothing changes.'];
};

type Answered = { readonly kind: 'answer'; readonly heard: Heard } | { readonly kind: 'offline' };

/** Publishes on a topic of the schedule and waits for the one terminal answer. */
const ask = async (guest: Guest, found: Found, leaf: 'set' | 'validate', wanted: Wanted, options: SetOptions, io: Show): Promise<Heard> => {
  const { base, timeoutMs } = options;
  const id = randomUUID();
  const state = bridgeTopic(base, 'state');
  let isAccepted = false;
  const find = (topic: string, said: string): Answered | undefined => {
    if (topic === state) return said === 'offline' ? { kind: 'offline' } : undefined;
    const heard = topic.endsWith('/result') ? readAnswer(said) : undefined;
    if (heard?.id !== id) return undefined;
    if (heard.status !== 'accepted') return { kind: 'answer', heard };
    if (!isAccepted) io.err('The platform said yes; waiting until the device shows it.');
    isAccepted = true;
    return undefined;
  };
  const topic = featureTopic(base, found.device, found.feature, leaf);
  const payload = JSON.stringify({ ...wanted.envelope, id, value: wanted.value });
  const answered = await guest.ask({ topic, payload }, find, timeoutMs);
  if (answered?.kind === 'answer') return answered.heard;
  const what = isAccepted
    ? 'The platform had said yes; `heating2mqtt schedule show` tells what became of it'
    : 'Whether it was sent is not known: look with `heating2mqtt schedule show` before you write again';
  const later = leaf === 'validate' ? 'Nothing was sent' : what;
  if (answered) throw new NoAnswer('bridge_offline', `The bridge went offline before it answered. ${later}.`);
  throw new NoAnswer('no_answer', `The bridge did not answer within ${timeoutMs / 1000} s. ${later}.`);
};

/** Throws NoAnswer where the bridge cannot take anything now: what is sent then is lost. */
export const needOnline = (isOnline: boolean, base: string): void => {
  if (isOnline) return;
  throw new NoAnswer(
    'bridge_offline',
    wrapText(
      `The bridge is offline (${bridgeTopic(base, 'state')} says so), so nothing was sent. Start it with \`heating2mqtt run\`.`,
    ).join('\n'),
  );
};
