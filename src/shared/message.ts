/** An MQTT message with QoS 1. An empty retained payload clears the topic. */
export type Message = {
  readonly topic: string;
  readonly payload: string;
  readonly retain: boolean;
};

/** A message that is sent. `correlationData` goes with MQTT 5 only: it is echoed to the sender of the request. */
export type Outgoing = Message & { readonly correlationData?: Uint8Array | undefined };

/** A message that was received. */
export type Incoming = {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly retain: boolean;
  readonly responseTopic?: string | undefined;
  readonly correlationData?: Uint8Array | undefined;
};

/** Loaded at the first use: that takes 10 ms, which need not be before the bridge hears commands. */
let crypto: typeof import('node:crypto') | undefined;

/** The SHA-1 digest of a text or of bytes: to tell them apart, not for secrets. */
export const sha1 = (data: string | Uint8Array, encoding: 'base64' | 'hex'): string => {
  crypto ??= process.getBuiltinModule('node:crypto');
  return crypto.hash('sha1', data, encoding);
};
