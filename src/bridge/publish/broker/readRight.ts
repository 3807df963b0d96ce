import { EventEmitter } from 'node:events';
import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';

/** An echo arrives at once; on a slow line, documents may be sent before it. */
const BACK_MS = 5000;
/** The retry interval while no echo arrives: rights can be granted without a new connection. */
const AGAIN_MS = 60_000;

/**
 * Tests whether the broker lets the bridge read. With an ACL file, Mosquitto grants every subscription but
 * silently drops messages that the user may not read, commands included. The bridge subscribes to its own
 * retained `bridge/state`. If no message arrives (some brokers do not resend it), `announce` publishes it
 * again; if that is not echoed, the bridge has no read right.
 */
export const readRight = (announce: () => Promise<void>, clock: Clock, log: Log, signal: AbortSignal) => {
  const events = new EventEmitter<{ changed: [] }>();
  let isMissing = false;
  let over = new AbortController();

  /** Connected, and `bridge/state` is subscribed. */
  const connected = (): void => {
    over.abort();
    over = new AbortController();
    // Ends with the connection, or when `bridge/state` arrives.
    watch(AbortSignal.any([signal, over.signal])).catch(() => undefined);
  };

  const watch = async (ended: AbortSignal): Promise<void> => {
    await clock.sleep(BACK_MS, ended);
    for (;;) {
      await announce();
      await clock.sleep(BACK_MS, ended);
      set(true);
      await clock.sleep(AGAIN_MS, ended);
    }
  };

  const disconnected = (): void => over.abort();

  /** The broker has sent `bridge/state`. */
  const shown = (): void => {
    over.abort();
    set(false);
  };

  const set = (isNow: boolean): void => {
    if (isNow === isMissing) return;
    isMissing = isNow;
    if (isNow)
      log.warn(
        {},
        'the broker does not send the bridge its own messages below mqtt.base, so commands do not arrive, or values are not published: give its user the right to read and write there (in the ACL file of Mosquitto `topic readwrite`, with `/#` after mqtt.base)',
      );
    else log.info({}, 'the broker lets the bridge read the topics below mqtt.base');
    events.emit('changed');
  };

  return Object.assign(events, { connected, disconnected, shown, isMissing: (): boolean => isMissing });
};
