import { deviceKey } from '../../bridge/state/deviceState.ts';
import { dayKey, type NamedDay, openKey } from '../../bridge/state/performance/storedRows.ts';
import { dayAfter, daysFrom } from '../../features/performance/calendar.ts';
import { rounded } from '../../features/performance/counters.ts';
import type { DayRow } from '../../features/performance/dayRow.ts';
import { addDays, dateAt, instantAt, localAt } from '../../schedule/zone.ts';
import type { Log } from '../../shared/log.ts';
import { openStorage, type Storage } from '../../storage/storage.ts';

/** Enough for a comparison of two winters. */
const DAYS = 500;
/** The number of days for which the bridge keeps values. */
const ROOM_DAYS = 14;

/** One day of a heat pump: the house needs about 3 kWh per degree day, a little less in recent months. */
const demoDay = (day: string, age: number): DayRow => {
  const season = Math.cos((2 * Math.PI * (daysFrom(`${day.slice(0, 4)}-01-01`, day) - 20)) / 365);
  const weather = 3 * Math.sin(age * 0.9) + 2 * Math.sin(age * 2.3);
  const outside = rounded(9.5 - 9 * season + weather, 1);
  const isRecent = age < DAYS / 2;
  const heating = rounded((isRecent ? 2.9 : 3.1) * Math.max(0, 15 - outside), 1);
  const dhw = rounded(7 + 2 * Math.sin(age * 1.7), 1);
  const powerHeating = rounded(heating / (3.7 + 0.1 * outside), 1);
  const powerDhw = rounded(dhw / 2.9, 1);
  const total = (one: number, other: number) => ({ heating: one, dhw: other, total: rounded(one + other, 1) });
  return {
    ...{ day, outside, covered: 24, by: 'compressors' },
    ...{ heat: total(heating, dhw), power: total(powerHeating, powerDhw) },
    starts: Math.round(heating > 0 ? 3 + 5 * Math.abs(Math.sin(age)) : 2),
    hours: rounded(Math.min(23, powerHeating / 1.8 + powerDhw / 2.2), 1),
  };
};

type DemoDevice = { readonly name?: string | undefined; readonly gateway: string; readonly device: string };

/** Two weeks in which the living room is warm about half an hour late, and cools down at night. */
const storeRoom = ({ series, flush }: Storage, device: DemoDevice, zone: string, nowMs: number): void => {
  const name = (feature: string): string => `feature ${deviceKey(device)} rooms.0.${feature}`;
  const [asked, room, target] = [
    name('schedule now'),
    name('sensors.temperature value'),
    name('operating.programs.normalHeating temperature'),
  ];
  for (let age = ROOM_DAYS; age > 0; age -= 1) {
    const at = (minutes: number): number => instantAt(addDays(localAt(nowMs, zone), -age), minutes, zone);
    const late = 35 + Math.round(12 * Math.sin(age * 1.3));
    const rows = [
      [target, 0, 20.5],
      [asked, 360, 'normal'],
      [asked, 1320, 'reduced'],
      [room, 0, 18.9],
      [room, 180, 18.4],
      [room, 360, 18.2],
      [room, 360 + late / 2, 19.3],
      [room, 360 + late, 20.4],
      [room, 840, 20.8],
      [room, 1320, 20.6],
      [room, 1380, 19.6],
    ] as const;
    series.append(
      rows.map(([one, minutes, value]) => ({ series: one, at: at(Math.floor(minutes)), value })),
      0,
    );
    // Points of the same minute on two days would share one slot in the queue.
    flush();
  }
};

/** Stores a performance history for the demo devices before the start: a new home has none. */
export const storeDemoPast = (dataDir: string, [home, rooms]: readonly DemoDevice[], zone: string, nowMs: number, log: Log): void => {
  const today = dateAt(nowMs, zone);
  if (!home) return;
  const key = deviceKey(home);
  const open: NamedDay = {
    ...{ name: home.name ?? 'home', day: today, at: nowMs, last: {}, low: {}, grown: {}, outsideMs: 0, outsideSum: 0 },
    coveredMs: localAt(nowMs, zone).hour * 3_600_000,
  };
  const rows = Array.from({ length: DAYS }, (_, index) => demoDay(dayAfter(today, index - DAYS), DAYS - index));
  const storage = openStorage(dataDir, log);
  storage.performance.write(
    new Map<string, object>([...rows.map((row) => [dayKey(key, row.day), row] as const), [openKey(key), open]]),
    false,
  );
  if (rooms) storeRoom(storage, rooms, zone, nowMs);
  storage.close();
};
