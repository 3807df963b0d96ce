import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below those that systems give to outgoing connections, so that none takes a port before its program is started, or started again; above
 * those that browsers and `fetch` refuse (10080).
 */
const [FIRST, END] = [11_000, 32_000];
const given = new Set<number>();

/** A port that nobody listens on now. No port is given twice. */
export const freePort = async (): Promise<number> => {
  const port = randomInt(FIRST, END);
  if (given.has(port)) return freePort();
  given.add(port);
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return freePort();
  }
  server.close();
  await once(server, 'close');
  return port;
};
