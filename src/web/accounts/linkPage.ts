import { LINK_WORDS } from '../../language/accounts/linkWords.ts';
import { isGerman } from '../http/refusalPage.ts';
import type { WebAnswer } from '../routes.ts';
import type { LinkFault } from './loginLinks.ts';

/** The data for the page of a link. */
export type LinkShown =
  | { readonly kind: 'start'; readonly account: string; readonly problem?: string }
  | {
      readonly kind: 'begun';
      readonly account: string;
      readonly platform: string;
      readonly redirect: string;
      readonly problem?: string | undefined;
    }
  | { readonly kind: 'done'; readonly account: string }
  | { readonly kind: 'fault'; readonly fault: LinkFault | 'failed' };

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (one) => ESCAPES[one] ?? one);

const STATUS = { altered: 404, gone: 410, expired: 410, used: 410, failed: 200 } as const;

/** A link's page, without scripts, in the browser's first language. `stylesheet`: its address from there. */
export const linkPage = (accepted: string | undefined, shown: LinkShown, stylesheet: string): WebAnswer => {
  const lang = isGerman(accepted) ? 'de' : 'en';
  const w = LINK_WORDS[lang];
  const code = 'problem' in shown ? shown.problem : undefined;
  const problem = code === undefined ? '' : `<p class="problem" role="alert">${escaped(w.problem[code] ?? w.problem.other ?? '')}</p>`;
  const button = (text: string, name = '') => `<div class="buttons"><button type="submit" class="button ${name}">${text}</button></div>`;
  const content = (): string => {
    switch (shown.kind) {
      case 'fault':
        return `<p class="banner" role="alert">${w.fault[shown.fault]}</p>${shown.fault === 'failed' ? '' : `<p>${w.newLink}</p>`}`;
      case 'done':
        return `<p class="good" role="status">${escaped(w.done(shown.account))}</p>`;
      case 'start':
        return `<p>${escaped(w.intro(shown.account))}</p>${problem}<form method="post">${button(w.start, 'primary')}</form>`;
      case 'begun':
        return `<p>${escaped(w.intro(shown.account))}</p>${problem}<p>${w.first}</p><div class="buttons"><a class="button primary" href="${escaped(shown.platform)}" target="_blank" rel="noopener noreferrer">${w.open}</a></div><p>${escaped(w.second(shown.redirect))}</p><p>${w.third}</p><form method="post" class="stack"><div class="field"><label for="address">${w.address}</label><input id="address" name="address" required autocomplete="off" autocapitalize="off" spellcheck="false"></div>${button(w.send)}</form>`;
      default:
        return shown satisfies never;
    }
  };
  const text = `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>${w.title}</title><link rel="stylesheet" href="${escaped(stylesheet)}"></head><body><main class="narrow" id="content"><h1>${w.title}</h1><section class="card stack">${content()}</section></main></body></html>`;
  return {
    status: shown.kind === 'fault' ? STATUS[shown.fault] : 200,
    // Without a referrer, browsers send no origin with a form.
    headers: { 'referrer-policy': 'same-origin', vary: 'accept-language' },
    content: { type: 'text/html; charset=utf-8', text },
  };
};
