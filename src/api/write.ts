/** The bridge confirms a write for minutes and waits up to 10 min for quota. After this no answer comes. */
export const LATE_MS = 15 * 60_000;

/** A unique id for a write, to match its answers. Works without a secure context. */
export const newId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
