import type { MqttClient } from 'mqtt';
import type { EndCause } from './reconnectBackoff.ts';

const SESSION_TAKEN_OVER = 142;

/** How a connection ended; `why` is for the log. */
export type ConnectionEnd = EndCause & { readonly why: string };

/** Observes how a connection ends. The broker's DISCONNECT takes precedence over network errors. */
export class ConnectionEndWatch {
  #decided: ConnectionEnd | undefined;
  #networkError: string | undefined;
  #inFlight = 0;

  /** `inFlight` returns the number of unacknowledged messages. */
  constructor(client: MqttClient, inFlight: () => number) {
    client.on('error', ({ message }) => {
      this.#networkError ??= message;
    });
    client.on('disconnect', ({ reasonCode = 0 }) => {
      const takenOver = reasonCode === SESSION_TAKEN_OVER;
      const why = takenOver ? 'another client connected with the same client id' : `the broker said goodbye (reason ${reasonCode})`;
      this.#decided = { why, takenOver, explained: !takenOver, inFlight: 0 };
    });
    // Runs before the client rejects its unacknowledged messages.
    client.prependListener('close', () => {
      this.#inFlight = inFlight();
    });
  }

  /** The bridge itself ends the connection, for this reason. */
  decide(why: string): void {
    this.#decided = { why, takenOver: false, explained: true, inFlight: 0 };
  }

  get result(): ConnectionEnd {
    if (this.#decided) return this.#decided;
    const inFlight = this.#inFlight;
    return { why: this.#networkError ?? 'the broker closed the connection', takenOver: false, explained: inFlight > 0, inFlight };
  }
}
