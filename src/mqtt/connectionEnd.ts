import type { MqttClient } from 'mqtt';
import type { EndCause } from './reconnectBackoff.ts';

const SESSION_TAKEN_OVER = 142;

/** How a connection ended; `why` is for the log. */
export type ConnectionEnd = EndCause & { readonly why: string };

/** Observes a connection's end. DISCONNECT overrides network errors. `inFlight`: unacknowledged count. */
export const watchConnectionEnd = (client: MqttClient, inFlight: () => number) => {
  let decided: ConnectionEnd | undefined;
  let networkError: string | undefined;
  let left = 0;
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
    left = inFlight();
  });
  return {
    /** The bridge itself ends the connection, for this reason. */
    decide: (why: string): void => {
      decided = { why, takenOver: false, explained: true, inFlight: 0 };
    },
    result: (): ConnectionEnd =>
      decided ?? { why: networkError ?? 'the broker closed the connection', takenOver: false, explained: left > 0, inFlight: left },
  };
};
