import { chooseDevices, readInventory } from '../bridge/state/deviceInventory.ts';
import { deviceKey } from '../bridge/state/deviceState.ts';
import { type FaultStore, faultStore } from '../bridge/state/faults/faultStore.ts';
import { toldFrozen } from '../bridge/state/frozen/frozenStore.ts';
import type { Settings } from '../config/settings.ts';
import { isActive, type Life } from '../features/faults/lives.ts';
import { printInstant } from '../schedule/zone.ts';
import { DAY_MS, systemClock } from '../shared/clock.ts';
import { machineZone } from '../shared/timeZone.ts';
import { readBeside } from '../storage/openDatabase.ts';
import type { Report } from './check/report.ts';
import { numberIn, type Values } from './command.ts';
import type { Io } from './terminal/io.ts';
import { jsonText } from './terminal/terminalText.ts';

const [USUAL_DAYS, MOST_DAYS] = [30, 366];

/** `heating2mqtt faults`: the stored device faults. No call, no broker. Exit code 1 if nothing is stored. */
export const faults = (settings: Kept, values: Values, io: Pick<Io, 'out' | 'err'>): number => {
  const { json, states } = values;
  const afterMs = systemClock.now() - (numberIn(values, 'days', 1, MOST_DAYS) ?? USUAL_DAYS) * DAY_MS;
  const isAsked = ({ kind }: Life): boolean => Boolean(states) || kind !== 'status';
  const devices = keptIn(settings, afterMs).map((device) => ({ ...device, lives: device.lives.filter(isAsked) }));
  if (devices.length === 0) {
    io.err(`No faults are stored in ${settings.data_dir} yet: the bridge has not read its devices.`);
    return 1;
  }
  const rows = devices.map(({ lives, ...device }) => ({ ...device, faults: lives.map(rowOf) }));
  if (json) io.out(jsonText(rows));
  else for (const device of devices) io.out(textOf(device, zoneOf(settings)));
  return 0;
};

type Kept = Pick<Settings, 'data_dir' | 'devices' | 'choices' | 'events' | 'schedules'>;

/** The zone of the setting, else of this machine. */
const zoneOf = ({ schedules: { time_zone: zone } }: Kept): string => (zone === 'auto' ? machineZone() : zone);

/** The stored faults of each device, also while the bridge runs; removed devices only if they had faults. */
const keptIn = ({ data_dir, devices, choices, events }: Kept, afterMs: number): ReturnType<FaultStore['devices']> => {
  const rows = readBeside(data_dir, 'faults');
  const store = faultStore({ read: () => rows, write: () => true }, new Map(), systemClock, events.minutes > 0);
  const inventory = readInventory({ read: () => readBeside(data_dir, 'inventory') });
  const there = choices ? inventory && chooseDevices(inventory.devices, choices) : devices;
  return store.devices(afterMs).filter(({ key, lives }) => !there || lives.length > 0 || there.map(deviceKey).includes(key));
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
  const none = devices.some(({ tells }) => tells)
    ? 'no fault is reported'
    : 'this heating has never reported a fault; perhaps it cannot report faults';
  if (active.length === 0) report('ok', 'faults', none);
  else report('note', 'faults', `${active.join(', ')}; \`heating2mqtt faults\` shows more`);
  if (frozen.length > 0) report('note', 'frozen', `the data are frozen: ${frozen.join(', ')}; the page and …/problems say what to do`);
};

const instant = (atMs: number | undefined): string | undefined => (atMs === undefined ? undefined : new Date(atMs).toISOString());
const rowOf = (life: Life) => {
  const { code, kind, text, since, until, source } = life;
  return { code, kind, text, since: instant(since), until: instant(until), active: isActive(life), source };
};

const textOf = ({ name, tells, lives }: ReturnType<FaultStore['devices']>[number], zone: string): string => {
  const wall = (atMs: number | undefined): string => (atMs === undefined ? '?' : printInstant(atMs, zone).slice(0, 16).replace('T', ' '));
  const lines = lives.map((life) => {
    const until = isActive(life) ? 'active' : wall(life.until);
    return `  ${wall(life.since).padEnd(16)}  ${until.padEnd(16)}  ${life.code.padEnd(8)}  ${life.kind.padEnd(10)}  ${life.text ?? ''}`.trimEnd();
  });
  const none = tells ? '  none' : '  this heating has never reported a fault; perhaps it cannot report faults';
  return [
    name,
    ...(lines.length > 0
      ? [`  ${'since'.padEnd(16)}  ${'until'.padEnd(16)}  ${'code'.padEnd(8)}  kind (times of ${zone})`, ...lines]
      : [none]),
  ].join('\n');
};
