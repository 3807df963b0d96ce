import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'mqtt';

/**
 * What the page cannot go below, run as a child process: a static server of files that are compressed already, which passes on what it hears
 * on one topic. It gets its task as JSON in `TASK`, and reports its port.
 */
export type PageFloorTask = {
  readonly broker: string;
  /** A file with `FloorFile[]`. */
  readonly files: string;
};

/** A file by its path; `body` is compressed with gzip, in Base64. */
export type FloorFile = { readonly path: string; readonly type: string; readonly body: string };

const task: PageFloorTask = JSON.parse(process.env['TASK'] ?? '{}');
const found: readonly FloorFile[] = JSON.parse(readFileSync(task.files, 'utf8'));
const files = new Map(found.map(({ path, type, body }) => [path, { type, body: Buffer.from(body, 'base64') }]));
const streams = new Set<ServerResponse>();

const server = createServer(({ url = '' }, response) => {
  if (url === '/stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.flushHeaders();
    streams.add(response);
    response.once('close', () => streams.delete(response));
    return;
  }
  const file = files.get(url);
  if (!file) {
    response.writeHead(404).end();
    return;
  }
  const headers = { 'content-type': file.type, 'content-encoding': 'gzip', 'content-length': file.body.length };
  response.writeHead(200, { ...headers, 'cache-control': 'no-store' }).end(file.body);
});

const { hostname, port } = new URL(task.broker);
const mqtt = connect({ host: hostname, port: Number(port), protocolVersion: 5, reconnectPeriod: 0 });
mqtt.on('message', (_topic, payload) => {
  mqtt.publish('bench/floor/shown', payload, { qos: 1, retain: true });
  for (const response of streams) response.write(`event: topic\ndata: ${payload}\n\n`);
});
mqtt.on('connect', async () => {
  await mqtt.subscribeAsync('bench/floor/set', { qos: 1 });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.({ port: typeof address === 'object' && address ? address.port : 0 });
  });
});
process.once('disconnect', () => process.exit());
process.once('SIGTERM', () => process.exit());
