/** Readable names from the platform's names by tables: `heating.circuits.0.sensors.temperature.supply` is "Circuit 1 supply temperature". */

/** Replacements for single words, after a name was split at its capitals. */
const WORDS: Readonly<Record<string, string>> = {
  co: 'CO',
  condensors: 'condensers',
  cop: 'COP',
  dhw: 'hot water',
  ean: 'EAN',
  fht: 'floor thermostat',
  heatpump: 'heat pump',
  id: 'ID',
  lqi: 'link quality',
  max: 'maximum',
  min: 'minimum',
  rx: 'reception',
  scop: 'SCOP',
  spf: 'SPF',
  tcu: 'TCU',
  trv: 'radiator thermostat',
  tx: 'transmission',
  wifi: 'Wi-Fi',
};

/** Replacements for whole levels and property names, before they are split. An empty text omits a redundant level. */
const LEVELS: Readonly<Record<string, string>> = {
  co2: 'CO2',
  currentDay: 'today',
  currentMonth: 'this month',
  currentWeek: 'this week',
  currentYear: 'this year',
  dhwCylinder: 'cylinder',
  entries: '',
  frostprotection: 'frost protection',
  hotWaterStorage: 'storage',
  oneTimeCharge: 'one-time charge',
  pm1: 'PM1',
  pm10: 'PM10',
  pm2d5: 'PM2.5',
  raw: '',
  statistics: '',
  summary: '',
  value: '',
};

/** Levels that qualify the next one: `pumps.circulation` is a "circulation pump". */
const KINDS: Readonly<Record<string, string>> = {
  messages: 'messages',
  modes: 'mode',
  programs: 'program',
  pumps: 'pump',
  quickmodes: 'quick mode',
  valves: 'valve',
};

/** Replacements for pairs of levels. */
const PAIRS: Readonly<Record<string, string>> = {
  'levels.levelFour': 'level four',
  'levels.levelOne': 'level one',
  'levels.levelThree': 'level three',
  'levels.levelTwo': 'level two',
  'messages.errors': 'error messages',
  'modes.active': 'operating mode',
  'power.battery': 'battery',
  'programs.active': 'active program',
  'speed.current': 'current speed',
  'temperature.levels': 'temperature level',
  'temperature.main': 'target temperature',
  'temperature.temp2': 'second target temperature',
};

/** Measured quantities; the place is put before them. */
const QUANTITIES = new Set(['humidity', 'power', 'pressure', 'rotation', 'temperature', 'volumetricFlow']);

const own = (table: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

// The platform's names are ASCII, and Unicode classes cost milliseconds at the first use.
const ASCII = /^[ -~]*$/;
const ASCII_TOKEN = /[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+|[A-Z]|\d+/g;
const TOKEN = /\p{Lu}{2,}(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|\p{Lu}|\p{N}+/gu;

/** A level as words: `mainECU` is "main ECU", `dhwAndHeating` "hot water and heating". */
const words = (level: string): string =>
  own(LEVELS, level) ??
  (level.match(ASCII.test(level) ? ASCII_TOKEN : TOKEN) ?? [])
    .map((token) =>
      token.length > 1 && token === token.toUpperCase() && token !== token.toLowerCase()
        ? token
        : (own(WORDS, token.toLowerCase()) ?? token.toLowerCase()),
    )
    .join(' ');

const isIndex = (level: string | undefined): level is string => level !== undefined && /^\d{1,9}$/.test(level);

/** Names count from 1, the platform from 0. */
const numbered = (level: string, index: string): string => `${words(level).replace(/s$/, '')} ${Number(index) + 1}`;

type Step = { readonly text: string; readonly used: number };

/** The words of the first levels, and the number of levels that they replace. */
const step = (levels: readonly string[]): Step => {
  const [level = '', next, ...rest] = levels;
  if (isIndex(next)) return { text: numbered(level, next), used: 2 };
  if (isIndex(level)) return { text: String(Number(level) + 1), used: 1 };
  if (level === 'operating' && (next === 'modes' || next === 'programs')) return { text: '', used: 1 };
  if (level === 'sensors' && next !== undefined) {
    const place = rest.map(words).join(' ');
    return QUANTITIES.has(next) ? { text: `${place} ${words(next)}`, used: levels.length } : { text: '', used: 1 };
  }
  if (next === undefined) return { text: words(level), used: 1 };
  const pair = own(PAIRS, `${level}.${next}`);
  if (pair !== undefined) return { text: pair, used: 2 };
  const kind = own(KINDS, level);
  return kind === undefined ? { text: words(level), used: 1 } : { text: `${words(next)} ${kind}`, used: 2 };
};

// Redundant first levels.
const ROOTS = new Set(['device', 'heating']);

const propertyWords = (property: string, last: string | undefined): string => {
  if (property === last) return '';
  const readAt = /^(\w+)ValueReadAt$/.exec(property)?.[1];
  return readAt === undefined ? words(property) : `${words(readAt)} read at`;
};

// `error status` of a feature `errorStatus` with the property `status`.
const DOUBLED = /(?<!\S)([a-z]+)(?: \1)+(?!\S)/gi;

// Longer names are not readable, and entity ids end at 255 characters.
const LONGEST = 120;

/** The name of a feature or of one of its properties; never empty. */
export const nameOf = (feature: string, property?: string): string => {
  const all = feature.split('.');
  const levels = all.length > 1 && ROOTS.has(all[0] ?? '') ? all.slice(1) : all;
  const texts: string[] = [];
  for (let i = 0; i < levels.length; ) {
    const { text, used } = step(levels.slice(i));
    texts.push(text);
    i += used;
  }
  if (property !== undefined) texts.push(propertyWords(property, levels.at(-1)));
  const name =
    texts.join(' ').replace(/\s+/g, ' ').replace(DOUBLED, '$1').trim() ||
    `${feature} ${property ?? ''}`.replace(/[\s\p{C}]+/gu, ' ').trim() ||
    'Value';
  const short = [...name].slice(0, LONGEST).join('');
  return `${short.charAt(0).toUpperCase()}${short.slice(1)}`;
};

const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', ø: 'o', œ: 'oe', đ: 'd', ł: 'l' };

const asciiOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[ßæøœđł]/g, (letter) => LETTERS[letter] ?? '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '');

/** A text as part of an entity id, `[a-z0-9_]`; empty if no character can be converted. */
export const slug = (text: string): string =>
  (ASCII.test(text) ? text.toLowerCase() : asciiOf(text)).replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '');
