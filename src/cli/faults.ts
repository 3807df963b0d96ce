import { refusesReads } from '../bridge/reads/accountRefusals.ts';
import { chooseDevices, readInventory } from '../bridge/state/deviceInventory.ts';
import { deviceKey } from '../bridge/state/deviceState.ts';
import { type EventsRead, type FaultStore, faultStore } from '../bridge/state/faults/faultStore.ts';
import { toldFrozen } from '../bridge/state/frozen/frozenStore.ts';
import type { Settings } from '../config/settings.ts';
import { isActive, type Life } from '../features/faults/lives.ts';
import { pathsOf } from '../platform/paths.ts';
import { printInstant } from '../schedule/zone.ts';
import { DAY_MS, systemClock } from '../shared/clock.ts';
import { machineZone } from '../shared/timeZone.ts';
import { readBeside } from '../storage/openDatabase.ts';
import type { Report } from './check/report.ts';
import { numberIn, type Values } from './command.ts';
import type { Io } from './terminal/io.ts';
import { jsonText } from './terminal/terminalText.ts';

const [USUAL_DAYS, MOST_DAYS] = [30, 366];
/** Events are read at least once a day while the bridge runs. */
const OLD_MS = 2 * DAY_MS;

/** `heating2mqtt faults`: the stored device faults. No call, no broker. Exit code 1 if nothing is stored. */
export const faults = (settings: Kept, values: Values, io: Pick<Io, 'out' | 'err'>): number => {
  const { json, states } = values;
  const afterMs = systemClock.now() - (numberIn(values, 'days', 1, MOST_DAYS) ?? USUAL_DAYS) * DAY_MS;
  const isAsked = ({ kind }: Life): boolean => Boolean(states) || kind !== 'status';
  const devices = keptIn(settings, afterMs).map((device) => ({ ...device, lives: device.lives.filter(isAsked) }));
  if (devices.length === 0) {
    io.err(`No faults are stored in ${settings.data_dir} yet: the bridge has not read its devices.${refusedHint(settings.data_dir)}`);
    return 1;
  }
  const rows = devices.map(({ lives, events, ...device }) => ({
    ...device,
    events: events && eventsRow(events),
    faults: lives.map(rowOf),
  }));
  if (json) io.out(jsonText(rows));
  else for (const device of devices) io.out(textOf(device, zoneOf(settings), offOf(settings)));
  return 0;
};

/** A sentence for missing data if the account may not read a device; else empty. */
export const refusedHint = (dataDir: string): string =>
  refusesReads(readBeside(dataDir, 'account_refusals'))
    ? ' Viessmann refuses reads to this account (402; `heating2mqtt check` lists them). Nothing is wrong with your heating or your settings.'
    : '';

type Kept = Pick<Settings, 'data_dir' | 'devices' | 'choices' | 'events' | 'schedules'> & {
  readonly platform: Pick<Settings['platform'], 'profile' | 'paths'>;
};

/** The zone of the setting, else of this machine. */
const zoneOf = ({ schedules: { time_zone: zone } }: Kept): string => (zone === 'auto' ? machineZone() : zone);

/** `events`: their last read; undefined for a device that is gone. */
type KeptDevice = ReturnType<FaultStore['devices']>[number] & { readonly events: EventsRead | undefined };

/** The stored faults of each device, also while the bridge runs; removed devices only if they had faults. */
const keptIn = (settings: Kept, afterMs: number): readonly KeptDevice[] => {
  const { data_dir, devices, choices } = settings;
  const rows = readBeside(data_dir, 'faults');
  const store = faultStore({ read: () => rows, write: () => true }, new Map(), systemClock, offOf(settings) === undefined);
  const inventory = readInventory({ read: () => readBeside(data_dir, 'inventory') });
  const there = choices ? inventory && chooseDevices(inventory.devices, choices) : devices;
  const installations = new Map(there?.map((device) => [deviceKey(device), device.installation]));
  return store.devices(afterMs).flatMap((device) => {
    const installation = installations.get(device.key);
    if (there && installation === undefined && device.lives.length === 0) return [];
    return [{ ...device, events: installation === undefined ? undefined : (store.lastRead(installation) ?? {}) }];
  });
};

/** Why the events are never read; undefined if they are. */
const offOf = ({ platform, events: { minutes } }: Pick<Kept, 'platform' | 'events'>): string | undefined => {
  if (pathsOf(platform).events === undefined) return 'this platform has no path for them';
  return minutes === 0 ? 'events.minutes: 0' : undefined;
};

/** Why the events are not known up to now; undefined if they are. */
const unreadText = ({ events }: KeptDevice, off: string | undefined, written: (atMs: number) => string): string | undefined => {
  if (!events) return undefined;
  if (off !== undefined) return `the events of the platform are not read (${off})`;
  const { at, failed } = events;
  const last = at === undefined ? 'never' : written(at);
  if (failed) return `the events of the platform cannot be read since ${written(failed.since)} (${failed.code}); last read: ${last}`;
  return at === undefined || systemClock.now() - at > OLD_MS ? `the events of the platform were last read: ${last}` : undefined;
};

/** The lines *faults* and *frozen* of `check`: lasting faults, frozen values. None if nothing is stored. */
export const reportFaults = (settings: Kept, report: Report): void => {
  let devices: ReturnType<typeof keptIn> = [];
  let frozen: string[] = [];
  try {
    devices = keptIn(settings, systemClock.now());
    const told = toldFrozen(readBeside(settings.data_dir, 'frozen_told'));
    frozen = devices.flatMap(({ key, name }) => {
      const stale = told.get(key)?.stale;
      return stale ? [`${name} since ${instant(stale.since)}`] : [];
    });
  } catch {
    // The bridge reports its database in a line of its own.
  }
  if (devices.length === 0) return;
  const active = devices.flatMap(({ name, lives }) => lives.filter(isActive).map(({ code, kind }) => `${name} ${code} (${kind})`));
  const off = offOf(settings);
  const unread = [...new Set(devices.flatMap((device) => unreadText(device, off, (atMs) => instant(atMs) ?? '') ?? []))];
  const told = active.length > 0 ? `${active.join(', ')}; \`heating2mqtt faults\` shows more` : noneOf(devices, unread.length > 0);
  const isGood = active.length === 0 && (unread.length === 0 || off !== undefined);
  report(isGood ? 'ok' : 'note', 'faults', [told, ...unread].join('; '));
  if (frozen.length > 0) report('note', 'frozen', `the data are frozen: ${frozen.join(', ')}; the page and …/problems say what to do`);
};

/** What is true where no fault is active. */
const noneOf = (devices: readonly Pick<KeptDevice, 'tells' | 'name'>[], isUnread: boolean): string => {
  const telling = devices.filter(({ tells }) => tells);
  if (telling.length === 0) return 'this heating has never reported a fault; perhaps it cannot report faults';
  const which = telling.length < devices.length ? ` of ${telling.map(({ name }) => name).join(', ')}` : '';
  return `no fault${which} is ${isUnread ? 'known' : 'reported'}`;
};

const eventsRow = ({ at, failed }: EventsRead) => ({
  read_at: instant(at),
  failed: failed && { code: failed.code, since: instant(failed.since) },
});
const instant = (atMs: number | undefined): string | undefined => (atMs === undefined ? undefined : new Date(atMs).toISOString());
const rowOf = (life: Life) => {
  const { code, kind, text, since, until, source } = life;
  return { code, kind, text, since: instant(since), until: instant(until), active: isActive(life), source };
};

const textOf = (device: KeptDevice, zone: string, off: string | undefined): string => {
  const { name, tells, lives } = device;
  const wall = (atMs: number | undefined): string => (atMs === undefined ? '?' : printInstant(atMs, zone).slice(0, 16).replace('T', ' '));
  const lines = lives.map((life) => {
    const until = isActive(life) ? 'active' : wall(life.until);
    return `  ${wall(life.since).padEnd(16)}  ${until.padEnd(16)}  ${life.code.padEnd(8)}  ${life.kind.padEnd(10)}  ${life.text ?? ''}`.trimEnd();
  });
  const unread = unreadText(device, off, wall);
  const known = unread === undefined ? '  none' : '  none known';
  const none = tells ? known : '  this heating has never reported a fault; perhaps it cannot report faults';
  return [
    name,
    ...(lines.length > 0
      ? [`  ${'since'.padEnd(16)}  ${'until'.padEnd(16)}  ${'code'.padEnd(8)}  kind (times of ${zone})`, ...lines]
      : [none]),
    ...(unread === undefined ? [] : [`  ${unread}`]),
  ].join('\n');
};
