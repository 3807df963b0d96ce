import type { Feature, Json } from '../../features/feature.ts';
import { readWeek } from '../../schedule/readWeek.ts';
import { printWeek } from '../../schedule/text/weekText.ts';
import type { Day } from '../../schedule/week.ts';
import { schedulePropertyOf } from '../../topics/featureState.ts';
import type { CommandResult } from '../commands/commandRequest.ts';
import type { CallFailure } from '../ports.ts';

/** The result of a write that was not sent because the bridge is being stopped. */
export const STOPPING: CommandResult = { status: 'failed', code: 'stopping', message: 'not sent: the bridge is being stopped' };

/** The result of a write whose answer had not come when the bridge was stopped. */
export const SENT_AND_STOPPING: CommandResult = {
  status: 'unconfirmed',
  code: 'stopping',
  message: 'sent, but the bridge was stopped before the platform answered; its next start finds out what the platform made of it',
};

/** The result while the platform refuses every call. */
export const NO_CALL: CommandResult = {
  status: 'failed',
  code: 'rate_limited',
  message: 'not sent: the platform takes no calls now (see bridge/quota)',
};

/** The result where no call is left for a while. */
export const NO_QUOTA: CommandResult = {
  status: 'failed',
  code: 'no_quota',
  message: 'not sent: no call is left, nor will there be within ten minutes (see bridge/quota)',
};

/** The result of a failed call, with the platform's own words. */
export const failed = ({ code, message, errorType, reason, viErrorId }: CallFailure): CommandResult => {
  return { status: 'failed', code, message, errorType, reason, viErrorId };
};

/** The result of a valid dry run: the week that would be sent, also as text, and the days that would change. */
export const valid = (
  feature: Feature,
  { args = {}, changed = [] }: { readonly args?: Readonly<Record<string, Json>>; readonly changed?: readonly Day[] } = {},
): CommandResult => {
  const week = Object.values(args)[0] ?? feature.properties.get(schedulePropertyOf(feature) ?? '')?.value;
  const read = readWeek(week);
  return read.ok ? { status: 'valid', week: read.value, text: printWeek(read.value), changed } : { status: 'valid', changed };
};
