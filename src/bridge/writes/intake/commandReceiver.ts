import type { Clock } from '../../../shared/clock.ts';
import type { Incoming } from '../../../shared/message.ts';
import { readId, readText } from '../../../topics/commandPayload.ts';
import type { Answer } from '../../../topics/resultPayload.ts';
import { readCommandTopic } from '../../../topics/topicNames.ts';
import type { AnsweredMessage } from '../answers/answerLog.ts';
import type { ResultPublisher } from '../answers/resultPublisher.ts';
import { type Author, reject } from '../request/commandRequest.ts';
import { type NoTarget, type ResolvedTarget, unknownTopic } from '../request/commandTarget.ts';
import { addressRefusal, invalid, type Refusal } from '../request/rejection.ts';
import type { WriteLog } from '../write/writeLog.ts';
import type { BridgeCommands } from './bridgeCommands.ts';
import type { CommandHandler } from './commandHandler.ts';
import type { CommandParser } from './commandParser.ts';
import { messageParts, readPart, WAIT_MS } from './messageParts.ts';
import { keepQueued } from './queued.ts';
import type { RetainedCommands } from './retainedCommands.ts';

/** A command that does not come from the broker. */
export type LocalCommand = {
  /** A command topic (docs/topics.md). */
  readonly topic: string;
  readonly payload: Uint8Array;
  /** Repeated in the answers if the payload has no `id`. */
  readonly id?: string | number | undefined;
  readonly by: Author;
  readonly onAnswer: (answer: Answer) => void;
};

export type CommandReceiver = ReturnType<typeof commandReceiver>;

/** Turns messages on command topics, from the broker or elsewhere, into commands. */
export const commandReceiver = (
  { base, maxPayload }: { readonly base: string; readonly maxPayload: number },
  parser: Pick<CommandParser, 'resolve'>,
  handler: Pick<CommandHandler, 'submit'>,
  bridgeCommands: Pick<BridgeCommands, 'receive'>,
  results: Pick<ResultPublisher, 'replyTo'>,
  topics: { bytesOn(topic: string): number },
  retained: RetainedCommands,
  writes: Pick<WriteLog, 'add' | 'apply'>,
  clock: Clock,
  signal: AbortSignal,
) => {
  const parts = messageParts(clock, signal);

  /** Maximum payload size. A shown value is accepted above `maxPayload` too, also in an envelope. */
  const mostBytes = ({ topic, payload }: Message, { stateTopic }: ResolvedTarget | NoTarget): number => {
    if (payload.length <= maxPayload) return maxPayload;
    const shown = [topic.replace(/\/set$/u, ''), ...(stateTopic === undefined ? [] : [stateTopic])];
    return Math.max(maxPayload, ...shown.map((one) => topics.bytesOn(one) + ENVELOPE_BYTES));
  };

  /** `refusal`: why the message is no command, if known without its content. */
  const take = (message: Message, refusal?: Refusal): void => {
    const { topic, payload, by } = message;
    const id = readId(payload, PRESS_TOPIC.test(topic)) ?? message.id;
    const address = readCommandTopic(base, topic);
    const target = address && 'path' in address ? parser.resolve(address) : NO_TARGET;
    // Only an immediate refusal may be dropped, as it may belong to a flood. A command that waited is a
    // write.
    let isAtOnce = true;
    queueMicrotask(() => {
      isAtOnce = false;
    });
    const replyTo = results.replyTo(message, () => isAtOnce);
    const command = { source: topic, replyTo, by, id, target };
    const text = readText(payload, mostBytes(message, target));
    const part = text.ok && !refusal && TEXT_TOPIC.test(topic) ? readPart(text.value) : undefined;
    if (part) {
      parts.add(topic, part, () => {
        const first = { ...command, id: part.key };
        const queued = keepQueued(writes, clock, first);
        return {
          whole: (whole) => {
            queued?.end();
            take({ ...message, payload: new TextEncoder().encode(whole) });
          },
          incomplete: (came) => reject({ ...first, queued }, incomplete(came, part.count)),
        };
      });
    } else if (refusal) reject(command, refusal);
    else if (!text.ok) reject(command, invalid(text.issues));
    else if (!address) reject(command, addressRefusal(text.value, unknownTopic(base, topic)));
    else if (address.kind === 'bridge' || address.kind === 'events') bridgeCommands.receive({ ...message, id }, address, text.value);
    else if (target.kind !== 'none') {
      const queued = keepQueued(writes, clock, command);
      handler.submit({ ...command, target, queued, address, text: text.value, atMs: clock.elapsedMs() });
    }
  };

  return {
    /** Takes a message of the broker. Empty or retained messages are not commands. */
    receive: (message: Incoming): void => {
      const { topic, payload, retain } = message;
      if (payload.length === 0) {
        if (!retain && !retained.isOwnEcho(topic)) take(message, EMPTY);
      } else if (!retain) {
        retained.live(message);
        take(message);
      } else if (retained.clear(message)) take(message, RETAINED);
    },
    /** Takes a command from elsewhere, by the same rules. */
    submit: (local: LocalCommand): void => take(local, local.payload.length === 0 ? EMPTY : undefined),
  };
};

type Message = Pick<Incoming, 'payload'> & AnsweredMessage & Pick<LocalCommand, 'id'> & Partial<Pick<LocalCommand, 'by'>>;

const ENVELOPE_BYTES = 1024;
/** Topics that hubs write, whose texts have at most 255 characters. */
const TEXT_TOPIC = /\/text\/set$/u;
/** Commands without a value. */
const PRESS_TOPIC = /\/(?:undo|waiting|surplus)\/set$/u;
const incomplete = (came: number, count: number): Refusal => ({
  code: 'incomplete',
  message: `${came} of the ${count} parts of this text came within ${WAIT_MS / 1000} s, or before another text with the same identifier; send all of them again`,
  facts: { about: 'parts_missing', came, count },
});
const NO_TARGET: NoTarget = { kind: 'none' };
const EMPTY: Refusal = {
  code: 'empty',
  message: 'an empty payload is not a command; to clear a day of a schedule, send none',
  facts: { about: 'empty' },
};
const RETAINED: Refusal = {
  code: 'retained',
  message: 'commands are executed only when they are not retained: publish without the retain flag',
  facts: { about: 'retained' },
};
