import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A SOCKS5 proxy on loopback without a login, for IPv4 addresses only (RFC 1928), with the ports it was asked for. */
export const startSocksProxy = async (): Promise<{ readonly url: string; readonly asked: readonly number[]; close(): Promise<void> }> => {
  const asked: number[] = [];
  const serve = async (socket: Socket): Promise<void> => {
    socket.on('error', () => undefined);
    await once(socket, 'data');
    socket.write(Buffer.from([5, 0]));
    const [request] = await once(socket, 'data');
    if (!Buffer.isBuffer(request)) return;
    const port = request.readUInt16BE(request.length - 2);
    asked.push(port);
    const onward = connect(port, '127.0.0.1');
    onward.on('error', () => socket.destroy());
    await once(onward, 'connect');
    socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
    socket.pipe(onward).pipe(socket);
  };
  const server = createServer((socket) => void serve(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `socks5://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
};
