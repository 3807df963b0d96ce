import type { CommandParts } from '../commandDependencies.ts';
import type { Incoming } from '../ports.ts';
import type { Whom } from './command.ts';
import type { Refusal } from './rejection.ts';
import type { RetainedCommands } from './retainedCommands.ts';

type Parts = Pick<CommandParts, 'knowsRetainFlag' | 'publisher' | 'log' | 'answers'>;

/** Clears the topic of a retained command. It is answered, unless it is a copy of what was executed and answered live (MQTT 3.1.1, CONTRACT §3.1). */
export const refuseRetained = (message: Incoming, whom: Whom, retained: RetainedCommands, parts: Parts): void => {
  const { topic } = message;
  const { knowsRetainFlag, publisher, log, answers } = parts;
  const what = knowsRetainFlag() ? 'waited' : retained.whatIs(message);
  if (what === 'again') return;
  if (!knowsRetainFlag()) retained.clearing(topic);
  publisher.send({ topic, payload: '', retain: true });
  if (what === 'executed') log.warn({ topic }, 'a command was published retained; its topic was cleared');
  else {
    log.warn({ topic }, 'a retained command was not executed; its topic was cleared');
    answers.refuse(message, whom, RETAINED);
  }
};

const RETAINED: Refusal = {
  code: 'retained',
  message: 'commands are executed only when they are not retained: publish without the retain flag',
};
