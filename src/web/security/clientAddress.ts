import type { IncomingHttpHeaders } from 'node:http';
import { type BlockList, isIP } from 'node:net';

/** An address without the form that sockets for both families give to IPv4. */
export const plainAddress = (address: string | undefined): string => (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '');

/** Whose tries and connections count together: an address; of IPv6 its network of 64 bits, in which a machine has any number of addresses. */
export const sourceOf = (address: string): string => {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter(Boolean);
  const hidden = tail === undefined ? 0 : 8 - groups.length - tail.split(':').filter(Boolean).length;
  return `${[...groups, ...Array<string>(hidden).fill('0'), ...(tail ?? '').split(':')].slice(0, 4).join(':')}::/64`;
};

export const isIn = (list: BlockList, address: string): boolean => {
  const family = isIP(address);
  return family > 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
};

export const isLoopback = (address: string): boolean => /^127\.\d+\.\d+\.\d+$|^::1$/.test(address);

/** Where a request comes from, as far as that is known. */
export type Origin = {
  /** The address of the browser, or of the last proxy that is not trusted. */
  readonly client: string;
  /** The browser is on this machine: each address on the way is of this machine. */
  readonly isLocal: boolean;
  readonly isSecure: boolean;
  /** The host that the browser asked for, where a trusted proxy says so. */
  readonly forwardedHost: string | undefined;
};

const listOf = (header: string | string[] | undefined): readonly string[] =>
  [header ?? []]
    .flat()
    .flatMap((text) => text.split(','))
    .map((text) => text.trim());

/** The addresses in a header of a proxy; some proxies write the port behind each. */
const addressesIn = (header: string | string[] | undefined): readonly string[] =>
  listOf(header).map((text) => plainAddress(text.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1')));

/** Reads the headers of proxies: those of a trusted one are believed, counted from the right; others only show that there was a proxy. */
export const originOf = (peerAddress: string | undefined, headers: IncomingHttpHeaders, trusted: BlockList): Origin => {
  const peer = plainAddress(peerAddress);
  const named = addressesIn(headers['x-forwarded-for']);
  const browsers = [...named, ...addressesIn(headers['x-real-ip'])];
  const isHidden = headers.forwarded !== undefined || (headers.via !== undefined && browsers.length === 0);
  const isLocal = isLoopback(peer) && browsers.every(isLoopback) && !isHidden;
  if (!isIn(trusted, peer)) return { client: peer, isLocal, isSecure: false, forwardedHost: undefined };
  // Before what is no address anybody may have written anything: whoever wrote it is the last that is known.
  const known = [...named.slice(named.findLastIndex((address) => isIP(address) === 0) + 1), peer];
  const client = known.findLast((address) => !isIn(trusted, address)) ?? known[0] ?? peer;
  // The last proxy has added or replaced these.
  const [host, scheme] = ['x-forwarded-host', 'x-forwarded-proto'].map((name) => listOf(headers[name]).at(-1)?.toLowerCase());
  return { client, isLocal, isSecure: scheme === 'https', forwardedHost: host };
};
