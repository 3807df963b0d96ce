/** Forms and parses the topic names (docs/topics.md). */

const UNSAFE = /[^A-Za-z0-9_.-]/gu;
const SAFE = /^[A-Za-z0-9_.-]*$/;

/** One topic level. Encodes other characters as `%XX` per UTF-8 byte. `decodeLevel` is the inverse. */
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

/** `heating2mqtt check` tests on this topic whether commands arrive. The bridge ignores it. */
export const probeTopic = (base: string): string => bridgeTopic(base, 'check/set');

/** `device` is the device's name, not encoded. */
export const deviceTopic = (base: string, device: string, leaf: string): string => `${base}/${encodeLevel(device)}/${leaf}`;

/** A topic of a feature: `record`, `result`, `entries`, `set`, `call/setSchedule` … */
export const featureTopic = (base: string, device: string, feature: string, leaf: string): string =>
  deviceTopic(base, device, `${featurePath(feature)}/${leaf}`);

export const propertyTopic = (base: string, device: string, feature: string, property: string): string =>
  featureTopic(base, device, feature, encodeLevel(property));

/** The written value of a property while it is pending, else the current value (multi-value commands). */
export const fieldTopicOf = (propertyTopic: string): string => `${propertyTopic}/field`;

/** The field payload if the heating reports an empty value, for example no planned holiday. */
export const EMPTY_FIELD = 'none';

/** The leaf for the total energy or gas since the bridge first saw the feature. */
export const RUNNING_TOTAL = 'running_total';

/** Last levels that the bridge uses itself. A property with such a name is published in `record` only. */
export const RESERVED: ReadonlySet<string> = new Set(
  'set call result record validate undo until waiting profile text overview now next next_at running_total mon tue wed thu fri sat sun'.split(
    ' ',
  ),
);

/** The address of a command topic. `path`: the decoded levels of the feature, and of a property if given. */
export type CommandAddress =
  | { readonly kind: 'bridge'; readonly what: (typeof BRIDGE_COMMANDS)[number] }
  /** The events of a calendar; a single calendar has no name. */
  | { readonly kind: 'events'; readonly name: string }
  | { readonly kind: 'set' | 'validate'; readonly device: string; readonly path: readonly string[] }
  | { readonly kind: 'call'; readonly device: string; readonly path: readonly string[]; readonly command: string };

export type BridgeCommand = Extract<CommandAddress, { readonly kind: 'bridge' }>['what'];
export type BridgeAddress = Extract<CommandAddress, { readonly kind: 'bridge' | 'events' }>;
export type FeatureAddress = Exclude<CommandAddress, BridgeAddress>;

export const BRIDGE_COMMANDS = ['poll', 'auth', 'republish', 'restart_gateway', 'calendar', 'seasons', 'price_plan'] as const;
/** A device with this name has no features with one level, so the name is free. */
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
 * Filters that match every command topic below `base` with a path of more than `from` and at most `levels`
 * levels, including `bridge/…/set`, and no state topic. Each topic matches one filter, except for commands
 * named `set` or `validate` and a calendar named `call` (`matchesTwoFilters`).
 */
export const commandFilters = (base: string, levels = DEEPEST_FEATURE, from = 0): string[] => {
  const depths = Array.from({ length: levels - from }, (_, i) => '/+'.repeat(from + i + 1));
  // A device itself accepts no command; a client that sends one gets a refusal.
  const ofDevice = from === 0 ? [`${base}/+/set`, `${base}/+/validate`, `${base}/+/call/+`] : [];
  return [...ofDevice, ...depths.flatMap((path) => [`${base}/+${path}/set`, `${base}/+${path}/validate`, `${base}/+${path}/call/+`])];
};

/** True for a topic that matches two `commandFilters`. Some brokers then deliver it twice. */
export const matchesTwoFilters = (base: string, topic: string): boolean =>
  /\/call\/(?:set|validate)$/u.test(topic) && filterOf(base, topic)?.endsWith('/call/+') === true;

/** Filters for all feature topics with this leaf, on every device. */
export const leafFilters = (base: string, leaf: string): string[] =>
  Array.from({ length: DEEPEST_FEATURE }, (_, i) => `${base}/+${'/+'.repeat(i + 1)}/${leaf}`);

/** Device and feature of a topic with this leaf; else undefined. The inverse of `featureTopic`. */
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

/** The one of `commandFilters` that matches this command topic at any depth; undefined for others. */
export const filterOf = (base: string, topic: string): string | undefined => {
  const levels = topic.slice(base.length + 1).split('/');
  const last = levels.at(-1);
  if (levels.length > 2 && levels.at(-2) === 'call') return `${base}${'/+'.repeat(levels.length - 2)}/call/+`;
  return levels.length > 1 && (last === 'set' || last === 'validate') ? `${base}${'/+'.repeat(levels.length - 1)}/${last}` : undefined;
};
