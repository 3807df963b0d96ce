import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Aedes } from 'aedes';
import { onTestFinished } from 'vitest';

/** A broker that lets in who knows the password of now, and whoever says that it is the recorder of the test. */
export type StrictBroker = {
  readonly port: number;
  readonly url: string;
  /** As after it was installed anew: another password, and every connection is cut. */
  change(password: string): void;
};

/** Starts the broker; it ends with the test. */
export const startStrictBroker = async (username: string, first: string): Promise<StrictBroker> => {
  let password = first;
  const aedes = await Aedes.createBroker({
    authenticate: (client, user, given, done) => {
      const isRecorder = client.id.startsWith('recorder');
      const isRight = isRecorder || (user === username && given?.toString() === password);
      // 4 is the code of MQTT 3.1.1 for a wrong user name or password.
      if (isRight) done(null, true);
      else done(Object.assign(new Error('wrong'), { returnCode: 4 }), false);
    },
  });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    aedes.handle(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(async () => {
    server.close();
    cut();
    await new Promise<void>((resolve) => aedes.close(() => resolve()));
  });
  return {
    port,
    url: `mqtt://127.0.0.1:${port}`,
    change: (next) => {
      password = next;
      cut();
    },
  };
};
