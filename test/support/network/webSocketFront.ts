import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { createWebSocketStream, WebSocketServer } from 'ws';

/** A door of WebSockets on loopback before the broker at `brokerPort`; with a certificate it speaks TLS. */
export const startWebSocketFront = async (
  brokerPort: number,
  certificate?: { readonly cert: string; readonly key: string },
): Promise<{ readonly port: number; close(): Promise<void> }> => {
  const server = certificate ? createSecureServer(certificate) : createServer();
  new WebSocketServer({ server }).on('connection', (socket) => {
    const stream = createWebSocketStream(socket);
    const broker = connect(brokerPort, '127.0.0.1');
    for (const end of [stream, broker]) end.on('error', () => undefined);
    stream.pipe(broker).pipe(stream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
