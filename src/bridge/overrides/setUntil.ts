import type { Clock } from '../../shared/clock.ts';
import { revision } from '../../topics/recordPayload.ts';
import type { Request } from '../commands/command.ts';
import type { Write } from '../commands/evaluate.ts';
import { invalid, type Refusal } from '../commands/rejection.ts';
import { type Device, deviceKey } from '../devices/deviceState.ts';
import type { Answers } from '../execution/resultPublisher.ts';
import type { Temporaries } from './overrideRepository.ts';
import { readEndAsked } from './requestedEnd.ts';
import { NOTHING, type Returns } from './revertScheduler.ts';

export type UntilSetParts = {
  readonly temporaries: Temporaries;
  readonly returns: Returns;
  readonly answers: Answers;
  readonly clock: Clock;
  /** Whose local time is meant. */
  readonly zone: (device: Device) => string;
};

/** Carries out a message on `<feature>/until/set`: what ends by itself there ends now, or at another instant. It is answered once. */
export const setUntil = (request: Request, { temporaries, returns, answers, clock, zone }: UntilSetParts): void => {
  const { message, whom, state, text } = request;
  const { feature = '' } = whom;
  const asked = readEndAsked(text, { nowMs: clock.now(), zone: zone(state.device) });
  if (!asked.ok) {
    answers.refuse(message, whom, invalid(asked.issues));
    return;
  }
  const { envelope, at } = asked.value;
  const running = temporaries.running(deviceKey(state.device), feature);
  const other = otherRevision(request, feature, envelope.ifRev);
  if (other || !running) {
    answers.refuse(message, whom, other ?? noEnd(feature), { envelope, ...(running ? { command: running.command } : {}) });
    return;
  }
  const write: Write = {
    ...{ topic: message.topic, feature, command: running.command, envelope, dryRun: false },
    wants: NOTHING,
    ...(at === 'now' ? {} : { untilMs: at }),
  };
  if (at === 'now') returns.endNow(request, write, running);
  else answers.answer(message, whom, { status: temporaries.move(running, at) ? 'applied' : 'unchanged' }, write);
};

const otherRevision = ({ state }: Request, feature: string, ifRev: string | undefined): Refusal | undefined => {
  const shown = state.shown(feature);
  const rev = shown && revision(shown);
  if (ifRev === undefined || ifRev === rev) return undefined;
  return { code: 'conflict', message: `the record has rev ${rev}, not ${ifRev}: it was changed since you read it` };
};

const noEnd = (feature: string): Refusal => ({
  code: 'no_end',
  message: `nothing on ${feature} ends by itself now; give until or for with a write`,
});
