import { EventEmitter } from 'node:events';
import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';

/** What is published comes back at once; on a slow line documents may be on the way before it. */
const BACK_MS = 5000;
/** While nothing comes back it is tried so often: rights can be given without a new connection. */
const AGAIN_MS = 60_000;

/**
 * Whether the broker lets the bridge read. Mosquitto with an ACL file grants every subscription, and then forwards nothing of what the user may
 * not read: no command comes, and nothing says so. The bridge follows its own `bridge/state`, which lies retained. Where that is not shown, as
 * by a broker that does not repeat it, `announce` publishes it once more; what does not come back then may not be read.
 */
export const readRight = (announce: () => Promise<void>, clock: Clock, log: Log, signal: AbortSignal) => {
  const events = new EventEmitter<{ changed: [] }>();
  let isMissing = false;
  let over = new AbortController();

  /** The connection is ours, and `bridge/state` is subscribed to. */
  const connected = (): void => {
    over.abort();
    over = new AbortController();
    // Ends with the connection, or with what is shown.
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

  /** The broker has shown `bridge/state`. */
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
        'the broker shows the bridge nothing below mqtt.base, so no command may arrive: give its user the right to read and write there (in the ACL file of Mosquitto `topic readwrite`, with `/#` behind mqtt.base)',
      );
    else log.info({}, 'the broker lets the bridge read what is below mqtt.base');
    events.emit('changed');
  };

  return Object.assign(events, { connected, disconnected, shown, isMissing: (): boolean => isMissing });
};
