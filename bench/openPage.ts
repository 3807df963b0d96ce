/** What a browser does that shows the page: it fetches the files of the first view and follows the stream. */

/** Files that a script imports at once; others are fetched when a view needs them. */
const IMPORTED = /(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g;
const OF_HTML = /(?:src|href)="\.\/([^"]+)"/g;

export const openPage = async (port: number): Promise<{ close(): void }> => {
  const url = `http://127.0.0.1:${port}/`;
  const fetched = new Set<string>();
  const text = async (path: string): Promise<string> => {
    const answer = await fetch(url + path);
    if (!answer.ok) throw new Error(`the page answers ${answer.status} to ${path}`);
    return answer.text();
  };
  const load = async (paths: Iterable<readonly string[]>): Promise<void> => {
    for (const [, path = ''] of paths) {
      if (fetched.has(path)) continue;
      fetched.add(path);
      await load((await text(path)).matchAll(IMPORTED));
    }
  };
  await load((await text('')).matchAll(OF_HTML));
  await text('api/session');
  await text('api/state');
  const closed = new AbortController();
  const { body } = await fetch(`${url}api/stream`, { signal: closed.signal });
  const follow = async (): Promise<void> => {
    for await (const _ of body ?? []);
  };
  // The end of the stream is its abort.
  follow().catch(() => {});
  return { close: () => closed.abort() };
};
