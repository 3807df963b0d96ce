import type { MqttClient } from 'mqtt';
import type { End } from './reconnectBackoff.ts';

const SESSION_TAKEN_OVER = 142;

/** How a connection ended, and why, as a person reads it. */
export type Ending = End & { readonly why: string };

/** Listens how a connection ends: what the broker says of it counts more than what the network says. */
export class EndingWatch {
  #said: Ending | undefined;
  #failure: string | undefined;
  #busy = false;

  /** `underWay` tells how many messages wait for their acknowledgement. */
  constructor(client: MqttClient, underWay: () => number) {
    client.on('error', ({ message }) => {
      this.#failure ??= message;
    });
    client.on('disconnect', ({ reasonCode = 0 }) => {
      const takenOver = reasonCode === SESSION_TAKEN_OVER;
      const why = takenOver ? 'another client connected with the same client id' : `the broker said goodbye (reason ${reasonCode})`;
      this.#said = { why, takenOver, explained: !takenOver };
    });
    // Before the client gives up what waits.
    client.prependListener('close', () => {
      this.#busy = underWay() > 0;
    });
  }

  /** We end it ourselves, for this reason. */
  decide(why: string): void {
    this.#said = { why, takenOver: false, explained: true };
  }

  get ending(): Ending {
    return this.#said ?? { why: this.#failure ?? 'the broker closed the connection', takenOver: false, explained: this.#busy };
  }
}
