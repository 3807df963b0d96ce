import { type Answer, htmlAnswer } from '../http/answer.ts';

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const page = (title: string, content: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body>${content}</body></html>`;

/** The login form. It posts back to the same address, query included, so nothing has to be kept between the two. */
export const loginPage = (note = ''): Answer =>
  htmlAnswer(
    200,
    page(
      'Log in (simulated platform)',
      `<h1>Log in</h1><p>This is a simulated platform: any user name and password will do, but <code>wrong</code> is a wrong password.</p>${note && `<p role="alert">${note}</p>`}
<form method="post">
<p><label>User name <input name="username" autocomplete="off"></label></p>
<p><label>Password <input name="password" type="password" autocomplete="off"></label></p>
<div class="captcha">Here the real service shows its captcha.</div>
<p><button name="action" value="allow">Log in</button> <button name="action" value="deny">Deny</button></p>
</form>`,
    ),
    { 'cache-control': 'no-store' },
  );

/** The 302 that the authorize endpoint ends with: the address in `Location` and, as a link, in the short HTML body. */
export const redirectPage = (location: string): Answer =>
  htmlAnswer(302, page('Redirect', `<a href="${escaped(location)}">${escaped(location)}</a>`), { location, 'cache-control': 'no-store' });
