/** An MQTT message with QoS 1. An empty retained payload clears the topic. */
export type Message = {
  readonly topic: string;
  readonly payload: string;
  readonly retain: boolean;
};

/** An outgoing message. `correlationData` (MQTT 5 only) is echoed to the sender of the request. */
export type Outgoing = Message & { readonly correlationData?: Uint8Array | undefined };

/**
 * `isInterim`: another answer follows. `isRejection`: rejects a message. `isKept`: never dropped; its sender
 * limits how many wait. `onDelivered`: acked or refused.
 */
export type SendOptions = {
  readonly onDelivered?: (() => void) | undefined;
  readonly isInterim?: boolean;
  readonly isRejection?: boolean;
  readonly isKept?: boolean;
};

/** A received message. */
export type Incoming = {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly retain: boolean;
  readonly responseTopic?: string | undefined;
  readonly correlationData?: Uint8Array | undefined;
};

/** Loaded on first use: it takes 10 ms, and the bridge must hear commands first. */
let crypto: typeof import('node:crypto') | undefined;

/** The SHA-1 digest, to detect differences. Not for secrets. */
export const sha1 = (data: string | Uint8Array, encoding: 'base64' | 'hex'): string => {
  crypto ??= process.getBuiltinModule('node:crypto');
  return crypto.hash('sha1', data, encoding);
};
