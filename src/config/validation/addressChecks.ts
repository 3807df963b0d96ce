import { isGlob } from '../../shared/glob.ts';
import { atProtocol, type Check, checkText, type Found, shown, withoutSecrets } from './checks.ts';

const after = (first: readonly Found[], next: () => readonly Found[]): readonly Found[] => (first.length > 0 ? first : next());

const parse = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

// What ends the part of an address where user and password stand (RFC 3986 §3.2; the URL standard has \ as well).
const ENDING: Readonly<Record<string, string>> = { '/': '%2F', '?': '%3F', '#': '%23', '\\': '%5C' };

/** The character that ends user and password too early, so that the address would mean another host. */
const endingIn = (text: string): string | undefined => {
  const [, user = ''] = /:\/\/(.*)@/s.exec(text) ?? [];
  return /[/?#\\]/.exec(user)?.[0];
};

/** Behind a colon that no port follows stands a password, where the host was forgotten. */
const withoutPassword = (text: string): string => {
  const [protocol, rest] = atProtocol(withoutSecrets(text));
  return protocol + rest.replace(/^((?:…@)?(?:\[[^\]]*\])?[^:]*:)(?!\d{1,5}(?:[/?#]|$)).*$/s, '$1…').replace(/([?#]).+$/s, '$1…');
};

/** An address that is none, without what could be a password. */
const shownAddress = (value: unknown): string => shown(value, {}, withoutPassword);

/** The check for text, which does not show the value. */
const checkAddressText: Check = (value, limits) => checkText(value, { ...limits, sensitive: true });

/** An address in one of `protocols`, with a host. */
export const checkUrl: Check = (value, limits) =>
  after(checkAddressText(value, limits), () => {
    const { protocols = [], example } = limits;
    const text = String(value);
    const allowed = `${protocols.map((protocol) => `${protocol}://`).join(', ')}${example === undefined ? '' : `, as ${example}`}`;
    const url = parse(text);
    const isRight = url !== undefined && protocols.includes(url.protocol.slice(0, -1)) && url.hostname !== '';
    const ending = isRight && !protocols.includes('mqtt') ? undefined : endingIn(text);
    if (ending !== undefined) {
      const what = `${shownAddress(value)} has a ${ending} in its user or password`;
      return [{ rule: 'url', what, allowed: `${ENDING[ending]} in its place; an @ behind the host is written %40` }];
    }
    if (isRight) return [];
    const repaired = `${protocols[0]}://${text}`;
    // `localhost:1883` is a URL with the protocol `localhost:`, `10.0.0.5:1883` is none; both lack the same thing.
    const lacksProtocol = !text.includes('//') && withoutPassword(repaired) === repaired && parse(repaired) !== undefined;
    return [{ rule: 'url', what: `${shownAddress(value)} is not an address`, allowed, ...(lacksProtocol ? { nearest: [repaired] } : {}) }];
  });

/** An http or https address that paths can be put behind: without user, query and fragment. */
export const checkBaseUrl: Check = (value, limits) =>
  after(checkUrl(value, limits), () => {
    const { username, password, search, hash } = new URL(String(value));
    if (username !== '' || password !== '')
      return [{ rule: 'url', what: `${shown(value)} holds a user or password`, allowed: 'an address without them' }];
    return search !== '' || hash !== ''
      ? [{ rule: 'url', what: `${shown(value)} holds a query or fragment`, allowed: 'an address without it' }]
      : [];
  });

/** An address of any protocol: apps register their own, such as `myapp://login`. */
export const checkAnyUrl: Check = (value, limits) =>
  after(checkAddressText(value, limits), () =>
    /^[a-z][a-z0-9+.-]*:\/\//i.test(String(value)) && parse(String(value))
      ? []
      : [{ rule: 'url', what: `${shownAddress(value)} is not an address`, allowed: `an address with its protocol, as ${limits.example}` }],
  );

// A topic may have 65535 bytes; a base must leave room for device, feature and property.
const LONGEST_TOPIC = 200;

/** An MQTT topic to publish on, or to put levels behind: no wildcards, no empty level, not one of the broker's own. */
export const checkTopic: Check = (value, limits) =>
  after(checkText(value, limits), () => {
    const topic = String(value);
    const allowed = `a topic without +, # and empty levels, as ${limits.example}`;
    if (/[+#]/.test(topic)) return [{ rule: 'topic', what: `${shown(value)} holds a wildcard`, allowed }];
    if (topic.split('/').includes('')) return [{ rule: 'topic', what: `${shown(value)} has an empty level`, allowed }];
    if (topic.startsWith('$')) return [{ rule: 'topic', what: `${shown(value)} belongs to the broker itself`, allowed }];
    return topic.length > LONGEST_TOPIC
      ? [{ rule: 'topic', what: `has ${topic.length} characters`, allowed: `at most ${LONGEST_TOPIC}` }]
      : [];
  });

/** A feature's name, or a glob over names. Names are dotted: letters, digits and dots (reference: 953 names seen). */
export const checkFeature: Check = (value, limits) =>
  after(checkText(value, limits), () => {
    const text = String(value);
    const right = isGlob(text) ? !/[\s/]/.test(text) : /^[\w-]+(?:\.[\w-]+)*$/.test(text);
    const allowed = 'a dotted name, as heating.circuits.0.heating.schedule, or a glob, as heating.circuits.*';
    return right ? [] : [{ rule: 'feature', what: `${shown(value)} is not the name of a feature`, allowed }];
  });

/** A glob over `feature/command`. */
export const checkCommandGlob: Check = (value, limits) =>
  after(checkText(value, limits), () =>
    /[/*]/.test(String(value)) && !/\s/.test(String(value))
      ? []
      : [{ rule: 'command', what: `${shown(value)} can match no command`, allowed: 'globs over feature/command, as */setSchedule' }],
  );

const braced = (name: string): string => `{${name}}`;

/** A path below an address, from its first slash on, with the ids that it needs and no others. */
export const checkPath: Check = (value, limits) =>
  after(checkText(value, limits), () => {
    const { places = [] } = limits;
    const text = String(value);
    const known = places.includes('gateway') ? ['installation', ...places] : places;
    const allowed = `a path, as ${limits.example}`;
    if (!/^\/(?!\/)[^\s#\\]*$/.test(text)) return [{ rule: 'path', what: `${shown(value)} is no absolute path`, allowed }];
    const found = [...text.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
    const broken = /[{}]/.test(text.replace(/\{[^{}]*\}/g, ''));
    const unknown = found.find((name) => !known.includes(name));
    if (broken || unknown !== undefined) {
      const what =
        unknown === undefined ? `${shown(value)} has a brace without its other` : `${shown(value)} has an unknown ${braced(unknown)}`;
      return [{ rule: 'path', what, allowed: known.length === 0 ? 'a path without ids' : known.map(braced).join(', ') }];
    }
    const missing = places.filter((name) => !found.includes(name));
    return missing.length > 0 ? [{ rule: 'path', what: `${shown(value)} lacks ${missing.map(braced).join(', ')}`, allowed }] : [];
  });
