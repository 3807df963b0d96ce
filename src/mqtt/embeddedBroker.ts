import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Aedes } from 'aedes';
import { codeOf } from '../shared/errors.ts';

const HOST = '127.0.0.1';

/**
 * A broker in this process, for the demo and tests: MQTT 3.1.1 only, state in memory. Listens on `port`, or
 * with `orNext` on the first free port from there; rejects if no port is free. `close` ends every connection
 * and drops the retained messages.
 */
export const startEmbeddedBroker = async (port: number, orNext = false) => {
  const aedes = await Aedes.createBroker();
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    aedes.handle(socket);
  });
  const last = orNext ? port + 100 : port;
  for (let candidate = port; ; candidate += 1) {
    try {
      server.listen(candidate, HOST);
      await once(server, 'listening');
      break;
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE' || candidate >= last) throw error;
    }
  }
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `mqtt://${HOST}:${taken}`,
    port: taken,
    close: async (): Promise<void> => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
      await new Promise<void>((resolve) => aedes.close(() => resolve()));
    },
  };
};

export type EmbeddedBroker = Awaited<ReturnType<typeof startEmbeddedBroker>>;
