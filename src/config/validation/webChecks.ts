import { BlockList, isIP } from 'node:net';
import { checkText, checkThat, wrong } from './checks.ts';
import { rowsOf, textShape, textsOf } from './rows.ts';

/** The minimum length of a page password that other people can try. */
export const SHORTEST_PASSWORD = 8;

/** `scrypt$<salt>$<digest>`, as printed by `heating2mqtt web-password`. */
export const HASHED = /^scrypt\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;

const HOST = /^(?:[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*\.?|\[[\da-f:.]+\])$/iu;

/** The host in a typed address without scheme, port and path (`https://heating.example.com:8443/`). */
export const hostOf = (text: string): string => {
  const [, rest = ''] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)/i.exec(text.trim()) ?? [];
  return rest.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
};

/** True for an IP address, or a network such as 172.16.0.0/12. */
const isNetwork = (text: string): boolean => {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
};

/** The networks as a list for lookups; each has the format `networks`. */
export const networks = (texts: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const text of texts) {
    const [address = '', bits] = text.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
};

/** The formats of settings for access to the page. */
export const WEB_FORMATS = {
  /** An address of this machine to listen on. */
  address: rowsOf<string>(
    checkThat(
      (text) => isIP(text) > 0 || text === 'localhost',
      'address',
      'is not an IP address',
      'an address of this machine, such as 192.168.1.10, or 0.0.0.0 for all',
    ),
    () => textShape,
  ),
  /** A password, or the hash of one. */
  password: rowsOf<string>(
    (value, limits) => {
      const found = checkText(value, limits);
      if (found.length > 0 || typeof value !== 'string' || !value.startsWith('scrypt$') || HASHED.test(value)) return found;
      return wrong('password', 'begins like a hashed password but is not one', 'a line that `heating2mqtt web-password` prints');
    },
    () => textShape,
  ),
  hosts: textsOf(checkThat((text) => HOST.test(hostOf(text)), 'host', 'is not a host name', 'a name, such as heating.example.com')),
  networks: textsOf(
    checkThat(isNetwork, 'network', 'is not an IP address or network', 'an address or network, such as 192.168.1.2 or 172.16.0.0/12'),
  ),
  /** Sources of the header Content-Security-Policy: only scheme and host. */
  origins: textsOf(
    checkThat(
      (text) => /^https?:\/\/[^\s/;,'"?#@\\*]+$/i.test(text) && URL.canParse(text),
      'origin',
      'is not the address of a website',
      'scheme, host and port, such as https://ha.example.com:8123',
    ),
  ),
} as const;
