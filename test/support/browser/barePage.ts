import type { RequestListener } from 'node:http';
import path from 'node:path';
import { browserBundle } from '../../../scripts/browserBundle.ts';

// The header that the bridge's own page has.
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Week editor</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="./page.css">
<script type="module" src="./editor.js"></script>
</head>
<body>
<main><h1>Week</h1><heating-week-editor></heating-week-editor></main>
</body>
</html>`;

const CSS = `body { margin: 0; background: Canvas; color-scheme: light dark; }
main { max-width: 1180px; margin: 0 auto; padding: 12px 24px 24px; }
h1 { font: 600 22px system-ui, sans-serif; }
@media (max-width: 520px) { main { padding: 6px; } }
.dark { background: #1b1d21; color: #eee; color-scheme: dark; }
.light { background: #fff; color: #111; color-scheme: light; }`;

/** A page that has nothing but the editor, with the header of the bridge's page. */
export const barePage = async (): Promise<RequestListener> => {
  const script = await browserBundle(path.resolve(import.meta.dirname, '../../../src/editor/main.ts'));
  const files: Readonly<Record<string, readonly [type: string, body: string]>> = {
    '/': ['text/html; charset=utf-8', HTML],
    '/page.css': ['text/css', CSS],
    '/editor.js': ['text/javascript', script],
  };
  return (request, response) => {
    const [type, body] = files[request.url ?? ''] ?? [];
    response.writeHead(body === undefined ? 404 : 200, { 'Content-Type': type ?? 'text/plain', 'Content-Security-Policy': CSP });
    response.end(body);
  };
};
