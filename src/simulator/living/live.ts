import type { House, Tick } from '../home/house.ts';
import { circuits } from './circuits.ts';
import { compressor } from './compressor.ts';
import { hotWater } from './hotWater.ts';
import { roomsLive } from './roomsLive.ts';
import { ventilation } from './ventilation.ts';
import { View } from './view.ts';
import { weather } from './weather.ts';

/** Moves the house by one minute, or (with 0 minutes) shows what follows from what was just changed. */
export const live = (house: House, tick: Tick): void => {
  const view = new View(house, tick.at);
  weather(view, tick);
  circuits(view, tick);
  hotWater(view, tick);
  compressor(view, tick);
  ventilation(view, tick);
  roomsLive(view, tick);
};
