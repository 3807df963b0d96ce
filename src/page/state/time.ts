import { signal } from '@preact/signals';
import { bridgeNow } from './api.ts';

const MINUTE_MS = 60_000;
const TICK_MS = 5000;

/** The bridge's time (epoch ms); updated every minute. */
export const now = signal(bridgeNow());

setInterval(() => {
  const present = bridgeNow();
  if (!document.hidden && Math.floor(present / MINUTE_MS) !== Math.floor(now.value / MINUTE_MS)) now.value = present;
}, TICK_MS);
