import * as z from 'zod/mini';
import type { RequestClient } from '../../mqtt/requestClient.ts';
import { type Constraints, readConstraints } from '../../schedule/constraints.ts';
import { type Profile, readProfile } from '../../schedule/profile.ts';
import { readWeek } from '../../schedule/readWeek.ts';
import type { Week } from '../../schedule/week.ts';
import { jsonObject, parseJson } from '../../shared/json.ts';
import { isZone } from '../../shared/timeZone.ts';
import { bridgeTopic, featureTopic, leafFilters, readLeafTopic } from '../../topics/topicNames.ts';

export type ScheduleName = { readonly device: string; readonly feature: string };

/** A schedule on the bridge's topics, with the names of `schedule show --json`. */
export type RetainedSchedule = ScheduleName & {
  readonly entries: Week;
  readonly active: boolean;
  readonly now?: string | undefined;
  readonly next?: string | undefined;
  /** RFC 3339, with the UTC offset of the heating. */
  readonly next_at?: string | undefined;
  readonly profile?: string | undefined;
  /** The end of a temporary write, RFC 3339. */
  readonly until?: string | undefined;
  /** False if no command of the feature takes a week. */
  readonly writable: boolean;
  readonly constraints: Constraints;
  readonly rev?: string | undefined;
};

export type BridgeInfo = {
  readonly isOnline: boolean;
  /** By device name. */
  readonly zones: ReadonlyMap<string, string>;
  /** The platform's ids, by device name. */
  readonly ids: ReadonlyMap<string, { readonly gateway: string; readonly device: string }>;
  readonly profiles: readonly (Profile & { readonly written: unknown })[];
};

export type RetainedState = { readonly bridge: BridgeInfo; readonly schedules: readonly RetainedSchedule[] };

const SCHEDULE_PROPERTY = z.object({ type: z.literal('Schedule') });
const SCHEDULE_PARAM = z.object({ type: z.literal('Schedule'), constraints: z.catch(z.record(z.string(), z.unknown()), {}) });
const COMMAND = z.object({ params: z.record(z.string(), z.catch(z.optional(SCHEDULE_PARAM), undefined)) });
const RECORD = z.object({
  rev: z.catch(z.optional(z.string()), undefined),
  properties: z.record(z.string(), z.catch(z.optional(SCHEDULE_PROPERTY), undefined)),
  commands: z.catch(z.record(z.string(), z.catch(z.optional(COMMAND), undefined)), {}),
});

/** Schedule topics whose payload is shown unchanged. */
const TEXTS = ['now', 'next', 'next_at', 'profile', 'until'] as const satisfies readonly (keyof RetainedSchedule)[];

const ACCOUNTS = z.catch(z.array(z.object({ name: z.string() })), []);
const DEVICE = z.object({
  ...{ name: z.string(), gateway: z.catch(z.string(), ''), device: z.catch(z.string(), '') },
  time_zone: z.string().check(z.refine(isZone)),
});
const DEVICES = z.object({ devices: z.array(z.catch(z.optional(DEVICE), undefined)) });
const PROFILES = z.object({ settings: z.object({ schedules: z.object({ profiles: z.record(z.string(), z.unknown()) }) }) });

/** Reads every retained schedule below `base`, sorted by device and feature. Throws RequestClientError. */
export const readSchedules = async (client: RequestClient, base: string, named?: ScheduleName): Promise<RetainedState> => {
  const state = bridgeTopic(base, 'state');
  const info = bridgeTopic(base, 'info');
  const accounts = bridgeTopic(base, 'accounts');
  // Some brokers send no retained messages for wildcards: a fully named schedule is read by its own topic.
  const own = named ? [featureTopic(base, named.device, named.feature, 'entries')] : [];
  // In the order in which brokers send: the awaited topics come last, so that none is missed.
  await client.readRetained([accounts, ...leafFilters(base, 'entries'), ...own, state, info], [state, info]);
  // A further account's topics look like those of a device with its name.
  const listed = parseJson(client.payloads.get(accounts) ?? '');
  const foreign = new Set(ACCOUNTS.parse(listed.ok ? listed.value : []).map(({ name }) => name));
  const names = [...client.payloads.keys()]
    .flatMap((topic) => readLeafTopic(base, topic, 'entries') ?? [])
    .filter(({ device }) => !foreign.has(device));
  const topicOf = ({ device, feature }: ScheduleName, leaf: string): string => featureTopic(base, device, feature, leaf);
  if (names.length > 0) {
    const leaves = ['record', 'active', ...TEXTS];
    const records = names.map((name) => topicOf(name, 'record'));
    await client.readRetained(
      names.flatMap((name) => leaves.map((leaf) => topicOf(name, leaf))),
      records,
    );
  }
  const schedules = names.flatMap((name) => scheduleOf(name, (leaf) => client.payloads.get(topicOf(name, leaf))) ?? []);
  const order = new Intl.Collator('en', { numeric: true });
  return {
    bridge: { isOnline: client.payloads.get(state) === 'online', ...readInfo(client.payloads.get(info)) },
    schedules: schedules.toSorted((a, b) => order.compare(a.device, b.device) || order.compare(a.feature, b.feature)),
  };
};

const scheduleOf = (name: ScheduleName, payloadOf: (leaf: string) => string | undefined): RetainedSchedule | undefined => {
  const week = readWeek(jsonObject(payloadOf('entries') ?? ''));
  const { data: record } = RECORD.safeParse(jsonObject(payloadOf('record') ?? ''));
  // Other features also have lists called `entries`.
  if (!week.ok || !record || !Object.values(record.properties).some((property) => property !== undefined)) return undefined;
  const [param] = Object.values(record.commands)
    .flatMap((command) => Object.values(command?.params ?? {}))
    .filter((one) => one !== undefined);
  return {
    ...name,
    entries: week.value,
    active: payloadOf('active') !== 'false',
    ...Object.fromEntries(TEXTS.map((leaf) => [leaf, payloadOf(leaf)])),
    writable: param !== undefined,
    constraints: readConstraints(param?.constraints ?? {}),
    rev: record.rev,
  };
};

const readInfo = (payload = ''): Omit<BridgeInfo, 'isOnline'> => {
  const info = jsonObject(payload);
  const devices = (DEVICES.safeParse(info).data?.devices ?? []).filter((device) => device !== undefined);
  const profiles = PROFILES.safeParse(info).data?.settings.schedules.profiles ?? {};
  return {
    zones: new Map(devices.map(({ name, time_zone: zone }) => [name, zone])),
    ids: new Map(devices.map(({ name, gateway, device }) => [name, { gateway, device }])),
    profiles: Object.entries(profiles).map(([name, written]) => ({ ...readProfile(name, written), written })),
  };
};
