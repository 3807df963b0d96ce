import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

type Packet = { readonly type: number; readonly flags: number; readonly body: Buffer };

/** Between a client and a broker: counts what passes, and fails as brokers and networks do. */
export type BrokerProxy = {
  readonly url: string;
  /** Protocol levels of the CONNECTs that came: 4 for MQTT 3.1.1, 5 for MQTT 5. */
  readonly connects: readonly number[];
  /** The most messages that waited for their acknowledgement at one time. */
  mostUnacknowledged(): number;
  /** What is to be done with a CONNECT of MQTT 5: nothing special, close, or never answer. */
  v5: 'pass' | 'close' | 'ignore';
  /** Cuts the connection when so many further messages have come from the client, before the last is passed on. */
  cutAfter(messages: number): void;
  /** Cuts the connection at every message from the client on such a topic, which is not passed on. */
  cutAt(fits: (topic: string) => boolean): void;
  /** On these connections no further acknowledgement of a message reaches the client. */
  swallow(on: 'present' | 'all' | 'none'): void;
  /** Cuts every connection now. */
  cut(): void;
  /** From now on nothing passes any more, and nothing is closed. */
  stall(): void;
  close(): Promise<void>;
};

const CONNECT = 1;
const PUBLISH = 3;
const PUBACK = 4;

/** Splits what arrives into MQTT packets. */
const packets = (take: (packet: Packet, raw: Buffer) => void) => {
  let rest = Buffer.alloc(0);
  return (chunk: Buffer): void => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      let length = 0;
      let at = 1;
      for (let shift = 0; ; shift += 7, at += 1) {
        const byte = rest[at];
        if (byte === undefined) return;
        length += (byte & 127) << shift;
        if (byte < 128) break;
      }
      const end = at + 1 + length;
      if (rest.length < end) return;
      const head = rest[0] ?? 0;
      const raw = rest.subarray(0, end);
      rest = rest.subarray(end);
      take({ type: head >> 4, flags: head & 15, body: raw.subarray(at + 1) }, raw);
    }
  };
};

export const startProxy = async (brokerPort: number): Promise<BrokerProxy> => {
  const sockets = new Set<Socket>();
  const connects: number[] = [];
  const state = { v5: 'pass' as BrokerProxy['v5'], left: Number.POSITIVE_INFINITY, stalled: false, most: 0, swallowsAll: false };
  /** Clients that get no acknowledgements. */
  const deaf = new Set<Socket>();
  let isFatal = (_topic: string): boolean => false;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    const broker = connect(brokerPort, '127.0.0.1');
    let waiting = 0;
    for (const [socket, other] of [
      [client, broker],
      [broker, client],
    ] as const) {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          if (!state.stalled) other.destroy();
        });
    }
    const fromClient = packets(({ type, flags, body }, raw) => {
      if (type === CONNECT) {
        // After the protocol's name, two bytes of length and `MQTT`.
        const level = body[6] ?? 0;
        connects.push(level);
        if (level === 5 && state.v5 === 'close') client.destroy();
        if (level === 5 && state.v5 !== 'pass') return;
      }
      if (type === PUBLISH && flags & 2) {
        waiting += 1;
        state.most = Math.max(state.most, waiting);
        state.left -= 1;
        if (state.left <= 0 || isFatal(body.subarray(2, 2 + body.readUInt16BE(0)).toString())) {
          state.left = Number.POSITIVE_INFINITY;
          cut();
          return;
        }
      }
      if (!broker.destroyed) broker.write(raw);
    });
    const fromBroker = packets(({ type }, raw) => {
      if (type === PUBACK && (state.swallowsAll || deaf.has(client))) return;
      if (type === PUBACK) waiting -= 1;
      if (!client.destroyed) client.write(raw);
    });
    client.on('data', (chunk: Buffer) => state.stalled || fromClient(chunk));
    broker.on('data', (chunk: Buffer) => state.stalled || fromBroker(chunk));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `mqtt://127.0.0.1:${port}`,
    connects,
    mostUnacknowledged: () => state.most,
    get v5() {
      return state.v5;
    },
    set v5(to) {
      state.v5 = to;
    },
    cutAfter: (messages) => {
      state.left = messages;
    },
    cutAt: (fits) => {
      isFatal = fits;
    },
    swallow: (on) => {
      state.swallowsAll = on === 'all';
      deaf.clear();
      if (on === 'present') for (const socket of sockets) deaf.add(socket);
    },
    cut,
    stall: () => {
      state.stalled = true;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
};
