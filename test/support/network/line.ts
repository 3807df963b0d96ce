import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

type Line = {
  readonly port: number;
  /** Connections end, and new ones are closed at once. */
  cut(isCut: boolean): void;
  /** Nothing passes any more, and nothing is closed, as where a machine is paused. */
  hang(): void;
  isUsed(): boolean;
};

/** A line to a port of this machine that can be cut. It ends with the test. */
export const startLine = async (target: number): Promise<Line> => {
  const sockets = new Set<Socket>();
  let isCut = false;
  let isHung = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    if (isHung) return void sockets.add(near);
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
    hang: () => {
      isHung = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    isUsed: () => sockets.size > 0,
  };
};
