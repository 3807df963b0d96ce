import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import { type Incoming, sha1 } from '../../../shared/message.ts';
import { shortTopic } from '../../../shared/topicName.ts';
import type { Connection } from '../../ports.ts';

/** Within this time a retained message counts as the copy of one that was executed live. */
const COPY_MS = 10_000;

/** Brokers drop what has no room in their queue (Mosquitto keeps 1,000 messages): where so many come together, there may be more. */
const MANY = 20;
/** So many topics are remembered as cleared; one that comes back after more is asked for once more. */
const MOST_CLEARED = 5000;
/** Topics that one line of the log names. */
const MOST_NAMED = 5;
const SAYS = {
  executed: ['a command was published retained; its topic was cleared', 'commands were published retained; their topics were cleared'],
  refused: ['a retained command was not executed; its topic was cleared', 'retained commands were not executed; their topics were cleared'],
} as const;

/** What is retained on the broker. */
type Topics = {
  /** Clears a topic on which somebody else has retained something; false where that is under way already. */
  clear(topic: string): boolean;
  /** Resolves when the broker has taken what was published on these topics. */
  taken(topics: readonly string[]): Promise<unknown>;
};

/** A message that was executed live: when it came last, and how often without a retained copy yet. */
type Live = { readonly atMs: number; readonly uncopied: number };

/**
 * Refuses and clears retained commands. MQTT 3.1.1 does not show the retain flag of a live message: the message is executed, and its
 * retained copy arrives after the bridge has subscribed again. Clearing a topic then delivers an empty message to the bridge itself.
 */
export const retainedCommands = (
  connection: Pick<Connection, 'protocol'>,
  publisher: Topics,
  /** Has the broker send once more what is retained beside these topics. */
  askAgain: (topics: readonly string[]) => void,
  clock: Clock,
  log: Log,
) => {
  /** By topic and digest; what came last is the last. */
  const lately = new Map<string, Live>();
  /** Topics that are cleared, and how many of their empty messages have not come yet. */
  const echoes = new Map<string, number>();
  /** Topics whose clearing is not in the log yet, with what it says of each. */
  const clearing = new Map<string, keyof typeof SAYS>();
  /** What was cleared on this connection. */
  const clearedBefore = new Set<string>();
  let isLogging = false;

  /** A message came live, which may have been published retained. */
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

  /** Clears the topic of a retained command; true where the command has to be refused: with MQTT 3.1.1 it may be a copy of what was executed live. */
  const clear = ({ topic, payload }: Incoming): boolean => {
    const key = keyOf(topic, payload);
    const live = recent(key);
    // A further copy of it.
    if (live?.uncopied === 0) return false;
    if (live) lately.set(key, { ...live, uncopied: live.uncopied - 1 });
    const isNew = publisher.clear(topic);
    // The empty message is delivered to the bridge too.
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

  /** True for the empty message by which the bridge cleared the topic. */
  const isOwnEcho = (topic: string): boolean => {
    const left = echoes.get(topic) ?? 0;
    if (left > 1) echoes.set(topic, left - 1);
    else echoes.delete(topic);
    return left > 0;
  };

  /** One line for all topics that are cleared together. */
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
      // A topic that comes back would do so for ever.
      const fresh = cleared.map(([topic]) => topic).filter((topic) => !clearedBefore.has(topic));
      for (const topic of fresh) clearedBefore.add(topic);
      for (const topic of [...clearedBefore].slice(0, -MOST_CLEARED)) clearedBefore.delete(topic);
      if (fresh.length >= MANY) askAgain(fresh);
    }
    isLogging = false;
  };

  /** Messages of an earlier connection do not arrive on a new one; what is retained then was not executed. */
  const reconnected = (): void => {
    lately.clear();
    echoes.clear();
    clearedBefore.clear();
  };

  return { live, clear, isOwnEcho, reconnected };
};

export type RetainedCommands = ReturnType<typeof retainedCommands>;

const keyOf = (topic: string, payload: Uint8Array): string => `${sha1(payload, 'base64')} ${topic}`;
