import type { Incoming, Outgoing } from '../../../src/shared/message.ts';

/** A message to the broker, with the properties of MQTT 5. */
export type Sent = Omit<Outgoing, 'payload'> & { readonly payload: string | Uint8Array; readonly responseTopic?: string | undefined };

/** With MQTT 5 a client's own messages come back where `noLocal` is false alone. */
export type SubscriptionOptions = { readonly retainAsPublished?: boolean; readonly noLocal?: boolean };

export type MemoryClient = {
  publish(message: Sent): void;
  /** The retained messages come before it returns. */
  subscribe(filters: readonly string[], options?: SubscriptionOptions): void;
  unsubscribe(filter: string): void;
  /** Nothing comes any more. */
  end(): void;
};

export type MemoryBroker = {
  /** What lies retained, by topic. */
  readonly retained: ReadonlyMap<string, string>;
  /** With MQTT 3.1.1 a client's own messages come back, and live ones are never marked as retained. */
  connect(protocol: '5' | '3.1.1', received: (message: Incoming) => void): MemoryClient;
};

/** True where a filter of a subscription fits a topic: `+` is one level, `#` all the rest; neither begins with `$`. */
export const fits = (filter: string, topic: string): boolean => {
  if (filter === topic) return true;
  if (!/[+#]/.test(filter)) return false;
  if (topic.startsWith('$') && /^[+#]/.test(filter)) return false;
  const [levels, wanted] = [topic.split('/'), filter.split('/')];
  for (const [index, want] of wanted.entries()) {
    if (want === '#') return true;
    if (index >= levels.length || (want !== '+' && want !== levels[index])) return false;
  }
  return wanted.length === levels.length;
};

/** A broker that never fails: what is published is there at once, in order. */
export const memoryBroker = (): MemoryBroker => {
  const retained = new Map<string, string>();
  type Client = {
    readonly protocol: '5' | '3.1.1';
    readonly filters: Map<string, SubscriptionOptions>;
    readonly received: (message: Incoming) => void;
  };
  const clients = new Set<Client>();
  const publish = (from: Client, { topic, payload, retain, responseTopic, correlationData }: Sent): void => {
    const bytes = Buffer.from(payload);
    if (retain && bytes.length === 0) retained.delete(topic);
    else if (retain) retained.set(topic, bytes.toString());
    for (const client of clients) {
      const is5 = client.protocol === '5';
      const isOwn = client === from && is5;
      const found = [...client.filters].filter(([filter, { noLocal = true }]) => fits(filter, topic) && !(isOwn && noLocal));
      if (found.length === 0) continue;
      const isShownRetained = is5 && retain && found.some(([, { retainAsPublished = true }]) => retainAsPublished);
      const message = { topic, payload: bytes, retain: isShownRetained };
      const given = is5 ? { ...message, responseTopic, correlationData } : message;
      // Its own message reaches a client after what it does now.
      if (client === from) queueMicrotask(() => client.received(given));
      else client.received(given);
    }
  };
  return {
    retained,
    connect: (protocol, received) => {
      const client: Client = { protocol, filters: new Map(), received };
      clients.add(client);
      return {
        publish: (message) => publish(client, message),
        subscribe: (filters, options = {}) => {
          for (const filter of filters) {
            client.filters.set(filter, options);
            for (const [topic, payload] of [...retained]) {
              if (fits(filter, topic)) received({ topic, payload: Buffer.from(payload), retain: true });
            }
          }
        },
        unsubscribe: (filter) => void client.filters.delete(filter),
        end: () => void clients.delete(client),
      };
    },
  };
};
