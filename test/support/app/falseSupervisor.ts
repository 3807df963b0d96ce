import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export const TOKEN = 'c0ffee-token-of-the-supervisor';

/** What `GET /services/mqtt` gives: the broker as its app has registered it. */
export type MqttService = { readonly host: string; readonly port: number; readonly username: string; readonly password: string };

export type FalseSupervisor = {
  readonly port: number;
  /** Every request that came. */
  readonly asked: readonly { readonly path: string; readonly headers: IncomingHttpHeaders; readonly status: number }[];
  /** The broker from now on; undefined while none has registered. */
  service: MqttService | undefined;
  /** Cuts each request, as while it is updated. */
  isAway: boolean;
};

/** The Supervisor of Home Assistant, as far as an app asks it. `notYet` answers come before the first broker. It ends with the test. */
export const startFalseSupervisor = async (service?: MqttService, { notYet = 0 } = {}): Promise<FalseSupervisor> => {
  const asked: { path: string; headers: IncomingHttpHeaders; status: number }[] = [];
  const server = createServer(({ url = '', headers, socket }, response) => {
    if (here.isAway) {
      socket.destroy();
      return;
    }
    const answer = (status: number, body: object): void => {
      asked.push({ path: url, headers, status });
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
    };
    if (headers.authorization !== `Bearer ${TOKEN}`) answer(401, { result: 'error', message: 'Unauthorized' });
    else if (url !== '/services/mqtt') answer(403, { result: 'error', message: 'Forbidden' });
    else if (here.service === undefined || asked.length < notYet) answer(400, { result: 'error', message: 'Service not enabled' });
    else answer(200, { result: 'ok', data: { addon: 'core_mosquitto', ssl: false, protocol: '3.1.1', ...here.service } });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const here: FalseSupervisor = { port: (server.address() as AddressInfo).port, asked, service, isAway: false };
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return here;
};
