import { gzipSync } from 'node:zlib';
import { parseAst } from 'rolldown/parseAst';
import type { FloorFile } from './pageFloor.ts';

/** Makes the floor page of a view: as many files of the same size. Its scripts are parsed and do nothing. */

export type Fetched = { readonly path: string; readonly type: string; readonly text: string };

const packed = (path: string, type: string, text: string): FloorFile => ({
  path,
  type,
  body: gzipSync(text, { level: 9 }).toString('base64'),
});

/** A script of the page inside a function that nobody calls; what it imports and exports is left out. */
const idle = (code: string): string => {
  const body = parseAst(code).body.filter(({ type }) => !/^(?:Import|Export)/.test(type));
  const text = body.map(({ start, end }) => code.slice(start, end)).join(';');
  return `globalThis.idle=async function(){${text}};globalThis.parsed=(globalThis.parsed??0)+1;`;
};

/** In the place of the first script, which is as small: shows the state, and what the stream brings. */
const FIRST = `const [state] = await Promise.all(['./state', './session'].map(async (url) => (await fetch(url)).text()));
document.getElementById('state').textContent = state;
new EventSource('../stream').addEventListener('topic', ({ data }) => {
  document.getElementById('value').textContent = data;
});`;

/** A floor page below `/<path>/`: its files, their size as they are sent, and what is true in it when it shows everything. */
export type FloorPage = {
  readonly path: string;
  readonly files: readonly FloorFile[];
  readonly bytes: number;
  readonly isReady: string;
};

/** Makes the floor page of what a view of the page has fetched. */
export const floorPage = (folder: string, fetched: readonly Fetched[]): FloorPage => {
  const at = (path: string): string => `/${folder}/${path}`;
  const scripts = fetched.filter(({ type }) => type.startsWith('text/javascript'));
  const styles = fetched.filter(({ type }) => type.startsWith('text/css'));
  const [first, ...others] = scripts.toSorted((a, b) => a.text.length - b.text.length);
  if (!first) throw new Error(`the view ${folder} has fetched no scripts`);
  const api = (path: string): Fetched => {
    const found = fetched.find((one) => one.path === path);
    if (!found) throw new Error(`the view ${folder} has not fetched ${path}`);
    return found;
  };
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
${styles.map(({ path }) => `<link rel="stylesheet" href="./${path}">`).join('\n')}
${[first, ...others].map(({ path }) => `<script type="module" src="./${path}"></script>`).join('\n')}
</head>
<body><p id="value">0</p><pre id="state"></pre></body>
</html>`;
  const files = [
    packed(at(''), 'text/html; charset=utf-8', html),
    packed(at(first.path), first.type, FIRST),
    ...others.map(({ path, type, text }) => packed(at(path), type, idle(text))),
    ...styles.map(({ path, type, text }) => packed(at(path), type, text)),
    packed(at('state'), 'text/plain; charset=utf-8', api('api/state').text),
    packed(at('session'), 'text/plain; charset=utf-8', api('api/session').text),
  ];
  const bytes = files.reduce((sum, { body }) => sum + Buffer.byteLength(body, 'base64'), 0);
  const isReady = `(globalThis.parsed ?? 0) >= ${others.length} && document.getElementById('state')?.textContent.length > 100`;
  return { path: folder, files, bytes, isReady };
};
