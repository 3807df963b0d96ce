import type { MqttClient } from 'mqtt';
import type { InFlight } from './inFlight.ts';
import type { EndCause } from './reconnectBackoff.ts';

const SESSION_TAKEN_OVER = 142;

/** Logged if connections end with messages in flight and none acknowledged. */
export const AT_FIRST_MESSAGE =
  'the broker closes each connection at its first message: it must accept retained messages with QoS 1 and subscriptions with many levels from this user; see the log of the broker';

/** Logged if another client seems to have the same client id. */
export const CONTESTED =
  'another client takes over the connection to the broker again and again: is another bridge running with the same client id? Stop one, or give each its own mqtt.base or mqtt.client_id';

/** How a connection ended; `why` is for the log. `isAtDot`: perhaps because of a topic with a `.`. */
export type ConnectionEnd = EndCause & { readonly why: string; readonly isAtDot?: boolean };

/** Observes a connection's end. DISCONNECT overrides network errors. */
export const watchConnectionEnd = (client: MqttClient, inFlight: Pick<InFlight, 'size' | 'isAtDot'>) => {
  let decided: ConnectionEnd | undefined;
  let networkError: string | undefined;
  let left = 0;
  let isAtDot = false;
  client.on('error', ({ message }) => {
    networkError ??= message;
  });
  client.on('disconnect', ({ reasonCode = 0 }) => {
    const takenOver = reasonCode === SESSION_TAKEN_OVER;
    const why = takenOver
      ? 'another client connected with the same client id'
      : `the broker ended the connection (MQTT reason code ${reasonCode})`;
    decided = { why, takenOver, explained: !takenOver, inFlight: 0 };
  });
  // Runs before the client rejects its unacknowledged messages.
  client.prependListener('close', () => {
    left = inFlight.size;
    isAtDot = inFlight.isAtDot();
  });
  return {
    /** The bridge itself ends the connection, for this reason. */
    decide: (why: string): void => {
      decided = { why, takenOver: false, explained: true, inFlight: 0 };
    },
    result: (): ConnectionEnd =>
      decided ?? {
        why: networkError ?? 'the broker closed the connection',
        takenOver: false,
        explained: left > 0,
        inFlight: left,
        isAtDot,
      },
  };
};
