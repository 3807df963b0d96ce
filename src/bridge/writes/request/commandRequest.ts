import type { AnswerFacts } from '../../../language/answers/answersDe.ts';
import type { Envelope } from '../../../topics/commandPayload.ts';
import type { Answer } from '../../../topics/resultPayload.ts';
import type { FeatureAddress } from '../../../topics/topicNames.ts';
import type { DeviceTarget, NoTarget, Target } from './commandTarget.ts';
import type { Refusal } from './rejection.ts';

/** The result of a command without what its reply address adds: the topic, the time, and the sentence in the language of the settings. */
export type CommandResult = Omit<Answer, 'topic' | 'at'> & { readonly facts?: AnswerFacts };

/**
 * Where the results of a command go. For a command that came by MQTT: the result topics, and the response topic of the message. `onDelivered`
 * is called once: when the result has arrived, or when it is kept back.
 */
export type ReplyAddress = (target: Answering, result: CommandResult, onDelivered?: () => void) => void;

/** What a result needs of the target; nothing where no device is known. */
type Answering = Pick<Target, 'stateTopic'> & { readonly state?: object };

/** What keeps a command that was taken, until it has its answer or a row as a write that is sent. */
export interface Queued {
  /** It will have this final answer, also where the next run has to give it: another one would be told a second time, and differently. */
  answered(result: CommandResult): void;
  /** Within the same transaction nothing else needs to keep it. */
  end(): void;
}

/** Who wants a change: a client of the broker, the page, with the user that Home Assistant names, the end of a temporary write, a season, or a plan. */
export type Author = { readonly kind: 'mqtt' | 'page' | 'end' | 'season' | 'calendar' | 'price'; readonly user?: string | undefined };

/** A command, independent of how it came to the bridge. */
export type CommandRequest<T extends Target = Target> = {
  /** The topic of the command. */
  readonly source: string;
  readonly replyTo: ReplyAddress;
  readonly queued?: Queued | undefined;
  /** Absent for a client of the broker. */
  readonly by?: Author | undefined;
  /** The `id` that its results repeat. */
  readonly id?: string | number | undefined;
  readonly address: FeatureAddress;
  readonly target: T;
  readonly text: string;
  /** When the command came (`Clock.elapsedMs`). */
  readonly atMs: number;
};

/** A command for a device that is known. */
export type DeviceRequest = CommandRequest<DeviceTarget>;

/** Additional members of every result of a write. */
export type ResultDetails = Partial<Pick<Answer, 'feature' | 'through' | 'rounded_from'>>;

/** What a result says of a write; without a command where none could be chosen. */
export type About = {
  readonly envelope: Envelope;
  readonly feature?: string;
  readonly command?: string;
  /** When the write ends (epoch milliseconds). */
  readonly untilMs?: number;
  readonly details?: ResultDetails;
};

type Replied = Pick<CommandRequest, 'replyTo' | 'id' | 'queued'> & { readonly target: Target | NoTarget };

/** After these the write ends by itself, where it has an end. */
const ENDS: ReadonlySet<CommandResult['status']> = new Set(['accepted', 'applied', 'unconfirmed', 'valid']);

export type Reply = readonly [to: Replied, result: CommandResult, write?: About | undefined, onDelivered?: () => void];

/** Keeps a result, and gives what sends it. The result names the write, or the target where the write is not known. */
const kept = (...[{ replyTo, target, id, queued }, result, write, onDelivered]: Reply): (() => void) => {
  const { envelope, feature, command, untilMs, details } = write ?? {};
  const about = {
    feature: feature ?? target.feature,
    command,
    until: untilMs !== undefined && ENDS.has(result.status) ? new Date(untilMs).toISOString() : undefined,
    ...details,
  };
  // What is accepted or waits for other values has a row of its own.
  if (result.status === 'accepted' || result.status === 'waiting') queued?.end();
  else queued?.answered({ ...about, ...result });
  const delivered = (): void => {
    queued?.end();
    onDelivered?.();
  };
  const answer = { id: envelope?.id ?? id, device: target.device, ...about, ...result };
  return () => replyTo(target, answer, queued ? delivered : onDelivered);
};

/** Sends a result to the reply address, once it is kept. */
export const reply = (...one: Reply): void => kept(...one)();

/** The same for the results of several writes: the disk is waited for once, as hundreds of a flood would hold up all accounts. */
export const replyAll = (all: readonly Reply[], together: <T>(work: () => T) => { readonly result: T }): void => {
  const sends = together(() => all.map((one) => kept(...one))).result;
  // What is shown of the answers is stored, too.
  together(() => sends.map((send) => send()));
};

export const reject = (request: Replied, refusal: Refusal, write?: About): void =>
  reply(request, { status: 'rejected', ...refusal }, write);
