import type { Issue } from '../shared/issue.ts';
import type { Message } from '../shared/message.ts';
import { bridgeTopic, deviceTopic, featureTopic } from './topicNames.ts';

/** The terminal statuses of CONTRACT §4, and `accepted`, which may come before one of them. */
export type Status = 'accepted' | 'applied' | 'unchanged' | 'unconfirmed' | 'superseded' | 'rejected' | 'failed' | 'valid';

/** One answer to one message that was received. */
export type Answer = {
  readonly id?: string | number;
  /** The device's name in topics; absent where the message named no known device. */
  readonly device?: string;
  readonly feature?: string;
  /** The topic that was written to. */
  readonly topic: string;
  readonly command?: string;
  /** Of a composite: the feature whose command it is. */
  readonly through?: string;
  readonly status: Status;
  readonly code?: string;
  /** One sentence: what happened, and for a refusal what would be right. */
  readonly message?: string;
  readonly errors?: readonly Issue[];
  readonly rev?: string;
  /** When what was written ends by itself (RFC 3339). */
  readonly until?: string;
  /** Days of the week that the write altered. */
  readonly changed?: readonly string[];
  /** Of a `superseded` write: the days that were sent of it. */
  readonly kept?: readonly string[];
  readonly week?: unknown;
  /** The week as text. */
  readonly text?: string;
  /** What was sent of a temperature that went to the nearest step; by property where several were written. */
  readonly rounded_from?: number | Readonly<Record<string, number>>;
  /** What the platform shows instead, where it adapted the value. */
  readonly adapted?: unknown;
  readonly errorType?: string;
  readonly reason?: string;
  readonly viErrorId?: string;
  /** RFC 3339. */
  readonly at: string;
};

/**
 * Where an answer goes (CONTRACT §2.1): the feature's and the device's `result`, or `bridge/result` where the device is not
 * one of ours.
 */
export const resultTopics = (base: string, { device, feature }: Pick<Answer, 'device' | 'feature'>, known: boolean): string[] => {
  if (!known || device === undefined) return [bridgeTopic(base, 'result')];
  const all = deviceTopic(base, device, 'result');
  return feature === undefined ? [all] : [featureTopic(base, device, feature, 'result'), all];
};

/** The answer on each of its topics, not retained. */
export const resultMessages = (base: string, answer: Answer, known: boolean): Message[] =>
  resultTopics(base, answer, known).map((topic) => ({ topic, payload: JSON.stringify(answer), retain: false }));
