import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const JSON_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

/** What a server may send without end, or as something much larger than it looks: the head, and what is repeated after it. */
const HOSTILE = {
  'an endless body': () => [`${JSON_HEAD}\r\n`, ' '.repeat(65_536)],
  'an endless body that promises to be short': () => [`${JSON_HEAD}content-length: 9007199254740991\r\n\r\n`, ' '.repeat(65_536)],
  'an endless body, byte by byte': () => [`${JSON_HEAD}transfer-encoding: chunked\r\n\r\n`, '1\r\n \r\n'.repeat(20_000)],
  'endless headers': () => [JSON_HEAD, `x-a: ${'a'.repeat(1000)}\r\n`.repeat(60)],
  'endless answers before the answer': () => ['', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000)],
  'a body packed a thousandfold': () => {
    const body = gzipSync(Buffer.alloc(512 * 1024 * 1024, ' ')).toString('latin1');
    return [`${JSON_HEAD}content-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n${body}`, ''];
  },
  'nothing at all': () => ['', ''],
  'headers alone': () => [`${JSON_HEAD}content-length: 10\r\n\r\n`, ''],
} as const satisfies Readonly<Record<string, () => readonly [head: string, endless: string]>>;

export type Hostile = keyof typeof HOSTILE;

export const HOSTILE_KINDS = Object.keys(HOSTILE) as readonly Hostile[];

/** A server of its own process that answers every request so; gives its address. */
export const serveHostile = async (kind: Hostile): Promise<{ readonly url: string; close(): void }> => {
  const child = fork(fileURLToPath(import.meta.url), [kind]);
  const [port] = await once(child, 'message');
  return { url: `http://127.0.0.1:${port}`, close: () => void child.kill('SIGKILL') };
};

const serve = (kind: Hostile): void => {
  const [head, endless] = HOSTILE[kind]();
  const server = createServer((socket) => {
    const more = (): void => {
      while (endless !== '' && !socket.destroyed && socket.write(endless, 'latin1'));
    };
    socket.on('error', () => undefined).on('drain', more);
    socket.once('data', () => {
      socket.write(head, 'latin1');
      more();
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object') process.send?.(address?.port);
  });
};

const isHostile = (word: string | undefined): word is Hostile => word !== undefined && word in HOSTILE;

const [, file, word] = process.argv;
if (file === fileURLToPath(import.meta.url) && process.send && isHostile(word)) serve(word);
