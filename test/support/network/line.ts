import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A line to a port of this machine that can be cut: then connections end, and new ones are closed at once. It ends with the test. */
export const startLine = async (target: number): Promise<{ readonly port: number; cut(isCut: boolean): void }> => {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
    return undefined;
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    end();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    cut: (now) => {
      isCut = now;
      if (now) end();
    },
  };
};
