import type { IncomingMessage } from 'node:http';
import { REFUSAL_PAGES } from '../../language/setup/refusalWords.ts';
import { isRecord } from '../../shared/json.ts';
import type { WebAnswer } from '../routes.ts';

/** True if German is the browser's first language among those of the page, as the page itself decides. */
export const isGerman = (accepted: string | undefined): boolean =>
  /(?:^|,)\s*(?:de|en)\b/i
    .exec(accepted ?? '')?.[0]
    .slice(-2)
    .toLowerCase() === 'de';

/** A refusal as an HTML page for a browser; unchanged for programs, or if there is no text. */
export const refusalPage = (refusal: WebAnswer, { headers, socket }: IncomingMessage): WebAnswer => {
  const code = isRecord(refusal.json) ? String(refusal.json.error) : '';
  const lang = isGerman(headers['accept-language']) ? 'de' : 'en';
  const [title, ...sentences] = REFUSAL_PAGES[code]?.[lang] ?? [];
  if (title === undefined || !/\btext\/html\b/.test(headers.accept ?? '')) return refusal;
  const content = [
    `<h1>${title}</h1>`,
    ...sentences.map((sentence) => `<p>${sentence.replace('{port}', String(socket.localPort))}</p>`),
  ].join('');
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>heating2mqtt</title>`;
  const text = `<!doctype html><html lang="${lang}"><head>${head}</head><body><main>${content}</main></body></html>`;
  return { status: refusal.status, headers: { vary: 'accept, accept-language' }, content: { type: 'text/html; charset=utf-8', text } };
};
