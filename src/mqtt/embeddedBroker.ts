import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Aedes } from 'aedes';

/** A broker in this process, for the demo and tests: MQTT 3.1.1 only, state in memory. */
export type EmbeddedBroker = {
  readonly url: string;
  readonly port: number;
  /** Closes every connection and drops the retained messages. */
  close(): Promise<void>;
};

/** Listens on `port`, or with `orNext` on the first free port from there. Rejects if no port is free. */
export const startEmbeddedBroker = async (
  port: number,
  options: { readonly host?: string; readonly orNext?: boolean } = {},
): Promise<EmbeddedBroker> => {
  const host = options.host ?? '127.0.0.1';
  const aedes = await Aedes.createBroker();
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    aedes.handle(socket);
  });
  const last = options.orNext && port > 0 ? port + 100 : port;
  for (let candidate = port; ; candidate += 1) {
    try {
      server.listen(candidate, host);
      await once(server, 'listening');
      break;
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!isTaken || candidate >= last) throw error;
    }
  }
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `mqtt://${host}:${taken}`,
    port: taken,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
      await new Promise<void>((resolve) => aedes.close(() => resolve()));
    },
  };
};
