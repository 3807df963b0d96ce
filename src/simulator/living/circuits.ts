import type { Tick } from '../home/house.ts';
import type { Wall } from '../home/wallClock.ts';
import { tenth, type View } from './view.ts';
import { outsideAt } from './weather.ts';

const NUMBERS = ['0', '1'];
const SUPPLY_MINUTES = 12;
const ROOM_MINUTES = 360;

const onHoliday = (view: View): boolean => view.isOn('heating.operating.programs.holiday');

/** A holiday is active from its start date to its end date. */
const holidays = (view: View, wall: Wall): void => {
  for (const name of ['heating.operating.programs.holiday', 'heating.operating.programs.holidayAtHome']) {
    const start = view.text(name, 'start') ?? '';
    const end = view.text(name, 'end') ?? '';
    view.put(name, 'active', start !== '' && start <= wall.date && wall.date <= end);
  }
};

/** The active program: standby first, then programs switched on by the user, then the schedule. */
const programOf = (view: View, circuit: string, wall: Wall): string | undefined => {
  const mode = view.text(`${circuit}.operating.modes.active`);
  if (mode === undefined) return undefined;
  if (mode === 'standby' || mode === 'dhw') return 'standby';
  if (view.isOn(`${circuit}.operating.programs.comfort`)) return 'comfort';
  if (view.isOn(`${circuit}.operating.programs.eco`)) return 'eco';
  return onHoliday(view) ? 'reduced' : view.scheduled(`${circuit}.heating.schedule`, wall);
};

/** The supply temperature of the heating curve in °C, within the limits. */
const supplyTarget = (view: View, circuit: string, minute: number): number => {
  const slope = view.number(`${circuit}.heating.curve`, 'slope') ?? 1;
  const shift = view.number(`${circuit}.heating.curve`, 'shift') ?? 0;
  const wanted = 20 + slope * (20 - outsideAt(minute)) + shift;
  const least = view.number(`${circuit}.temperature.levels`, 'min') ?? wanted;
  const most = view.number(`${circuit}.temperature.levels`, 'max') ?? wanted;
  return Math.min(Math.max(wanted, least), most);
};

const circuit = (view: View, name: string, { wall, minutes }: Tick): boolean => {
  const program = programOf(view, name, wall);
  if (program === undefined) return false;
  const heats = program !== 'standby';
  view.put(`${name}.operating.programs.active`, 'value', program);
  view.put(`${name}.operating.programs.normal`, 'active', program === 'normal');
  view.put(`${name}.operating.programs.reduced`, 'active', program === 'reduced');
  view.put(`${name}.heating.schedule`, 'active', heats);
  view.put(`${name}.circulation.pump`, 'status', heats ? 'on' : 'off');
  const supply = `${name}.sensors.temperature.supply`;
  const target = heats ? supplyTarget(view, name, wall.minute) : 21;
  view.put(supply, 'value', tenth(view.approach(supply, view.number(supply) ?? target, target, SUPPLY_MINUTES, minutes)));
  const room = `${name}.sensors.temperature.room`;
  const wanted = heats ? (view.number(`${name}.operating.programs.${program}`, 'temperature') ?? 20) : 14;
  view.put(room, 'value', tenth(view.approach(room, view.number(room) ?? wanted, wanted, ROOM_MINUTES, minutes)));
  return heats;
};

/** The heating circuits: the active program and the resulting temperatures. */
export const circuits = (view: View, tick: Tick): void => {
  holidays(view, tick.wall);
  const heating = NUMBERS.filter((number) => circuit(view, `heating.circuits.${number}`, tick));
  view.setInner('circuits heating', heating.length);
  const supply = view.inner('heating.circuits.0.sensors.temperature.supply', 30);
  view.put('heating.sensors.temperature.return', 'value', tenth(supply - 4));
  view.put('heating.sensors.volumetricFlow.allengra', 'value', heating.length > 0 ? 885 : 0);
};
