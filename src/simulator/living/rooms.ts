import type { Tick } from '../home/house.ts';
import { tenth, type View } from './view.ts';

const NUMBERS = ['0', '1'];
const ROOM_MINUTES = 300;

/** The room's program and set temperature in °C. A manual one lasts until the scheduled mode changes. */
const programOf = (view: View, room: string, mode: string): readonly [string, number] => {
  const manual = `${room}.quickmodes.manualTillNextSchedule`;
  const since = view.inner(`${manual} since`, 0);
  const now = mode === 'reduced' ? 1 : mode === 'normal' ? 2 : 3;
  if (view.isOn(manual) && (since === 0 || since === now)) {
    view.setInner(`${manual} since`, now);
    return ['manual', view.number(manual, 'temperature') ?? 21];
  }
  view.put(manual, 'active', false);
  view.setInner(`${manual} since`, 0);
  const reduced = mode === 'reduced';
  return [mode, view.number(`${room}.operating.programs.${reduced ? 'reducedHeating' : 'normalHeating'}`, 'temperature') ?? 20];
};

/** The rooms: program, demand, and a temperature that slowly follows the set temperature. */
export const rooms = (view: View, { wall, minutes }: Tick): void => {
  for (const number of NUMBERS) {
    const room = `rooms.${number}`;
    const mode = view.scheduled(`${room}.schedule`, wall);
    if (mode === undefined) continue;
    const [program, wanted] = programOf(view, room, mode);
    const sensor = `${room}.sensors.temperature`;
    const celsius = view.approach(sensor, view.number(sensor) ?? wanted, wanted, ROOM_MINUTES, minutes);
    view.put(sensor, 'value', tenth(celsius));
    view.put(`${room}.operating.programs.normalHeating`, 'active', program === 'normal');
    view.put(`${room}.operating.programs.reducedHeating`, 'active', program === 'reduced');
    view.put(`${room}.operating.state`, 'level', program);
    view.put(`${room}.operating.state`, 'reason', program === 'manual' ? 'manual' : 'schedule');
    view.put(`${room}.operating.state`, 'demand', celsius < wanted - 0.05 ? 'heating' : 'energySaving');
  }
};
