import { isGlob } from '../../shared/pattern.ts';
import { addressesIn } from './brokerAddresses.ts';
import { atProtocol, type Check, checkEach, checkTextBy, checkThat, shown, withoutSecrets, wrong } from './checks.ts';
import type { Problem } from './mistake.ts';
import { asJsonList, asList, type JsonSchema, listShape, rowsOf, textShape } from './rows.ts';

// Characters that end user and password in an address (RFC 3986 §3.2; the URL standard adds \).
const ENDING: Readonly<Record<string, string>> = { '/': '%2F', '?': '%3F', '#': '%23', '\\': '%5C' };

/** The character that ends user and password too early, so that the address would have another host. */
const endingIn = (text: string): string | undefined => {
  const [, user = ''] = /:\/\/(.*)@/s.exec(text) ?? [];
  return /[/?#\\]/.exec(user)?.[0];
};

/** A wrong address without a possible password. Without a host, a password may follow the colon. */
const withoutPassword = (text: string): string => {
  const [protocol, rest] = atProtocol(withoutSecrets(text));
  return protocol + rest.replace(/^((?:…@)?(?:\[[^\]]*\])?[^:]*:)(?!\d{1,5}(?:[/?#]|$)).*$/s, '$1…').replace(/([?#]).+$/s, '$1…');
};

const shownAddress = (text: string): string => shown(text, {}, withoutPassword);

/** A text in place of an address may contain a password. */
const HIDDEN = { sensitive: true } as const;

const LAST_PORT = 65_535;

/** The problem of an address whose port is out of range: 0, or one that URL does not parse. */
const checkPort = (text: string, example: string | undefined): readonly Problem[] => {
  const [, rest] = atProtocol(text);
  const [, port] = /^(?:[^@]*@)?(?:\[[^\]]*\]|[^:/?#]*):(\d+)(?:[/?#]|$)/.exec(rest) ?? [];
  if (port === undefined || (Number(port) >= 1 && Number(port) <= LAST_PORT)) return [];
  return wrong(
    'port',
    `${shownAddress(text)} has an invalid port`,
    `a port from 1 to ${LAST_PORT}${example === undefined ? '' : `, such as ${example}`}`,
  );
};

/** An address in one of `protocols`, with a host. */
const checkUrl = (protocols: readonly string[]): Check =>
  checkTextBy((text, { example }) => {
    const allowed = `${protocols.map((protocol) => `${protocol}://`).join(', ')}${example === undefined ? '' : `, such as ${example}`}`;
    const url = URL.parse(text);
    const isRight = url !== null && protocols.includes(url.protocol.slice(0, -1)) && url.hostname !== '';
    const ending = isRight && !protocols.includes('mqtt') ? undefined : endingIn(text);
    if (ending !== undefined) {
      const what = `${shownAddress(text)} contains ${ending} in its user name or password`;
      return wrong('url', what, `${ENDING[ending]} instead of ${ending}, and %40 for an @ after the host`);
    }
    const ofPort = protocols.some((protocol) => text.startsWith(`${protocol}://`)) ? checkPort(text, example) : [];
    if (isRight || ofPort.length > 0) return ofPort;
    const repaired = `${protocols[0]}://${text}`;
    // `localhost:1883` parses as protocol `localhost:`, `10.0.0.5:1883` does not parse; both lack a protocol.
    const lacksProtocol = !text.includes('//') && withoutPassword(repaired) === repaired && URL.canParse(repaired);
    return wrong('url', `${shownAddress(text)} is not an address`, allowed, lacksProtocol ? [repaired] : []);
  }, HIDDEN);

const BROKER = ['mqtt', 'mqtts', 'ws', 'wss', 'tcp', 'ssl'];

const checkBrokerAddress = checkUrl(BROKER);

/** One broker address, or several in one text, separated by commas before the next protocol. */
const checkBrokerUrl: Check = (value, limits) => {
  if (typeof value !== 'string') return checkBrokerAddress(value, limits);
  for (const address of addressesIn(value)) {
    const found = checkBrokerAddress(address, limits);
    if (found.length > 0) return found;
    const { protocol, host } = new URL(address);
    const repaired = host.split(',').filter((part) => part !== '');
    if (host.includes(','))
      return wrong(
        'url',
        `${shownAddress(address)} contains a comma in its host name`,
        'each address with its protocol, such as mqtt://a:1883, mqtt://b:1883',
        address.includes('@') ? [] : [repaired.map((part) => `${protocol}//${part}`).join(', ')],
      );
  }
  return [];
};

/** An http or https address to append paths to: without user, query and fragment. */
const checkBaseUrl: Check = (value, limits) => {
  const found = checkUrl(['https', 'http'])(value, limits);
  if (found.length > 0) return found;
  const { username, password, search, hash } = new URL(String(value));
  if (username !== '' || password !== '')
    return wrong('url', `${shown(value)} contains a user name or password`, 'an address without them');
  return search !== '' || hash !== '' ? wrong('url', `${shown(value)} contains a query or fragment`, 'an address without it') : [];
};

const isSourceUrl = (text: string): boolean => /^(?:https?|webcals?):$/.test(URL.parse(text)?.protocol ?? '');

/** Addresses that are read, each a secret: a problem shows no part of them. */
const checkSource = (partsOf: (text: string) => readonly string[]): Check =>
  checkTextBy(
    (text, { example }) =>
      partsOf(text).every(isSourceUrl) ? [] : wrong('url', 'is not an address', `an address with https:, such as ${example}`),
    HIDDEN,
  );

// A topic may have 65535 bytes; a base must leave room for device, feature and property.
const LONGEST_TOPIC = 200;

/** A topic to publish on or extend: no wildcards, no empty level, no topic of the broker itself. */
const checkTopic = checkTextBy((topic, { example }) => {
  const allowed = `a topic without +, # and empty levels, such as ${example}`;
  if (/[+#]/.test(topic)) return wrong('topic', `${shown(topic)} contains a wildcard (+ or #)`, allowed);
  if (topic.split('/').includes('')) return wrong('topic', `${shown(topic)} has an empty level`, allowed);
  if (topic.startsWith('$')) return wrong('topic', `${shown(topic)} begins with $, which is reserved for the broker`, allowed);
  return topic.length > LONGEST_TOPIC ? wrong('topic', `has ${topic.length} characters`, `at most ${LONGEST_TOPIC} characters`) : [];
});

/** The base topic, for any broker: in NATS `*` and `>` are wildcards, and a blank ends the connection. */
const checkBase: Check = (value, limits) => {
  const found = checkTopic(value, limits);
  if (found.length > 0 || typeof value !== 'string') return found;
  const allowed = 'a topic that every broker accepts, including NATS: no spaces, and no * or > as a level';
  if (/\s/.test(value)) return wrong('topic', `${shown(value)} contains a space`, allowed, [value.trim().replace(/\s+/g, '-')]);
  return value.split('/').some((level) => level === '*' || level === '>')
    ? wrong('topic', `${shown(value)} contains a wildcard of NATS (* or >)`, allowed)
    : [];
};

/** A feature's name, or a glob over names. Names are dotted: letters, digits and dots. */
export const checkFeature = checkThat(
  (text) => (isGlob(text) ? !/[\s/]/.test(text) : /^[\w-]+(?:\.[\w-]+)*$/.test(text)),
  'feature',
  'is not a feature name',
  'a dotted name, such as heating.circuits.0.heating.schedule, or a glob, such as heating.circuits.*',
);

const braced = (name: string): string => `{${name}}`;

/** A path below an address, from its first slash, with exactly the ids that it needs. */
const checkPath = checkTextBy((text, { places = [], example }) => {
  const known = places.includes('gateway') ? ['installation', ...places] : places;
  const allowed = `a path, such as ${example}`;
  if (!/^\/(?!\/)[^\s#\\]*$/.test(text)) return wrong('path', `${shown(text)} is not an absolute path`, allowed);
  const ids = known.length === 0 ? 'a path without placeholders' : known.map(braced).join(', ');
  const found = [...text.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
  const unknown = found.find((name) => !known.includes(name));
  if (unknown !== undefined) return wrong('path', `${shown(text)} contains the unknown placeholder ${braced(unknown)}`, ids);
  if (/[{}]/.test(text.replace(/\{[^{}]*\}/g, ''))) return wrong('path', `${shown(text)} contains an unmatched brace`, ids);
  const missing = places.filter((name) => !found.includes(name));
  return missing.length > 0 ? wrong('path', `${shown(text)} does not contain ${missing.map(braced).join(', ')}`, allowed) : [];
});

/** A list of texts joined with commas. */
const asOneText = (written: unknown): unknown => {
  const list = asJsonList(written);
  return Array.isArray(list) && list.length > 0 && list.every((item) => typeof item === 'string') ? list.join(', ') : written;
};

const addressShape = (protocols: string): JsonSchema => ({ type: ['string', 'null'], pattern: `^(?:${protocols}):` });

/** The formats of addresses, topics, paths and globs. */
export const ADDRESS_FORMATS = {
  topic: rowsOf<string>(checkTopic, () => ({ ...textShape, maxLength: LONGEST_TOPIC, pattern: '^(?!\\$)[^+#/]+(?:/[^+#/]+)*$' })),
  base: rowsOf<string>(checkBase, () => ({ ...textShape, maxLength: LONGEST_TOPIC, pattern: '^(?!\\$)[^+#/\\s]+(?:/[^+#/\\s]+)*$' })),
  brokerUrl: rowsOf<string>(
    checkBrokerUrl,
    () => ({
      type: ['string', 'array', 'null'],
      pattern: `^\\s*(?:(?:${BROKER.join('|')}):|\\[)`,
      items: { type: 'string', pattern: `^(?:${BROKER.join('|')}):` },
      minItems: 1,
    }),
    { coerce: asOneText },
  ),
  baseUrl: rowsOf<string>(checkBaseUrl, () => addressShape('https|http')),
  secretUrl: rowsOf<string>(
    checkSource((text) => [text]),
    () => textShape,
  ),
  /** The same, several separated by blanks. */
  secretUrls: rowsOf<string>(
    checkSource((text) => text.trim().split(/\s+/u)),
    () => textShape,
  ),
  /** An address of any protocol: apps register their own, such as `myapp://login`. */
  anyUrl: rowsOf<string>(
    checkTextBy(
      (text, { example }) =>
        /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text)
          ? []
          : wrong('url', `${shownAddress(text)} is not an address`, `an address with its protocol, such as ${example}`),
      HIDDEN,
    ),
    () => addressShape('[A-Za-z][A-Za-z0-9+.-]*'),
  ),
  path: rowsOf<string>(checkPath, () => ({ type: ['string', 'null'], pattern: '^/' })),
  commandGlobs: rowsOf<readonly string[]>(
    checkEach(
      checkThat(
        (text) => /[/*]/.test(text) && !/\s/.test(text),
        'command',
        'cannot match a command',
        'globs for feature/command, such as */setSchedule',
      ),
    ),
    () => listShape({ type: 'string', pattern: '[/*]' }),
    { coerce: asList },
  ),
} as const;
