import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { hostOf } from '../../config/validation/webChecks.ts';

/** The checks of a request by its headers. They read nothing but their arguments. */

/** Names under which the page may be reached, beside those that `isHostAllowed` always takes. */
type KnownHosts = { readonly machine: string; readonly hosts: readonly string[] };

/** The host of an entry of `web.hosts`, as browsers send it: `müller.example` as `xn--mller-kva.example`. */
const asciiHost = (known: string): string => {
  const host = hostOf(known);
  return domainToASCII(host) || host;
};

const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

/** False for the name of another site that was made to lead here (DNS rebinding): names of the home network and `web.hosts` are allowed. */
export const isHostAllowed = (host: string | undefined, { machine, hosts }: KnownHosts): boolean => {
  if (host === undefined || !/^[\w.:[\]-]+$/u.test(host)) return false;
  const name = hostOf(host);
  if (name === '') return false;
  if (isIP(withoutBrackets(name)) > 0) return true;
  if (!name.includes('.') || name.endsWith('.local') || name === machine.toLowerCase()) return true;
  return hosts.some((known) => asciiHost(known) === name);
};

/** What a browser says of where a request comes from. */
type Origins = {
  readonly fetchSite: string | undefined;
  readonly origin: string | undefined;
  readonly host: string | undefined;
  /** What a trusted proxy says that the browser's host is. */
  readonly forwardedHost: string | undefined;
};

/** True where a request that changes something surely comes from the page itself. */
export const isFromPage = ({ fetchSite, origin, host, forwardedHost }: Origins, hosts: readonly string[]): boolean => {
  if (fetchSite !== undefined) return fetchSite === 'same-origin';
  // Plain http in the home network: browsers say the origin alone. It is `null` where the page is not known.
  const from = origin === undefined ? null : URL.parse(origin);
  if (!from || from.host === '') return false;
  return (
    [host, forwardedHost].some((own) => own !== undefined && isSameHost(from, own)) || hosts.some((own) => asciiHost(own) === from.hostname)
  );
};

/** A proxy may leave out the port, or name the usual one; two ports of one host are different sites all the same. */
const isSameHost = (from: URL, host: string): boolean => {
  const own = host.toLowerCase();
  if (own === from.hostname && hostOf(own) === own) return true;
  return URL.parse(`${from.protocol}//${own}`)?.host === from.host;
};

/** False for a read that another site makes. Opening the page from a link or a bookmark is none. */
export const mayRead = (fetchSite: string | undefined): boolean =>
  fetchSite === undefined || fetchSite === 'same-origin' || fetchSite === 'none';

export const isJson = (contentType: string | undefined): boolean => /^application\/json\s*(?:;|$)/i.test(contentType ?? '');

/** True where the client takes gzip (RFC 9110, 12.5.3). */
export const takesGzip = (acceptEncoding: string | undefined): boolean =>
  (acceptEncoding ?? '').split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return name === 'gzip' && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });

/** The path of a request below `base`, which a proxy keeps or has taken off; undefined for what is no path of the page. */
export const pathBelow = (base: string | undefined, path: string): string | undefined => {
  if (!path.startsWith('/')) return undefined;
  const prefix = base?.replace(/\/+$/, '') ?? '';
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length + 1) : path.slice(1);
};

/** The values of a cookie; a browser can send several of one name. */
export const cookiesNamed = (name: string, header: string | undefined): readonly string[] =>
  (header ?? '').split(';').flatMap((pair) => {
    const [key = '', ...value] = pair.split('=');
    return key.trim() === name ? [value.join('=').trim()] : [];
  });
