import type { House, Tick } from '../home/house.ts';
import { circuits } from './circuits.ts';
import { compressor } from './compressor.ts';
import { hotWater } from './hotWater.ts';
import { rooms } from './rooms.ts';
import { ventilation } from './ventilation.ts';
import { viewOf } from './view.ts';
import { weather } from './weather.ts';

/** Advances the house by one minute, or with 0 minutes applies the effects of a change. */
export const live = (house: House, tick: Tick): void => {
  const view = viewOf(house, tick.at);
  weather(view, tick);
  circuits(view, tick);
  hotWater(view, tick);
  compressor(view, tick);
  ventilation(view, tick);
  rooms(view, tick);
};
