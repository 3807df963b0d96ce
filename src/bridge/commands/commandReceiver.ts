import type { Clock } from '../../shared/clock.ts';
import type { Incoming } from '../../shared/message.ts';
import { readId, readText } from '../../topics/commandPayload.ts';
import { readCommandTopic } from '../../topics/topicNames.ts';
import type { CommandHandler } from '../execution/commandHandler.ts';
import type { ResultPublisher } from '../execution/resultPublisher.ts';
import type { RetainedPublisher } from '../publishing/retainedPublisher.ts';
import type { BridgeCommands } from '../status/bridgeCommands.ts';
import type { CommandParser } from './commandParser.ts';
import { reject } from './commandRequest.ts';
import type { ResolvedTarget } from './commandTarget.ts';
import { addressRefusal, invalid, type Refusal } from './rejection.ts';
import type { RetainedCommands } from './retainedCommands.ts';

/** Takes messages on command topics and makes commands of them. */
export const commandReceiver = (
  { base, maxPayload }: { readonly base: string; readonly maxPayload: number },
  parser: Pick<CommandParser, 'resolve'>,
  handler: Pick<CommandHandler, 'submit'>,
  bridgeCommands: Pick<BridgeCommands, 'receive'>,
  results: Pick<ResultPublisher, 'replyTo'>,
  publisher: Pick<RetainedPublisher, 'bytesOn'>,
  retained: RetainedCommands,
  clock: Clock,
): ((message: Incoming) => void) => {
  /** The payload that a topic shows is accepted as a command, also in an envelope, even where it is longer than `maxPayload`. */
  const mostBytes = ({ topic, payload }: Incoming, { stateTopic }: ResolvedTarget): number => {
    if (payload.length <= maxPayload) return maxPayload;
    const shown = [topic.replace(/\/set$/u, ''), ...(stateTopic === undefined ? [] : [stateTopic])];
    return Math.max(maxPayload, ...shown.map((one) => publisher.bytesOn(one) + ENVELOPE_BYTES));
  };

  return (message) => {
    const { topic, payload, retain } = message;
    const address = readCommandTopic(base, topic);
    const target = address && address.kind !== 'bridge' ? parser.resolve(address) : NO_TARGET;
    const command = { source: topic, replyTo: results.replyTo(message), id: readId(payload), target };
    if (payload.length === 0) {
      if (!retain && !retained.isOwnEcho(topic)) reject(command, EMPTY);
      return;
    }
    if (retain) {
      if (retained.clear(message)) reject(command, RETAINED);
      return;
    }
    retained.live(message);
    const text = readText(payload, mostBytes(message, target));
    if (!text.ok) reject(command, invalid(text.issues));
    else if (!address) reject(command, addressRefusal(text.value, NO_TARGET.refusal));
    else if (address.kind === 'bridge') bridgeCommands.receive(message, address.what, text.value);
    else handler.submit({ ...command, address, text: text.value, atMs: clock.elapsedMs() });
  };
};

const ENVELOPE_BYTES = 1024;
const NO_TARGET = { kind: 'unknown', refusal: { code: 'unknown_topic', message: 'no command has such a topic' } } as const;
const EMPTY: Refusal = { code: 'empty', message: 'an empty payload is no command; a day of a schedule is emptied with none' };
const RETAINED: Refusal = {
  code: 'retained',
  message: 'commands are executed only when they are not retained: publish without the retain flag',
};
