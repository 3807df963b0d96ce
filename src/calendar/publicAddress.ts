import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Local, private, provider and reserved networks. An address in the settings must not lead there. */
const PRIVATE_NETWORKS = {
  4: '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
  // ::ffff:0:0/96, ::ffff:0:0:0/96, 64:ff9b::/96 and 2001::/23 contain embedded IPv4 addresses.
  6: '::/96 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8',
} as const;

const listOf = (family: 4 | 6): BlockList => {
  const list = new BlockList();
  for (const network of PRIVATE_NETWORKS[family].split(' ')) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), `ipv${family}`);
  }
  return list;
};

/** One list per family: a combined list matches every IPv4 address to ::ffff:0:0/96. */
const LISTS = { 4: listOf(4), 6: listOf(6) };

/** True for a public IP address. */
export const isPublic = (address: string): boolean => {
  const family = isIP(address);
  return (family === 4 || family === 6) && !LISTS[family].check(address, `ipv${family}`);
};

/** True if the host of a URL is a non-public IP address. Does no DNS lookup. */
export const isPrivateHost = (hostname: string): boolean => {
  const host = hostname.replace(/^\[|\]$/gu, '');
  return isIP(host) !== 0 && !isPublic(host);
};

/** Resolves a name to public addresses only, so that the connection uses a checked address. */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    const addresses = error ? [] : found.filter(({ address }) => isPublic(address));
    const [first] = addresses;
    if (error) callback(error, '');
    else if (!first) callback(Object.assign(new Error('the name resolves to a private network'), { code: 'ENOTPUBLIC' }), '');
    else if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};
