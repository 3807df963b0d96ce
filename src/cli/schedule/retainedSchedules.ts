import type { Guest } from '../../mqtt/requestClient.ts';
import { type Constraints, readConstraints } from '../../schedule/constraints.ts';
import { type Profile, readProfile } from '../../schedule/profile.ts';
import { readWeek, type Week } from '../../schedule/week.ts';
import { isRecord, parseJson } from '../../shared/json.ts';
import { isZone } from '../../shared/timeZone.ts';
import { bridgeTopic, featureTopic, leafFilters, readLeafTopic } from '../../topics/topicNames.ts';

/** A schedule as the bridge shows it on its topics (CONTRACT §2.2). */
export type Found = {
  readonly device: string;
  readonly feature: string;
  readonly week: Week;
  readonly constraints: Constraints;
  /** False where no command of the feature takes a week. */
  readonly isWritable: boolean;
  readonly isActive: boolean;
  readonly rev?: string;
  readonly now?: string;
  readonly next?: string;
  /** RFC 3339, with the offset of the heating's place. */
  readonly nextAt?: string;
  readonly profile?: string;
  /** When what was written for a time ends by itself, RFC 3339. */
  readonly until?: string;
};

/** What the bridge says of itself. */
export type BridgeSaid = {
  readonly isOnline: boolean;
  /** By the name of the device. */
  readonly zones: ReadonlyMap<string, string>;
  readonly profiles: readonly (Profile & { readonly written: unknown })[];
};

export type Read = { readonly bridge: BridgeSaid; readonly schedules: readonly Found[] };

const LEAVES = ['record', 'active', 'now', 'next', 'next_at', 'profile', 'until'] as const;

/** Reads every schedule that is retained below `base`, in the order of devices and features. Throws GuestError. */
export const readSchedules = async (
  guest: Guest,
  base: string,
  named?: { readonly device: string; readonly feature: string },
): Promise<Read> => {
  const state = bridgeTopic(base, 'state');
  const info = bridgeTopic(base, 'info');
  // Some brokers keep retained messages from wildcards: a schedule named in full is asked for by its own topic.
  const own = named ? [featureTopic(base, named.device, named.feature, 'entries')] : [];
  await guest.read([...leafFilters(base, 'entries'), ...own, state, info], [state, info]);
  const places = [...guest.last.keys()].flatMap((topic) => readLeafTopic(base, topic, 'entries') ?? []);
  const topicOf = ({ device, feature }: (typeof places)[number], leaf: string): string => featureTopic(base, device, feature, leaf);
  if (places.length > 0) {
    const records = places.map((place) => topicOf(place, 'record'));
    await guest.read(
      places.flatMap((place) => LEAVES.map((leaf) => topicOf(place, leaf))),
      records,
    );
  }
  const schedules = places.flatMap((place) => found(place, (leaf) => guest.last.get(topicOf(place, leaf))) ?? []);
  const order = new Intl.Collator('en', { numeric: true });
  return {
    bridge: { isOnline: guest.last.get(state) === 'online', ...readInfo(guest.last.get(info)) },
    schedules: schedules.toSorted((a, b) => order.compare(a.device, b.device) || order.compare(a.feature, b.feature)),
  };
};

const found = (
  place: { readonly device: string; readonly feature: string },
  say: (leaf: string) => string | undefined,
): Found | undefined => {
  const week = readWeek(jsonOf(say('entries')));
  const record = jsonOf(say('record'));
  if (!week.ok || !isRecord(record) || !isRecord(record.properties)) return undefined;
  // Other features have lists called `entries` too.
  if (!Object.values(record.properties).some((property) => isRecord(property) && property.type === 'Schedule')) return undefined;
  const constraints = weekConstraints(record.commands);
  const said = { now: say('now'), next: say('next'), nextAt: say('next_at'), profile: say('profile'), until: say('until') };
  return {
    ...place,
    week: week.value,
    constraints: constraints ?? {},
    isWritable: constraints !== undefined,
    isActive: say('active') !== 'false',
    ...(typeof record.rev === 'string' ? { rev: record.rev } : {}),
    ...(said.now === undefined ? {} : { now: said.now }),
    ...(said.next === undefined ? {} : { next: said.next }),
    ...(said.nextAt === undefined ? {} : { nextAt: said.nextAt }),
    ...(said.profile === undefined ? {} : { profile: said.profile }),
    ...(said.until === undefined ? {} : { until: said.until }),
  };
};

/** The constraints of the first parameter that takes a week. */
const weekConstraints = (commands: unknown): Constraints | undefined => {
  const params = listOf(commands).flatMap((command) => (isRecord(command) ? listOf(command.params) : []));
  const param = params.filter(isRecord).find(({ type }) => type === 'Schedule');
  if (!param) return undefined;
  return isRecord(param.constraints) ? readConstraints(param.constraints) : {};
};

const readInfo = (payload: string | undefined): Omit<BridgeSaid, 'isOnline'> => {
  const info = jsonOf(payload);
  const { devices, settings } = isRecord(info) ? info : {};
  const schedules = isRecord(settings) && isRecord(settings.schedules) ? settings.schedules : {};
  const zones = (Array.isArray(devices) ? devices : []).filter(isRecord).flatMap(({ name, time_zone: zone }) => {
    return typeof name === 'string' && typeof zone === 'string' && isZone(zone) ? [[name, zone] as const] : [];
  });
  const profiles = isRecord(schedules.profiles) ? Object.entries(schedules.profiles) : [];
  return { zones: new Map(zones), profiles: profiles.map(([name, written]) => ({ ...readProfile(name, written), written })) };
};

const jsonOf = (payload: string | undefined): unknown => {
  const json = payload === undefined ? undefined : parseJson(payload);
  return json?.ok ? json.value : undefined;
};

const listOf = (value: unknown): readonly unknown[] => (isRecord(value) ? Object.values(value) : []);
