import type { Tick } from '../home/house.ts';
import { tenth, type View } from './view.ts';

const COLDEST_MINUTE = 5 * 60;

/** Outside temperature in °C at a minute of the day: a wave of 4 K around 3 °C, coldest at 05:00. */
export const outsideAt = (minute: number): number => 3 - 4 * Math.cos((2 * Math.PI * (minute - COLDEST_MINUTE)) / 1440);

/** Outside sensor, humidity, and radio signal strength, which varies slightly from hour to hour. */
export const weather = (view: View, { wall }: Tick): void => {
  view.put('heating.sensors.temperature.outside', 'value', tenth(outsideAt(wall.minute)));
  const wave = Math.sin((2 * Math.PI * wall.minute) / 1440);
  view.put('ventilation.sensors.humidity.supply', 'value', Math.round(46 + 3 * wave));
  view.put('rooms.0.sensors.humidity', 'value', Math.round(52 - 3 * wave));
  view.put('rooms.1.sensors.humidity', 'value', Math.round(58 - 5 * wave));
  view.put('gateway.wifi', 'strength', -61 + ((wall.dayNumber * 24 + Math.floor(wall.minute / 60)) % 5) - 2);
};
