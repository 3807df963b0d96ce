import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import { type Incoming, sha1 } from '../../../shared/message.ts';
import { shortTopic } from '../../../shared/topicName.ts';
import type { Connection } from '../../ports.ts';

/** Within this time a retained message counts as the copy of one that was executed live. */
const COPY_MS = 10_000;

/** Brokers drop what their queue cannot hold (Mosquitto: 1,000 messages): after so many there may be more. */
const MANY = 20;
/** Maximum remembered cleared topics; a forgotten one that comes back is asked for once more. */
const MOST_CLEARED = 5000;
/** Maximum topics that one log line names after the first. */
const MOST_NAMED = 5;
const SAYS = {
  executed: ['a command was published retained; its topic was cleared', 'commands were published retained; their topics were cleared'],
  refused: ['a retained command was not executed; its topic was cleared', 'retained commands were not executed; their topics were cleared'],
} as const;

/** The retained topics of the broker. */
type Topics = {
  /** Clears a topic with a foreign retained message; false where that is under way already. */
  clear(topic: string): boolean;
  /** Resolves when the broker has received what was published on these topics. */
  taken(topics: readonly string[]): Promise<unknown>;
};

/** A message that was executed live: when it last came, and how many retained copies are still expected. */
type Live = { readonly atMs: number; readonly uncopied: number };

/**
 * Refuses and clears retained commands. MQTT 3.1.1 hides the retain flag of live messages: such a message is
 * executed, and its retained copy comes after the next subscription. Clearing a topic then delivers an empty
 * message to the bridge itself.
 */
export const retainedCommands = (
  connection: Pick<Connection, 'protocol'>,
  publisher: Topics,
  /** Makes the broker resend retained messages, except on these topics. */
  askAgain: (topics: readonly string[]) => void,
  clock: Clock,
  log: Log,
) => {
  /** By topic and digest, in order of arrival. */
  const lately = new Map<string, Live>();
  /** Cleared topics, with the number of their empty messages that have not come yet. */
  const echoes = new Map<string, number>();
  /** Cleared topics that are not logged yet, with the kind of log line. */
  const clearing = new Map<string, keyof typeof SAYS>();
  /** Topics that were cleared on this connection. */
  const clearedBefore = new Set<string>();
  let isLogging = false;

  /** Notes a live message, which may have been published with the retain flag. */
  const live = ({ topic, payload }: Incoming): void => {
    if (knowsRetainFlag()) return;
    const key = keyOf(topic, payload);
    const before = recent(key);
    lately.delete(key);
    lately.set(key, { atMs: clock.elapsedMs(), uncopied: (before?.uncopied ?? 0) + 1 });
    for (const [oldest] of lately) {
      if (recent(oldest)) break;
      lately.delete(oldest);
    }
  };

  /** Clears the topic of a retained command. True: refuse it; false: it is a copy of one executed live. */
  const clear = ({ topic, payload }: Incoming): boolean => {
    const key = keyOf(topic, payload);
    const live = recent(key);
    // Another copy of the same message.
    if (live?.uncopied === 0) return false;
    if (live) lately.set(key, { ...live, uncopied: live.uncopied - 1 });
    const isNew = publisher.clear(topic);
    // The empty message comes to the bridge too.
    if (isNew && !knowsRetainFlag()) echoes.set(topic, (echoes.get(topic) ?? 0) + 1);
    clearing.set(topic, live ? 'executed' : 'refused');
    void logCleared();
    return live === undefined;
  };

  /** MQTT 5 shows the retain flag of live messages, and does not deliver the bridge's own messages to it. */
  const knowsRetainFlag = (): boolean => connection.protocol === '5';

  const recent = (key: string): Live | undefined => {
    const live = lately.get(key);
    return live && live.atMs > clock.elapsedMs() - COPY_MS ? live : undefined;
  };

  /** True for the empty message of the bridge's own clearing. */
  const isOwnEcho = (topic: string): boolean => {
    const left = echoes.get(topic) ?? 0;
    if (left > 1) echoes.set(topic, left - 1);
    else echoes.delete(topic);
    return left > 0;
  };

  /** Logs all topics that are cleared together in one line. */
  const logCleared = async (): Promise<void> => {
    if (isLogging) return;
    isLogging = true;
    while (clearing.size > 0) {
      const cleared = [...clearing];
      await publisher.taken(cleared.map(([topic]) => topic));
      for (const [topic, what] of cleared) if (clearing.get(topic) === what) clearing.delete(topic);
      for (const what of ['executed', 'refused'] as const) {
        const [topic, ...others] = cleared.filter(([, one]) => one === what).map(([one]) => shortTopic(one));
        const [ofOne, ofMany] = SAYS[what];
        if (topic !== undefined && others.length === 0) log.warn({ topic }, ofOne);
        else if (topic !== undefined) log.warn({ topics: others.length + 1, first: [topic, ...others.slice(0, MOST_NAMED)] }, ofMany);
      }
      // A topic that keeps coming back would be asked for forever.
      const fresh = cleared.map(([topic]) => topic).filter((topic) => !clearedBefore.has(topic));
      for (const topic of fresh) clearedBefore.add(topic);
      for (const topic of [...clearedBefore].slice(0, -MOST_CLEARED)) clearedBefore.delete(topic);
      if (fresh.length >= MANY) askAgain(fresh);
    }
    isLogging = false;
  };

  /** Messages of an earlier connection do not arrive on a new one: a retained one then was not executed. */
  const reconnected = (): void => {
    lately.clear();
    echoes.clear();
    clearedBefore.clear();
  };

  return { live, clear, isOwnEcho, reconnected };
};

export type RetainedCommands = ReturnType<typeof retainedCommands>;

const keyOf = (topic: string, payload: Uint8Array): string => `${sha1(payload, 'base64')} ${topic}`;
