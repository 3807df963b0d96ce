import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A command that reached the platform: which worker has sent it, and when by `performance.now()`. */
export type Sent = { readonly worker: string; readonly atMs: number };

/** A platform that tells workers apart (namedCalls.ts), in front of another one. It ends with the test. */
export const platformFront = async (target: string): Promise<{ readonly url: string; readonly sent: readonly Sent[] }> => {
  const sent: Sent[] = [];
  const server = createServer((near, answer) => {
    if (near.method === 'POST') sent.push({ worker: String(near.headers['x-worker']), atMs: performance.now() });
    const far = request(target + near.url, { method: near.method ?? 'GET', headers: near.headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    far.on('error', () => answer.destroy());
    near.on('error', () => far.destroy());
    near.pipe(far);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent };
};
