import type { Feature, Json } from '../../../features/feature.ts';
import type { AnswerFacts } from '../../../language/answers/answersDe.ts';
import { readWeek } from '../../../schedule/readWeek.ts';
import { printWeek } from '../../../schedule/text/weekText.ts';
import type { Day } from '../../../schedule/week.ts';
import { schedulePropertyOf } from '../../../topics/featureState.ts';
import type { RefusalCode } from '../../../topics/resultPayload.ts';
import type { CallFailure } from '../../ports.ts';
import type { Quota } from '../../state/readTarget.ts';
import type { CommandResult } from '../request/commandRequest.ts';
import type { Refusal } from '../request/rejection.ts';

export const rejected = (code: RefusalCode, message: string, facts?: AnswerFacts): CommandResult & Refusal => ({
  status: 'rejected',
  code,
  message,
  facts,
});

const notSent = (code: string, why: string): CommandResult => ({ status: 'failed', code, message: `not sent: ${why}` });

/** The result of a write that was not sent because the bridge is being stopped. */
export const STOPPING = notSent('stopping', 'the bridge is being stopped');

/** The result of a sent write without an answer when the bridge was stopped. */
export const SENT_AND_STOPPING: CommandResult = {
  status: 'unconfirmed',
  code: 'stopping',
  message: 'sent, but the bridge was stopped before the platform answered; the bridge checks the result at its next start',
};

/** The result while the platform refuses every call. */
export const NO_CALL = notSent('rate_limited', 'the platform accepts no calls now (see bridge/quota)');

/** The result where no call is left for a while. */
export const NO_QUOTA = notSent('no_quota', 'no call is left, and none becomes free within ten minutes (see bridge/quota)');

/** The result where no command may go out now; undefined where one may. */
export const noCall = (quota: Pick<Quota, 'pausedForMs' | 'mayCommand'>): CommandResult | undefined => {
  if (quota.pausedForMs() > 0) return NO_CALL;
  return quota.mayCommand() ? undefined : NO_QUOTA;
};

/** The result of a temporary write whose end cannot be kept on disk. */
export const END_NOT_KEPT = rejected(
  'end_not_kept',
  'not sent: the end of this write cannot be stored (see the log), so the change would be permanent; send it without until and for',
);

export const FAULT: CommandResult = {
  status: 'failed',
  code: 'internal',
  message: 'internal error while handling this message; please report it',
};

/** The result of a failed call, with the platform's own words. */
export const failed = ({ code, message, errorType, reason, viErrorId }: CallFailure): CommandResult => {
  return { status: 'failed', code, message, errorType, reason, viErrorId };
};

/** The result of a valid dry run: the week to be sent, also as text, and the days that would change. */
export const valid = (
  feature: Feature,
  { args = {}, changed = [] }: { readonly args?: Readonly<Record<string, Json>>; readonly changed?: readonly Day[] } = {},
): CommandResult => {
  const week = Object.values(args)[0] ?? feature.properties.get(schedulePropertyOf(feature) ?? '')?.value;
  const read = readWeek(week);
  return read.ok ? { status: 'valid', week: read.value, text: printWeek(read.value), changed } : { status: 'valid', changed };
};

/** The result of a write that a later one has overwritten, except for these days. */
export const superseded = (kept: readonly Day[] = []): CommandResult => ({
  status: 'superseded',
  message:
    kept.length > 0
      ? `a later write replaced the other days before this was sent; ${kept.join(', ')} ${kept.length > 1 ? 'were' : 'was'} sent`
      : 'a later write replaced all of this before it was sent',
  kept,
  facts: { about: 'superseded', kept },
});

/** The result of a command whose outcome an earlier run did not know, and that no read shows. */
export const UNKNOWN: CommandResult = {
  status: 'unconfirmed',
  code: 'interrupted',
  message: 'the bridge was interrupted while sending this, and no read has shown the change; it is not sent again',
};

/** The result of a command that waited for its turn when the bridge ended. */
export const INTERRUPTED = notSent('interrupted', 'the bridge stopped while this was queued; send it again if you still want it');

/** The results of a write that waited for others and was not sent. */
export const supersededBy = (message: string): CommandResult => ({ status: 'superseded', message });

export const CANCELLED: CommandResult = { ...supersededBy('it was cancelled before it was sent'), facts: { about: 'cancelled' } };

export const notFollowed = (properties: readonly string[], missing: readonly string[]): CommandResult => {
  const [names, others] = [properties.join(', '), missing.join(', ')];
  const message = `${names} waited for a day, but ${others} did not arrive; nothing was sent: write all of them again`;
  return rejected('incomplete', message, { about: 'not_followed', names: properties, missing });
};

export const noCommand = (feature: string, command: string): CommandResult =>
  rejected('unknown_command', `${feature} no longer has ${command}, so the waiting values were not sent`);

export const noFeature = (feature: string): CommandResult =>
  rejected('unknown_feature', `the platform no longer has ${feature}, or the settings exclude it, so the waiting values were not sent`);

export const noDevice = (name: string): CommandResult & Refusal =>
  rejected('unknown_device', `the device ${name} no longer exists, so the waiting values were not sent`);
