import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { hostOf } from '../../config/validation/webChecks.ts';

/** The header checks of a request. They depend only on their arguments. */

/** Host names of the page, in addition to those that `isHostAllowed` always accepts. */
type KnownHosts = { readonly machine: string; readonly hosts: readonly string[] };

/** The host of an entry of `web.hosts`, as browsers send it: `müller.example` as `xn--mller-kva.example`. */
const asciiHost = (known: string): string => {
  const host = hostOf(known);
  return domainToASCII(host) || host;
};

const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

/** False for a foreign host name (DNS rebinding): home network names and `web.hosts` are allowed. */
export const isHostAllowed = (host: string | undefined, { machine, hosts }: KnownHosts): boolean => {
  if (host === undefined || !/^[\w.:[\]-]+$/u.test(host)) return false;
  const name = hostOf(host);
  if (name === '') return false;
  if (isIP(withoutBrackets(name)) > 0) return true;
  if (!name.includes('.') || name.endsWith('.local') || name === machine.toLowerCase()) return true;
  return hosts.some((known) => asciiHost(known) === name);
};

/** The browser's headers about the origin of a request. */
type Origins = {
  readonly fetchSite: string | undefined;
  readonly origin: string | undefined;
  readonly host: string | undefined;
  /** The browser's host, according to a trusted proxy. */
  readonly forwardedHost: string | undefined;
};

/** True if a request that changes something certainly comes from the page itself. */
export const isFromPage = ({ fetchSite, origin, host, forwardedHost }: Origins, hosts: readonly string[]): boolean => {
  if (fetchSite !== undefined) return fetchSite === 'same-origin';
  // With plain http in the home network, browsers send only the origin; it is `null` if unknown.
  const from = origin === undefined ? null : URL.parse(origin);
  if (!from || from.host === '') return false;
  return (
    [host, forwardedHost].some((own) => own !== undefined && isSameHost(from, own)) || hosts.some((own) => asciiHost(own) === from.hostname)
  );
};

/** A proxy may omit the port or name the default; two explicit ports of a host are different sites. */
const isSameHost = (from: URL, host: string): boolean => {
  const own = host.toLowerCase();
  if (own === from.hostname && hostOf(own) === own) return true;
  return URL.parse(`${from.protocol}//${own}`)?.host === from.host;
};

/** False for a read by another site. Opening the page from a link or a bookmark is allowed. */
export const mayRead = (fetchSite: string | undefined): boolean =>
  fetchSite === undefined || fetchSite === 'same-origin' || fetchSite === 'none';

export const isJson = (contentType: string | undefined): boolean => /^application\/json\s*(?:;|$)/i.test(contentType ?? '');

/** True if the client accepts gzip (RFC 9110, 12.5.3). */
export const takesGzip = (acceptEncoding: string | undefined): boolean =>
  (acceptEncoding ?? '').split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return name === 'gzip' && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });

/** The path below `base`, which a proxy keeps or removes; undefined if it is outside the page. */
export const pathBelow = (base: string | undefined, path: string): string | undefined => {
  if (!path.startsWith('/')) return undefined;
  const prefix = base?.replace(/\/+$/, '') ?? '';
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length + 1) : path.slice(1);
};

/** The values of a cookie; a browser can send several with one name. */
export const cookiesNamed = (name: string, header: string | undefined): readonly string[] =>
  (header ?? '').split(';').flatMap((pair) => {
    const [key = '', ...value] = pair.split('=');
    return key.trim() === name ? [value.join('=').trim()] : [];
  });
