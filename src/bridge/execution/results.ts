import type { CallFailure } from '../ports.ts';
import type { Confirmed } from './confirmation.ts';
import type { Said } from './resultPublisher.ts';

/** What is said of a write that the bridge did not send, since it is being stopped. */
export const STOPPING: Said = { status: 'failed', code: 'stopping', message: 'not sent: the bridge is being stopped' };

/** What is said of a write of which the platform's answer had not come yet. */
export const SENT_AND_STOPPING: Said = {
  status: 'unconfirmed',
  code: 'stopping',
  message: 'sent, but the bridge was stopped before the platform answered; its next start finds out what the platform made of it',
};

/** What is said while the platform refuses every call. */
export const NO_CALL: Said = {
  status: 'failed',
  code: 'rate_limited',
  message: 'not sent: the platform takes no calls now (see bridge/quota)',
};

/** What is said when no call is left for a while. */
export const NO_QUOTA: Said = {
  status: 'failed',
  code: 'no_quota',
  message: 'not sent: no call is left, nor will there be within ten minutes (see bridge/quota)',
};

const UNCONFIRMED: Readonly<Record<'not_shown' | 'no_quota' | 'stopping', string>> = {
  not_shown: 'the platform said yes, but did not show it in any of the confirming reads',
  no_quota: 'the platform said yes; there is no call left to see whether it shows it, so the next poll will tell',
  stopping: 'the platform said yes; the bridge was stopped before it could see it',
};

/** The answer for a call that failed, with the platform's own words. */
export const failed = ({ code, message, errorType, reason, viErrorId }: CallFailure): Said => ({
  status: 'failed',
  code,
  message,
  ...(errorType ? { errorType } : {}),
  ...(reason ? { reason } : {}),
  ...(viErrorId ? { viErrorId } : {}),
});

/** The answer to a write that the platform has said yes to, by what it showed afterwards. */
export const outcomeOf = (confirmed: Confirmed): Said => {
  if (confirmed.how === 'shown') return { status: 'applied' };
  if (confirmed.how === 'adapted') return { status: 'applied', adapted: confirmed.shows };
  return { status: 'unconfirmed', code: confirmed.how, message: UNCONFIRMED[confirmed.how] };
};
