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

type ReceiverSettings = { readonly base: string; readonly maxPayload: number };

/** Takes messages on command topics and makes commands of them. */
export class CommandReceiver {
  readonly #settings: ReceiverSettings;
  readonly #parser: Pick<CommandParser, 'resolve'>;
  readonly #handler: Pick<CommandHandler, 'submit'>;
  readonly #bridgeCommands: Pick<BridgeCommands, 'receive'>;
  readonly #results: Pick<ResultPublisher, 'replyTo'>;
  readonly #publisher: Pick<RetainedPublisher, 'bytesOn'>;
  readonly #retained: RetainedCommands;
  readonly #clock: Clock;

  constructor(
    settings: ReceiverSettings,
    parser: Pick<CommandParser, 'resolve'>,
    handler: Pick<CommandHandler, 'submit'>,
    bridgeCommands: Pick<BridgeCommands, 'receive'>,
    results: Pick<ResultPublisher, 'replyTo'>,
    publisher: Pick<RetainedPublisher, 'bytesOn'>,
    retained: RetainedCommands,
    clock: Clock,
  ) {
    this.#settings = settings;
    this.#parser = parser;
    this.#handler = handler;
    this.#bridgeCommands = bridgeCommands;
    this.#results = results;
    this.#publisher = publisher;
    this.#retained = retained;
    this.#clock = clock;
  }

  receive(message: Incoming): void {
    const { topic, payload, retain } = message;
    const address = readCommandTopic(this.#settings.base, topic);
    const target = address && address.kind !== 'bridge' ? this.#parser.resolve(address) : NO_TARGET;
    const command = { source: topic, replyTo: this.#results.replyTo(message), id: readId(payload), target };
    if (payload.length === 0) {
      if (!retain && !this.#retained.isOwnEcho(topic)) reject(command, EMPTY);
      return;
    }
    if (retain) {
      if (this.#retained.clear(message)) reject(command, RETAINED);
      return;
    }
    this.#retained.live(message);
    const text = readText(payload, this.#mostBytes(message, target));
    if (!text.ok) reject(command, invalid(text.issues));
    else if (!address) reject(command, addressRefusal(text.value, NO_TARGET.refusal));
    else if (address.kind === 'bridge') this.#bridgeCommands.receive(message, address.what, text.value);
    else this.#handler.submit({ ...command, address, text: text.value, atMs: this.#clock.elapsedMs() });
  }

  /** Messages of an earlier connection do not arrive on a new one. */
  reconnected(): void {
    this.#retained.reconnected();
  }

  /** The payload that a topic shows is accepted as a command, also in an envelope, even where it is longer than `maxPayload`. */
  #mostBytes({ topic, payload }: Incoming, { stateTopic }: ResolvedTarget): number {
    const { maxPayload } = this.#settings;
    if (payload.length <= maxPayload) return maxPayload;
    const shown = [topic.replace(/\/set$/u, ''), ...(stateTopic === undefined ? [] : [stateTopic])];
    return Math.max(maxPayload, ...shown.map((one) => this.#publisher.bytesOn(one) + ENVELOPE_BYTES));
  }
}

const ENVELOPE_BYTES = 1024;
const NO_TARGET = { kind: 'unknown', refusal: { code: 'unknown_topic', message: 'no command has such a topic' } } as const;
const EMPTY: Refusal = { code: 'empty', message: 'an empty payload is no command; a day of a schedule is emptied with none' };
const RETAINED: Refusal = {
  code: 'retained',
  message: 'commands are executed only when they are not retained: publish without the retain flag',
};
