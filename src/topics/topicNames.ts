/** The names of the topics (docs/topics.md), formed and parsed here. */

const UNSAFE = /[^A-Za-z0-9_.-]/gu;
const SAFE = /^[A-Za-z0-9_.-]*$/;

/** One topic level. Characters other than `[A-Za-z0-9_.-]` become `%XX` for each UTF-8 byte; `decodeLevel` is the inverse. */
export const encodeLevel = (text: string): string =>
  SAFE.test(text)
    ? text
    : text.replace(UNSAFE, (character) =>
        [...new TextEncoder().encode(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
      );

/** The text of a level; undefined if `encodeLevel` cannot produce the level. */
export const decodeLevel = (level: string): string | undefined => {
  if (SAFE.test(level)) return level;
  try {
    const text = decodeURIComponent(level);
    return encodeLevel(text) === level ? text : undefined;
  } catch {
    return undefined;
  }
};

/** `heating.circuits.0` as topic levels: `heating/circuits/0`. */
export const featurePath = (feature: string): string =>
  SAFE.test(feature) ? feature.replaceAll('.', '/') : feature.split('.').map(encodeLevel).join('/');

export const bridgeTopic = (base: string, leaf: string): string => `${base}/bridge/${leaf}`;

/** On this topic, which its filters match, `heating2mqtt check` finds out whether commands would come; the bridge overlooks it. */
export const probeTopic = (base: string): string => bridgeTopic(base, 'check/set');

/** `device` is the device's name, not encoded. */
export const deviceTopic = (base: string, device: string, leaf: string): string => `${base}/${encodeLevel(device)}/${leaf}`;

/** A topic of a feature: `record`, `result`, `entries`, `set`, `call/setSchedule` … */
export const featureTopic = (base: string, device: string, feature: string, leaf: string): string =>
  deviceTopic(base, device, `${featurePath(feature)}/${leaf}`);

export const propertyTopic = (base: string, device: string, feature: string, property: string): string =>
  featureTopic(base, device, feature, encodeLevel(property));

/** What people wrote to a property, while it waits, else what it shows: of properties that are written together with others. */
export const fieldTopicOf = (propertyTopic: string): string => `${propertyTopic}/field`;

/** What the topic of a field has where the heating says that there is nothing: no holiday is planned. */
export const EMPTY_FIELD = 'none';

/** The last level of what a feature has counted of energy or gas since the bridge first saw it. */
export const RUNNING_TOTAL = 'running_total';

/** Last levels that the bridge uses itself. A property with such a name is published in `record` only. */
export const RESERVED: ReadonlySet<string> = new Set(
  'set call result record validate undo until waiting profile text overview now next next_at running_total mon tue wed thu fri sat sun'.split(
    ' ',
  ),
);

/** The address of a command topic. `path` has the decoded levels between device and verb: a feature, or a feature and a property. */
export type CommandAddress =
  | { readonly kind: 'bridge'; readonly what: (typeof BRIDGE_COMMANDS)[number] }
  /** The events of a calendar; the only one has no name. */
  | { readonly kind: 'events'; readonly name: string }
  | { readonly kind: 'set' | 'validate'; readonly device: string; readonly path: readonly string[] }
  | { readonly kind: 'call'; readonly device: string; readonly path: readonly string[]; readonly command: string };

export type BridgeCommand = Extract<CommandAddress, { readonly kind: 'bridge' }>['what'];
export type BridgeAddress = Extract<CommandAddress, { readonly kind: 'bridge' | 'events' }>;
export type FeatureAddress = Exclude<CommandAddress, BridgeAddress>;

export const BRIDGE_COMMANDS = ['poll', 'auth', 'republish', 'restart_gateway', 'calendar', 'price_plan'] as const;
/** No device of this name has features with one level. */
const CALENDAR = 'calendar';

/** The topic of an address; `readCommandTopic` is the inverse. */
export const commandTopic = (base: string, address: CommandAddress): string => {
  if (address.kind === 'bridge') return bridgeTopic(base, `${address.what}/set`);
  if (address.kind === 'events') return [base, CALENDAR, ...(address.name === '' ? [] : [encodeLevel(address.name)]), 'set'].join('/');
  const verb = address.kind === 'call' ? ['call', encodeLevel(address.command)] : [address.kind];
  return [base, ...[address.device, ...address.path].map(encodeLevel), ...verb].join('/');
};

/** The address of a command topic below `base`; undefined for any other topic. */
export const readCommandTopic = (base: string, topic: string): CommandAddress | undefined => {
  if (!topic.startsWith(`${base}/`)) return undefined;
  const levels = topic.slice(base.length + 1).split('/');
  if (levels[0] === 'bridge') {
    const what = BRIDGE_COMMANDS.find((known) => known === levels[1]);
    return what && levels[2] === 'set' && levels.length === 3 ? { kind: 'bridge', what } : undefined;
  }
  const decoded = levels.map(decodeLevel);
  if (!decoded.every((level) => level !== undefined)) return undefined;
  const [device, ...rest] = decoded;
  const last = rest.at(-1);
  const path = rest.slice(0, -1);
  if (!device || last === undefined) return undefined;
  if (device === CALENDAR && last === 'set' && path.length < 2) return path[0] === '' ? undefined : { kind: 'events', name: path[0] ?? '' };
  if (path.length > 1 && path.at(-1) === 'call') return { kind: 'call', device, path: path.slice(0, -1), command: last };
  if (path.length > 0 && (last === 'set' || last === 'validate')) return { kind: last, device, path };
  return undefined;
};

/** The longest feature name seen has 7 levels; this leaves room for longer ones. */
export const DEEPEST_FEATURE = 12;

/**
 * Filters that together match every command topic below `base` with a path of at most `levels` (and more than `from`) levels,
 * `bridge/…/set` included, and no state topic. Each topic matches one filter, except that of a command named
 * `set` or `validate`, and that of a calendar named `call` (`matchesTwoFilters`).
 */
export const commandFilters = (base: string, levels = DEEPEST_FEATURE, from = 0): string[] => {
  const depths = Array.from({ length: levels - from }, (_, i) => '/+'.repeat(from + i + 1));
  // A device as a whole takes no command; a client that sends one gets a refusal.
  const ofDevice = from === 0 ? [`${base}/+/set`, `${base}/+/validate`, `${base}/+/call/+`] : [];
  return [...ofDevice, ...depths.flatMap((path) => [`${base}/+${path}/set`, `${base}/+${path}/validate`, `${base}/+${path}/call/+`])];
};

/** True for a topic that two of the `commandFilters` match. Some brokers deliver a message once for each of them. */
export const matchesTwoFilters = (base: string, topic: string): boolean =>
  /\/call\/(?:set|validate)$/u.test(topic) && filterOf(base, topic)?.endsWith('/call/+') === true;

/** Filters that together match the topics of every feature of every device that end in this leaf. */
export const leafFilters = (base: string, leaf: string): string[] =>
  Array.from({ length: DEEPEST_FEATURE }, (_, i) => `${base}/+${'/+'.repeat(i + 1)}/${leaf}`);

/** Device and feature of a topic that ends in this leaf; undefined for any other topic. `featureTopic` is the inverse. */
export const readLeafTopic = (
  base: string,
  topic: string,
  leaf: string,
): { readonly device: string; readonly feature: string } | undefined => {
  if (!topic.startsWith(`${base}/`) || !topic.endsWith(`/${leaf}`)) return undefined;
  const levels = topic.slice(base.length + 1, -leaf.length - 1).split('/');
  const [device = '', ...path] = levels.map((level) => decodeLevel(level) ?? '');
  const feature = path.join('.');
  return featureTopic(base, device, feature, leaf) === topic ? { device, feature } : undefined;
};

/** The filter of `commandFilters` that matches this command topic at any depth; undefined for any other topic. */
export const filterOf = (base: string, topic: string): string | undefined => {
  const levels = topic.slice(base.length + 1).split('/');
  const last = levels.at(-1);
  if (levels.length > 2 && levels.at(-2) === 'call') return `${base}${'/+'.repeat(levels.length - 2)}/call/+`;
  return levels.length > 1 && (last === 'set' || last === 'validate') ? `${base}${'/+'.repeat(levels.length - 1)}/${last}` : undefined;
};
