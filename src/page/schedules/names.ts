import { type Device, textAt } from '../model/device.ts';
import type { Schedule } from '../model/schedules.ts';
import { short } from '../shell/format.ts';
import { words } from '../shell/words.ts';
import { devices } from '../state/store.ts';

type Named = Pick<Schedule, 'feature'>;

/** A schedule is named after its circuit or room; with the device if another has the same name. */
export const scheduleName = (schedule: Named, device: Device): string => {
  const name = placeName(schedule, device);
  const isShared = devices.value.some(
    (one) =>
      one.name !== device.name &&
      [...one.features.keys()].some((feature) => feature.endsWith('.schedule') && placeName({ feature }, one) === name),
  );
  return isShared ? `${name} · ${short(device.name)}` : name;
};

const placeName = ({ feature }: Named, device: Device): string => {
  const w = words.value;
  const levels = feature.split('.').slice(0, -1);
  const place = /^(?:heating\.circuits|rooms)\.\d+/u.exec(feature)?.[0];
  const number = Number(place?.split('.').at(-1) ?? 0) + 1;
  const known = place === undefined ? undefined : (textAt(device, `${place}.name`, 'name') ?? textAt(device, place, 'name'));
  const parts: Readonly<Record<string, string>> = { dhw: w.water, ventilation: w.ventilation, ...w.scheduleWords };
  const said = (level: string): string => (Object.hasOwn(parts, level) ? (parts[level] ?? level) : level);
  if (place !== undefined) {
    const rest = levels.slice(place.split('.').length).filter((level) => level !== 'heating');
    return [short(known ?? '') || (place.startsWith('rooms') ? w.room(number) : w.circuit(number)), ...rest.map(said)].join(' · ');
  }
  const own = levels.filter((level) => level !== 'heating' && level !== 'pumps');
  // The circulation pump needs no location.
  const names = own.length > 1 ? own.filter((level) => level !== 'dhw') : own;
  return short(names.map(said).join(' · ') || said(levels.at(-1) ?? feature));
};
