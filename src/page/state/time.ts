import { signal } from '@preact/signals';
import { bridgeNow } from './api.ts';

/** The bridge's time (epoch ms), a few seconds old at most. */
export const now = signal(bridgeNow());

const TICK_MS = 5000;

setInterval(() => {
  if (!document.hidden) now.value = bridgeNow();
}, TICK_MS);
