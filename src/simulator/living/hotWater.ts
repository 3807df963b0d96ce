import type { Tick } from '../home/house.ts';
import type { Wall } from '../home/wallClock.ts';
import { tenth, type View } from './view.ts';

const CYLINDER = 'heating.dhw.sensors.temperature.dhwCylinder';
const CHARGE = 'heating.dhw.oneTimeCharge';
const LOSS_PER_MINUTE = 0.4 / 60;
const GAIN_PER_MINUTE = 0.25;

/** `5/25-cycles`: on for 5 minutes, off for 25, and so on; `on` is always on. */
const pumpRuns = (mode: string | undefined, minute: number): boolean => {
  const cycle = /^(\d+)\/(\d+)-cycles$/.exec(mode ?? '');
  return cycle ? minute % (Number(cycle[1]) + Number(cycle[2])) < Number(cycle[1]) : mode === 'on';
};

/** True while the cylinder heats: from `switchOnValue` below the set point (if scheduled) up to it. */
const charges = (view: View, celsius: number, wall: Wall): boolean => {
  const target = view.number('heating.dhw.temperature.main') ?? 50;
  const difference = view.number('heating.dhw.temperature.hysteresis', 'switchOnValue') ?? 5;
  const once = view.isOn(CHARGE);
  const scheduled = view.scheduled('heating.dhw.schedule', wall) !== 'off' && view.text('heating.dhw.operating.modes.active') !== 'off';
  if (celsius >= target || !(once || scheduled)) return false;
  return once || celsius <= target - difference || view.inner('dhw charging', 0) === 1;
};

/** Hot water cools by 0.4 K per hour and warms while charged; a one-time charge ends at the set point. */
export const hotWater = (view: View, { wall, minutes }: Tick): void => {
  const old = view.inner(CYLINDER, view.number(CYLINDER) ?? 48);
  const charging = charges(view, old, wall);
  view.setInner('dhw charging', charging ? 1 : 0);
  const celsius = Math.max(old + minutes * (charging ? GAIN_PER_MINUTE : -LOSS_PER_MINUTE), 15);
  view.setInner(CYLINDER, celsius);
  view.put(CYLINDER, 'value', tenth(celsius));
  view.put('heating.dhw.sensors.temperature.hotWaterStorage', 'value', tenth(celsius));
  const isOff = view.text('heating.dhw.operating.modes.active') === 'off';
  view.put('heating.dhw', 'active', !isOff);
  view.put('heating.dhw', 'status', isOff ? 'off' : 'on');
  const target = view.number('heating.dhw.temperature.main') ?? 50;
  if (celsius >= target) view.put(CHARGE, 'active', false);
  const pump = view.scheduled('heating.dhw.pumps.circulation.schedule', wall);
  view.put('heating.dhw.pumps.circulation', 'status', pumpRuns(pump, wall.minute) ? 'on' : 'off');
};
