import type { Clock } from '../shared/clock.ts';

// Mosquitto accepts 20 unacknowledged messages by default; a burst of 128 made other brokers reset the
// connection. An MQTT 5 broker announces its limit; an MQTT 3.1.1 broker does not.
export const DEFAULT_WINDOW = 16;
const MAX_WINDOW = 128;
/** Reserved for messages that bypass the queue: `bridge/state` may be sent while the queue is busy. */
const BESIDE_QUEUE = 1;

/** The queue's maximum of unacknowledged messages for this broker limit (MQTT 5). 0 would send nothing. */
export const windowOf = (receiveMaximum: number): number => Math.max(1, Math.min(receiveMaximum - BESIDE_QUEUE, MAX_WINDOW));

/**
 * The unacknowledged messages. Brokers acknowledge in the order of sending (MQTT 5, 4.6), so each
 * acknowledgement makes the next message the oldest. If a message stays the oldest for too long, its
 * acknowledgement is lost. `onLost` is called once, when the oldest message has waited for `limitMs`.
 */
export const messagesInFlight = (limitMs: number, clock: Clock, onLost: () => void) => {
  /** In the order of sending; the value is `isDotted`. */
  const pending = new Map<number, boolean>();
  /** One of those was acknowledged. */
  let takesDots = false;
  let sent = 0;
  const over = new AbortController();
  let oldestSinceMs = 0;
  let watching = false;

  /** One more message is in flight until `ended` is called with the returned number. `isDotted`: its topic has a `.`. */
  const begun = (isDotted = false): number => {
    if (pending.size === 0) oldestSinceMs = clock.elapsedMs();
    sent += 1;
    pending.set(sent, isDotted);
    if (!watching) void watch();
    return sent;
  };

  const ended = (one: number): void => {
    if (pending.keys().next().value === one) oldestSinceMs = clock.elapsedMs();
    takesDots ||= pending.get(one) === true;
    pending.delete(one);
  };

  /** Counts `work` as in flight until it settles, and returns its result. */
  const track = async <T>(work: Promise<T>): Promise<T> => {
    const one = begun();
    try {
      return await work;
    } finally {
      ended(one);
    }
  };

  /** Stops watching, because the connection has ended. */
  const end = (): void => over.abort();

  const watch = async (): Promise<void> => {
    if (over.signal.aborted) return;
    watching = true;
    while (pending.size > 0 && !over.signal.aborted) {
      const waitMs = oldestSinceMs + limitMs - clock.elapsedMs();
      if (waitMs <= 0) {
        over.abort();
        onLost();
        return;
      }
      await clock.sleep(waitMs, over.signal).catch(() => undefined);
    }
    watching = false;
  };

  return {
    get size(): number {
      return pending.size;
    },
    /** A topic with a `.` is in flight, and none was acknowledged on this connection. */
    isAtDot: (): boolean => !takesDots && [...pending.values()].includes(true),
    ...{ begun, ended, track, end },
  };
};

export type InFlight = ReturnType<typeof messagesInFlight>;
