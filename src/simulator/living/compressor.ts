import type { Tick } from '../home/house.ts';
import { spend, turnOfDay } from './energy.ts';
import { tenth, type View } from './view.ts';
import { outsideAt } from './weather.ts';

const COMPRESSOR = 'heating.compressors.0';
const STATISTICS = 'heating.compressors.0.statistics';
const BUFFER = 'heating.bufferCylinder.sensors.temperature.main';
const BUFFER_TARGET = 33;
const BUFFER_SPAN = 2;

/** The buffer warms while the compressor heats and cools while circuits draw; returns its heat demand. */
const buffer = (view: View, draws: boolean, heated: boolean, minutes: number): boolean => {
  const old = view.inner(BUFFER, view.number(BUFFER) ?? BUFFER_TARGET);
  const celsius = Math.max(old + minutes * ((heated ? 0.25 : 0) - (draws ? 0.1 : 0.01)), 18);
  view.setInner(BUFFER, celsius);
  view.put(BUFFER, 'value', tenth(celsius));
  const wanted = heated ? celsius < BUFFER_TARGET + BUFFER_SPAN : celsius < BUFFER_TARGET - BUFFER_SPAN;
  return draws && wanted;
};

const show = (view: View, phase: 'heating' | 'ready' | 'off', minute: number): void => {
  const runs = phase === 'heating';
  view.put(COMPRESSOR, 'active', runs);
  view.put(COMPRESSOR, 'phase', phase);
  view.put(`${COMPRESSOR}.speed.current`, 'value', runs ? Math.round(2 * (41.5 - (outsideAt(minute) - 3) * 2)) / 2 : 0);
};

/** The compressor heats hot water first, then the buffer. Counts its hours, starts and electricity. */
export const compressor = (view: View, { wall, minutes, at }: Tick): void => {
  const draws = view.inner('circuits heating', 0) > 0;
  const charging = view.inner('dhw charging', 0) === 1;
  const didRun = view.inner('compressor runs', 0) === 1;
  const heats = buffer(view, draws, didRun && view.inner('compressor heats', 0) === 1, minutes) && !charging;
  const runs = charging || heats;
  view.setInner('compressor runs', runs ? 1 : 0);
  view.setInner('compressor heats', heats ? 1 : 0);
  show(view, runs ? 'heating' : draws ? 'ready' : 'off', wall.minute);
  turnOfDay(view, wall, at);
  if (!runs) return;
  if (!didRun && minutes > 0) view.put(STATISTICS, 'starts', (view.number(STATISTICS, 'starts') ?? 0) + 1);
  const hours = view.inner(STATISTICS, view.number(STATISTICS, 'hours') ?? 0) + minutes / 60;
  view.setInner(STATISTICS, hours);
  view.put(STATISTICS, 'hours', tenth(hours));
  if (minutes > 0) spend(view, charging ? 'dhw' : 'heating', (minutes / 60) * (charging ? 2.2 : 1.8), at);
};
