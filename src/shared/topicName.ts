/** Maximum bytes of an MQTT string or binary field: its length has two bytes (MQTT 5, 1.5.4, 1.5.6). */
const LONGEST_FIELD = 65_535;

/** Mosquitto closes the connection for a topic of 202 levels (2.0.11; its limit is 200 slashes). */
const MOST_LEVELS = 200;

// Control characters, lone surrogates and noncharacters. A broker may close the connection because of them
// (MQTT 5, 1.5.4); Mosquitto does.
const INVALID_CHARACTER = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u;

/** A fast path for almost every topic: no further checks are needed. */
const PLAIN = /^[A-Za-z0-9_./%-]{1,199}$/;

/** Why some brokers refuse this topic, as the end of a sentence; undefined if it is valid. */
export const topicMistake = (topic: string): string | undefined => {
  if (PLAIN.test(topic)) return undefined;
  if (topic === '') return 'it is empty';
  if (/[+#]/.test(topic)) return 'it has a wildcard (+ or #)';
  if (INVALID_CHARACTER.test(topic)) return 'it has a control character or an invalid code point';
  const levels = topic.split('/').length;
  if (levels > MOST_LEVELS) return `it has ${levels} levels; at most ${MOST_LEVELS} are allowed`;
  const bytes = new TextEncoder().encode(topic).length;
  if (bytes > LONGEST_FIELD) return `it has ${bytes} bytes; at most ${LONGEST_FIELD} are allowed`;
  return undefined;
};

/** A topic for the log; a very long one is shortened. */
export const shortTopic = (topic: string): string => (topic.length > 200 ? `${topic.slice(0, 200)}…` : topic);
