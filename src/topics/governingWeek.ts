import type { Feature } from '../features/feature.ts';
import type { GoverningWeek } from '../schedule/nextEnd.ts';
import { schedulePropertyOf, weekOn } from './featureState.ts';
import { constraintsOf } from './scheduleCommand.ts';

// For devices whose schedules do not specify it.
const USUAL_STEP_MINUTES = 10;

/**
 * The week that governs a feature or composite: its own, else the nearest schedule above. A circuit has
 * `heating.circuits.0.heating.schedule`; `heating.dhw.temperature.main` has `heating.dhw.schedule`.
 */
export const governingWeek = (name: string, shown: (name: string) => Feature | undefined): GoverningWeek => {
  const schedule = scheduleOf(name, shown);
  const week = schedule && weekOn(schedule);
  if (!week) return { kind: 'unknown' };
  if (schedule.properties.get('active')?.value === false) return { kind: 'not_followed', name: schedule.name };
  const { defaultMode, resolution = USUAL_STEP_MINUTES } = constraintsOf(schedule);
  return { kind: 'followed', name: schedule.name, week, defaultMode, stepMinutes: resolution };
};

const scheduleOf = (name: string, shown: (name: string) => Feature | undefined): Feature | undefined => {
  const levels = name.split('.');
  const scopes = levels.map((_, index) => levels.slice(0, levels.length - index).join('.'));
  const names = [name, ...scopes.flatMap((scope) => [`${scope}.schedule`, `${scope}.heating.schedule`])];
  return names.map(shown).find((feature) => feature && schedulePropertyOf(feature) !== undefined);
};
