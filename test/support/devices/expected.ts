import type { Simulator } from '../../../src/simulator/simulator.ts';
import { slowMode, slowNext } from '../schedules/slowWeek.ts';

/** What ought to lie on the broker, computed from the platform's raw records in a way of its own. */

export type RawRecord = Readonly<Record<string, unknown>> & { readonly feature: string };

const RESERVED = new Set(
  'set,call,result,record,validate,undo,until,profile,text,overview,now,next,next_at,running_total,mon,tue,wed,thu,fri,sat,sun'.split(','),
);
const DECIMALS = new Intl.NumberFormat('en-US', { useGrouping: false, maximumFractionDigits: 100 });

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A topic level as the contract writes it: byte by byte. */
export const level = (name: string): string =>
  Array.from(Buffer.from(name), (byte) => {
    const character = String.fromCharCode(byte);
    return byte < 128 && /[\w.-]/.test(character) ? character : `%${byte < 16 ? '0' : ''}${byte.toString(16).toUpperCase()}`;
  }).join('');

const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return DECIMALS.format(value);
  return typeof value === 'object' ? JSON.stringify(value) : `${value}`;
};

/** A week as the contract shows it: days and keys in one order, whatever the platform's. */
const weekText = (value: unknown): string => {
  if (!isObject(value)) return textOf(value);
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].map((day) => {
    const entries = Array.isArray(value[day]) ? value[day] : [];
    return `"${day}":[${entries.map((entry) => JSON.stringify(entry, ['start', 'end', 'mode', 'position'])).join()}]`;
  });
  return `{${days.join()}}`;
};

const EIGHT_DAYS_MS = 8 * 86_400_000;
/** A moment, and where: what a clock there shows decides `now`, `next` and `next_at`. */
export type Moment = { readonly nowMs: number; readonly zone: string };

const here = (): Moment => ({ nowMs: Date.now(), zone: new Intl.DateTimeFormat('en').resolvedOptions().timeZone });

const walked = new Map<string, readonly (readonly [leaf: string, payload: string])[]>();

/** RFC 3339 with the zone's offset; Swedes write dates as it does. */
const instantOf = (ms: number, zone: string): string => {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(ms);
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value.slice('GMT'.length) || '+00:00';
  return new Date(ms).toLocaleString('sv-SE', { timeZone: zone }).replace(' ', 'T') + offset;
};

/** `now`, `next` and `next_at`. */
const momentsOf = (
  value: unknown,
  between: string | undefined,
  { nowMs, zone }: Moment,
): readonly (readonly [leaf: string, payload: string])[] => {
  const ms = Math.floor(nowMs / 60_000) * 60_000;
  const key = `${ms} ${zone} ${between} ${weekText(value)}`;
  const known = walked.get(key);
  if (known) return known;
  const week = JSON.parse(weekText(value));
  const now = slowMode(week, between, ms, zone);
  const next = slowNext(week, between, ms, ms + EIGHT_DAYS_MS, zone);
  const said = [
    ...(now === undefined ? [] : [['now', now] as const]),
    ...(next?.mode === undefined ? [] : [['next', next.mode] as const]),
    ...(next === undefined ? [] : [['next_at', instantOf(next.atMs, zone)] as const]),
  ];
  walked.set(key, said);
  return said;
};

const defaultModeOf = (commands: unknown): string | undefined => {
  const found = /"defaultMode":"([^"]+)"/.exec(JSON.stringify(commands ?? {}));
  return found?.[1];
};

const DAY_NAMES = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

const dayText = (entries: unknown): string => {
  const texts = (Array.isArray(entries) ? entries : [])
    .filter(isObject)
    .sort((a, b) => Number(a['position']) - Number(b['position']))
    .map(({ start, end, mode }) => `${start}-${end} ${mode}`);
  return texts.join(', ') || 'none';
};

/** The week as people say it: days that are alike stand together, neighbours of them as a range. */
const weekSaid = (value: Readonly<Record<string, unknown>>): string => {
  const texts = DAY_NAMES.map((day) => dayText(value[day]));
  return [...new Set(texts)]
    .map((text) => {
      const marks = texts.map((one) => (one === text ? 'x' : ' ')).join('');
      const ranges = [...marks.matchAll(/x+/g)].map(({ 0: run, index }) =>
        run.length === 1 ? DAY_NAMES[index] : `${DAY_NAMES[index]}-${DAY_NAMES[index + run.length - 1]}`,
      );
      return `${ranges.join()} ${text}`;
    })
    .join('; ');
};

const COUNTED = ['day', 'week', 'month', 'year', 'currentDay', 'currentWeek', 'currentMonth', 'currentYear'];

/** True for a record with amounts of energy or gas, of which nothing has been counted yet where this is asked. */
const counts = (properties: Readonly<Record<string, unknown>>): boolean =>
  COUNTED.some(
    (name) =>
      /"(kilowattHour|wattHour|cubicMeter)"/.test(JSON.stringify([properties[name], properties['unit']]) ?? '') && name in properties,
  );

/** Each topic of a record below `<base>/<device>` with its payload; `record` is left to `describedBy`, `overview` is empty here. */
export const topicsOf = (root: string, record: RawRecord, moment = here()): Map<string, string> => {
  const topics = new Map<string, string>();
  const properties = isObject(record['properties']) ? record['properties'] : {};
  const path = `${root}/${record.feature.split('.').map(level).join('/')}`;
  let weeks = 0;
  for (const [name, property] of Object.entries(properties)) {
    if (!isObject(property)) continue;
    const text = property['type'] === 'Schedule' ? weekText(property['value']) : textOf(property['value']);
    if (text === '' || RESERVED.has(name)) continue;
    topics.set(`${path}/${level(name)}`, text);
    const { value } = property;
    if (property['type'] !== 'Schedule' || weeks++ > 0) continue;
    if (!('entries' in properties)) topics.set(`${path}/entries`, text);
    if (!isObject(value)) continue;
    topics.set(`${path}/text`, weekSaid(value));
    for (const day of DAY_NAMES) topics.set(`${path}/${day}`, dayText(value[day]));
    // Made of all the others: scheduleOverview.test.ts says what it shows.
    topics.set(`${path}/overview`, '');
    // No profiles are set where this is asked.
    topics.set(`${path}/profile`, 'custom');
    if (isObject(properties['active']) && properties['active']['value'] === false) continue;
    for (const [leaf, payload] of momentsOf(value, defaultModeOf(record['commands']), moment)) topics.set(`${path}/${leaf}`, payload);
  }
  if (counts(properties)) topics.set(`${path}/running_total`, '0');
  const commands = isObject(record['commands']) ? record['commands'] : {};
  // The dates of a holiday are written together.
  for (const name of 'schedule' in commands ? ['start', 'end'] : []) {
    const date = topics.get(`${path}/${name}`);
    if (name in properties) topics.set(`${path}/${name}/field`, date === undefined || date === '2000-01-01' ? 'none' : date);
  }
  if (Object.keys(properties).length + Object.keys(commands).length > 0) topics.set(`${path}/record`, '');
  return topics;
};

/** All of `records` at once. */
export const stateOf = (root: string, records: readonly RawRecord[], moment = here()): Map<string, string> =>
  new Map(records.flatMap((record) => [...topicsOf(root, record, moment)]));

/** What the `record` topic of a feature has to say, but for `rev`. */
export const describedBy = (record: RawRecord): object => {
  const members = (of: unknown): [string, Readonly<Record<string, unknown>>][] =>
    Object.entries(isObject(of) ? of : {}).flatMap(([name, member]) => (isObject(member) ? [[name, member]] : []));
  const properties = members(record['properties']).map(([name, { type, unit, value }]) => [
    name,
    { type, ...(unit ? { unit } : {}), ...(RESERVED.has(name) && value !== undefined ? { value } : {}) },
  ]);
  const commands = members(record['commands']).map(([name, { isExecutable, params }]) => [
    name,
    {
      isExecutable: String(isExecutable) === 'true',
      params: Object.fromEntries(
        members(params).map(([key, { type, required, constraints }]) => [key, { type, required, constraints: constraints ?? {} }]),
      ),
    },
  ]);
  const { feature, isEnabled, isReady, deprecated } = record;
  return {
    feature,
    isEnabled,
    isReady,
    ...(deprecated ? { deprecated } : {}),
    properties: Object.fromEntries(properties),
    commands: Object.fromEntries(commands),
  };
};

/** The records of a device as the simulated platform sends them now; its own count of calls is not spared. */
export const recordsFrom = async (simulator: Simulator, device: string): Promise<RawRecord[]> => {
  const { access_token } = simulator.issueTokens();
  const path = `/iot/v1/equipment/installations/${simulator.installation}/gateways/${simulator.gateway}/devices/${device}/features`;
  const response = await fetch(simulator.url + path, { headers: { authorization: `Bearer ${access_token}` } });
  const body: unknown = await response.json();
  const data = isObject(body) && Array.isArray(body['data']) ? body['data'] : [];
  return data.filter((record): record is RawRecord => isObject(record) && typeof record['feature'] === 'string');
};

/** Put together from several features: composites.test.ts says what they show. */
export const isOfComposite = (topic: string): boolean => /\/(?:climate|water_heater)\/[^/]+$/.test(topic);

/** Those below `root`, sorted, without the topics of the devices themselves (`availability`, `info`) and of composites. */
export const featureTopics = (retained: ReadonlyMap<string, string>, root: string): Map<string, string> => {
  const isOwn = (topic: string): boolean => topic.startsWith(`${root}/`) && topic.split('/').length > root.split('/').length + 1;
  return new Map([...retained].filter(([topic]) => isOwn(topic) && !isOfComposite(topic)).sort());
};
