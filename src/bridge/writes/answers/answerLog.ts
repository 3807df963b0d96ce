import { type Clock, MINUTE_MS } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import type { Incoming } from '../../../shared/message.ts';
import { shortTopic } from '../../../shared/topicName.ts';
import type { Answer } from '../../../topics/resultPayload.ts';
import type { Author } from '../request/commandRequest.ts';

/** Any MQTT client could fill the log: above this many answers a minute the level is `debug`. */
const MOST_A_MINUTE = 30;
/** Bytes up to which a payload is logged: a value is, a week is not (`days` names its changed days). */
const LONGEST_PAYLOAD = 60;
const LONGEST_WHY = 300;

/** A message that results answer; `onAnswer` gets each answer. */
export type AnsweredMessage = Pick<Incoming, 'topic' | 'responseTopic' | 'correlationData'> & {
  readonly payload?: Uint8Array | undefined;
  readonly by?: Author | undefined;
  readonly onAnswer?: (answer: Answer) => void;
};

/** Logs each final answer to a write: what, where, from whom, and how it ended. */
export const answerLog = (clock: Pick<Clock, 'elapsedMs'>, log: Log) => {
  let minuteBeganMs = Number.NEGATIVE_INFINITY;
  let lines = 0;

  /** `known`: the answer is about a device. Others change no device, and a login has its own log lines. */
  const add = (answer: Answer, message: Pick<AnsweredMessage, 'payload' | 'by'>, known: boolean): void => {
    const { status } = answer;
    const isQuiet = status === 'accepted' || (!known && status !== 'rejected') || !mayLog();
    const level = isQuiet ? 'debug' : status === 'failed' ? 'warn' : 'info';
    log[level](factsOf(answer, message, known), `write ${status}`);
  };

  const mayLog = (): boolean => {
    const now = clock.elapsedMs();
    if (now - minuteBeganMs >= MINUTE_MS) {
      minuteBeganMs = now;
      lines = 0;
    }
    lines += 1;
    if (lines === MOST_A_MINUTE + 1)
      log.warn({ most: MOST_A_MINUTE }, 'too many answers in a minute to log each; the rest of this minute has the level debug');
    return lines <= MOST_A_MINUTE;
  };

  return { add };
};

const factsOf = (answer: Answer, { payload, by }: Pick<AnsweredMessage, 'payload' | 'by'>, known: boolean): object => {
  const { device, feature, command, through, topic, status, code, changed, until } = answer;
  // Without a command the payload may be anything, even a login address on a wrong topic.
  const value = known && command !== undefined && payload !== undefined && payload.length <= LONGEST_PAYLOAD;
  return {
    ...(device !== undefined && feature !== undefined ? { device, feature } : { topic: shortTopic(topic) }),
    ...(through === undefined ? {} : { through }),
    ...(command === undefined ? {} : { command }),
    ...(value ? { payload: new TextDecoder().decode(payload) } : {}),
    ...(changed === undefined || changed.length === 0 ? {} : { days: changed }),
    ...(until === undefined ? {} : { until }),
    by: authorText(by),
    ...(code === undefined ? {} : { code }),
    ...(status === 'applied' ? {} : whyOf(answer)),
  };
};

const whyOf = ({ message, errors = [] }: Answer): object => {
  const why = message ?? errors.map((issue) => `${issue.path} ${issue.message}`.trim()).join('; ');
  return why === '' ? {} : { why: why.length > LONGEST_WHY ? `${why.slice(0, LONGEST_WHY)}…` : why };
};

/** The author of a change, as named in sentences. */
export const AUTHORS: Readonly<Record<Author['kind'], string>> = {
  mqtt: 'MQTT',
  page: 'the page',
  end: 'the end of a temporary write',
  season: 'the season',
  calendar: 'the calendar',
  price: 'the price plan',
};

const authorText = ({ kind, user }: Author = { kind: 'mqtt' }): string =>
  user === undefined ? AUTHORS[kind] : `${user.slice(0, LONGEST_PAYLOAD)} on ${AUTHORS[kind]}`;
