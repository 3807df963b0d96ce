import type { AnswerFacts } from '../../../language/answers/answersDe.ts';
import type { Envelope } from '../../../topics/commandPayload.ts';
import type { Answer } from '../../../topics/resultPayload.ts';
import type { FeatureAddress } from '../../../topics/topicNames.ts';
import type { DeviceTarget, NoTarget, Target } from './commandTarget.ts';
import type { Refusal } from './rejection.ts';

/** The result of a command, before the reply address adds the topic, the time and the translated message. */
export type CommandResult = Omit<Answer, 'topic' | 'at'> & { readonly facts?: AnswerFacts | undefined };

/**
 * Where the results of a command go; for MQTT the result topics and the response topic. `onDelivered` is
 * called once, when the result has arrived or is withheld.
 */
export type ReplyAddress = (target: Answering, result: CommandResult, onDelivered?: () => void) => void;

/** What a result needs from the target; empty for an unknown device. */
type Answering = Pick<Target, 'stateTopic'> & { readonly state?: object };

/** Keeps a taken command until it has an answer or a row as a sent write. */
export interface Queued {
  /** Stores the final answer, so that the next run repeats it instead of giving a different one. */
  answered(result: CommandResult): void;
  /** The command is no longer kept, from this transaction on. */
  end(): void;
}

/** Author of a change: MQTT client, page (with Home Assistant's user), end of a write, season, or plan. */
export type Author = { readonly kind: 'mqtt' | 'page' | 'end' | 'season' | 'calendar' | 'price'; readonly user?: string | undefined };

/** A command, independent of how it came to the bridge. */
export type CommandRequest<T extends Target = Target> = {
  /** The topic of the command. */
  readonly source: string;
  readonly replyTo: ReplyAddress;
  readonly queued?: Queued | undefined;
  /** Absent for an MQTT client. */
  readonly by?: Author | undefined;
  /** The `id` that its results repeat. */
  readonly id?: string | number | undefined;
  readonly address: FeatureAddress;
  readonly target: T;
  readonly text: string;
  /** When the command came (`Clock.elapsedMs`). */
  readonly atMs: number;
};

/** A command for a known device. */
export type DeviceRequest = CommandRequest<DeviceTarget>;

/** Additional members of every result of a write. */
export type ResultDetails = Partial<Pick<Answer, 'feature' | 'through' | 'rounded_from'>>;

/** What a result says of a write; without `command` where none could be chosen. */
export type About = {
  readonly envelope: Envelope;
  readonly feature?: string | undefined;
  readonly command?: string | undefined;
  /** When the write ends (epoch milliseconds). */
  readonly untilMs?: number | undefined;
  readonly details?: ResultDetails | undefined;
};

type Replied = Pick<CommandRequest, 'replyTo' | 'id' | 'queued'> & { readonly target: Target | NoTarget };

/** Results after which a temporary write ends by itself. */
const ENDS: ReadonlySet<CommandResult['status']> = new Set(['accepted', 'applied', 'unconfirmed', 'valid']);

export type Reply = readonly [to: Replied, result: CommandResult, write?: About | undefined, onDelivered?: () => void];

/** Stores a result and returns the function that sends it. It names the write, or else the target. */
const stored = (...[{ replyTo, target, id, queued }, result, write, onDelivered]: Reply): (() => void) => {
  const { envelope, feature, command, untilMs, details } = write ?? {};
  const about = {
    feature: feature ?? target.feature,
    command,
    until: untilMs !== undefined && ENDS.has(result.status) ? new Date(untilMs).toISOString() : undefined,
    ...details,
  };
  // Accepted or waiting writes have a row of their own.
  if (result.status === 'accepted' || result.status === 'waiting') queued?.end();
  else queued?.answered({ ...about, ...result });
  const delivered = (): void => {
    queued?.end();
    onDelivered?.();
  };
  const answer = { id: envelope?.id ?? id, device: target.device, ...about, ...result };
  return () => replyTo(target, answer, queued ? delivered : onDelivered);
};

/** Sends a result to the reply address after storing it. */
export const reply = (...one: Reply): void => stored(...one)();

/** As `reply` for several writes with one disk sync: hundreds in a flood would block all accounts. */
export const replyAll = (all: readonly Reply[], together: <T>(work: () => T) => { readonly result: T }): void => {
  const sends = together(() => all.map((one) => stored(...one))).result;
  // The shown answers are stored too.
  together(() => sends.map((send) => send()));
};

export const reject = (request: Replied, refusal: Refusal, write?: About): void =>
  reply(request, { status: 'rejected', ...refusal }, write);
