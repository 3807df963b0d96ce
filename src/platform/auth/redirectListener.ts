import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { CodedError, codeOf } from '../../shared/errors.ts';

/** `not_here`: the redirect URI is no http address of this machine; `port_taken`: the port is in use. */
class RedirectError extends CodedError<'not_here' | 'port_taken'> {}

/** The page that the browser shows after the redirect. */
export type Page = { readonly status: number; readonly title: string; readonly text: string };

// A browser may resolve `localhost` to either address.
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  localhost: ['127.0.0.1', '::1'],
  '127.0.0.1': ['127.0.0.1'],
  '[::1]': ['::1'],
};

const NOTHING_HERE: Page = { status: 400, title: 'Nothing to do here', text: 'This address only receives the answer of a login.' };
const WENT_WRONG: Page = { status: 500, title: 'The login failed', text: 'See the terminal in which the login runs.' };

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);

const html = ({ title, text }: Page): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>heating2mqtt</title>
<style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem}</style></head>
<body><h1>${escaped(title)}</h1><p>${escaped(text)}</p></body></html>
`;

const answer = (response: ServerResponse, page: Page): void => {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    // The address contains the code: it must not be cached or sent as a referrer.
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  };
  response.writeHead(page.status, headers).end(html(page));
};

/** The reason why the server cannot listen there; undefined if it listens. */
const listen = async (server: Server, host: string, port: number): Promise<string | undefined> => {
  try {
    server.listen({ host, port, ipv6Only: host.includes(':') });
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return codeOf(error) ?? 'unknown reason';
  }
};

const close = async (server: Server): Promise<void> => {
  server.closeAllConnections();
  await server[Symbol.asyncDispose]();
};

/**
 * Passes each GET query to `receive`, which returns the page. RedirectError names the alternative `command`.
 */
export const listenForRedirect = async (
  redirectUri: string,
  command: string,
  receive: (query: URLSearchParams) => Promise<Page>,
): Promise<{ close(): Promise<void> }> => {
  const url = URL.parse(redirectUri);
  const hosts = url?.protocol === 'http:' ? ADDRESSES[url.hostname] : undefined;
  if (!url || !hosts) {
    const sentence = `The redirect URI ${redirectUri} is not an http address of this machine, so the browser cannot return to this command. Run \`${command}\`.`;
    throw new RedirectError('not_here', sentence);
  }
  const port = Number(url.port || 80);
  const pages = new Set<Promise<unknown>>();
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const sent = once(response, 'close').finally(() => pages.delete(sent));
    pages.add(sent);
    const asked = request.method === 'GET' ? URL.parse(request.url ?? '', 'http://localhost') : null;
    const page = asked ? receive(asked.searchParams) : Promise.resolve(NOTHING_HERE);
    page.then(
      (shown) => answer(response, shown),
      () => answer(response, WENT_WRONG),
    );
  };
  const servers: Server[] = [];
  const closeAll = async (): Promise<void> => {
    await Promise.all(pages);
    await Promise.all(servers.map(close));
  };
  for (const host of hosts) {
    const server = createServer(serve);
    const failure = await listen(server, host, port);
    if (failure === undefined) servers.push(server);
    // A machine without IPv6 has no ::1 and does not need it.
    else if (servers.length === 0 || failure === 'EADDRINUSE') {
      await closeAll();
      const why = failure === 'EADDRINUSE' ? 'another program uses it' : failure;
      const sentence = `The login needs port ${port} on ${hosts.join(' and ')}, which cannot be used: ${why}. Stop the program that uses it, or run \`${command}\`.`;
      throw new RedirectError('port_taken', sentence);
    }
  }
  return { close: closeAll };
};
