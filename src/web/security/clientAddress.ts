import type { IncomingHttpHeaders } from 'node:http';
import { type BlockList, isIP } from 'node:net';

/** The address without the prefix that dual-stack sockets add to IPv4. */
export const plainAddress = (address: string | undefined): string => (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '');

/** The key for limits: the address; for IPv6 its /64 network, since one machine can have many addresses. */
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

/** The origin of a request, if known. */
export type Origin = {
  /** The address of the browser, or of the last untrusted proxy. */
  readonly client: string;
  /** The browser is on this machine: all addresses on the way belong to it. */
  readonly isLocal: boolean;
  readonly isSecure: boolean;
  /** The host that the browser requested, according to a trusted proxy. */
  readonly forwardedHost: string | undefined;
};

const listOf = (header: string | string[] | undefined): readonly string[] =>
  [header ?? []]
    .flat()
    .flatMap((text) => text.split(','))
    .map((text) => text.trim());

/** The addresses in a proxy header; some proxies append the port. */
const addressesIn = (header: string | string[] | undefined): readonly string[] =>
  listOf(header).map((text) => plainAddress(text.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1')));

/** Reads proxy headers: trusted ones are believed, from right to left; others only reveal a proxy. */
export const originOf = (peerAddress: string | undefined, headers: IncomingHttpHeaders, trusted: BlockList): Origin => {
  const peer = plainAddress(peerAddress);
  const named = addressesIn(headers['x-forwarded-for']);
  const browsers = [...named, ...addressesIn(headers['x-real-ip'])];
  const isHidden = headers.forwarded !== undefined || (headers.via !== undefined && browsers.length === 0);
  const isLocal = isLoopback(peer) && browsers.every(isLoopback) && !isHidden;
  if (!isIn(trusted, peer)) return { client: peer, isLocal, isSecure: false, forwardedHost: undefined };
  // Entries before an invalid address may be forged: the sender of that entry is the last known one.
  const known = [...named.slice(named.findLastIndex((address) => isIP(address) === 0) + 1), peer];
  const client = known.findLast((address) => !isIn(trusted, address)) ?? known[0] ?? peer;
  // The last proxy added or replaced these.
  const [host, scheme] = ['x-forwarded-host', 'x-forwarded-proto'].map((name) => listOf(headers[name]).at(-1)?.toLowerCase());
  return { client, isLocal, isSecure: scheme === 'https', forwardedHost: host };
};
