/** The bridge confirms a write for some minutes, and waits for quota for ten: after this time no last answer comes any more. */
export const LATE_MS = 15 * 60_000;

/** A name for a write that no other has, by which its answers are known. Made without a secure context. */
export const newId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
