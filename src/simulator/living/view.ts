import type { House } from '../home/house.ts';
import type { Wall } from '../home/wallClock.ts';
import { modeAt } from '../home/week.ts';
import { isObject, type Json } from '../http/json.ts';

/** The house for its models: values by feature name on any device. Ignores writes to missing features. */
export const viewOf = (house: House, at: number) => {
  const read = (feature: string, property = 'value'): Json | undefined => house.find(feature)?.value(property);

  const number = (feature: string, property = 'value'): number | undefined => {
    const value = read(feature, property);
    return typeof value === 'number' ? value : undefined;
  };

  const text = (feature: string, property = 'value'): string | undefined => {
    const value = read(feature, property);
    return typeof value === 'string' ? value : undefined;
  };

  const isOn = (feature: string): boolean => read(feature, 'active') === true;

  /** Writes a value if the feature has one (not so for a disconnected sensor) and it is not held. */
  const put = (feature: string, property: string, value: Json): void => {
    const record = house.find(feature);
    if (record?.value(property) === undefined || house.holds(record, property)) return;
    house.put(record, property, value, at);
  };

  /** A model quantity with more precision than the record; initially `start`. */
  const inner = (name: string, start: number): number => house.inner.get(name) ?? start;

  const setInner = (name: string, value: number): void => {
    house.inner.set(name, value);
  };

  /** The scheduled mode now; outside all entries the default mode. */
  const scheduled = (feature: string, wall: Wall): string | undefined => {
    const record = house.find(feature);
    if (!record?.has('entries')) return undefined;
    const limits = record.commands.setSchedule?.params?.newSchedule?.constraints;
    const outside = isObject(limits) && typeof limits.defaultMode === 'string' ? limits.defaultMode : undefined;
    return modeAt(record.value('entries'), wall.day, wall.minute) ?? outside;
  };

  /** Moves an inner quantity towards a target (time constant in minutes) and returns it. */
  const approach = (name: string, start: number, target: number, constant: number, minutes: number): number => {
    const old = inner(name, start);
    const value = target + (old - target) * Math.exp(-minutes / constant);
    setInner(name, value);
    return value;
  };

  return { value: read, number, text, isOn, put, inner, setInner, scheduled, approach };
};

export type View = ReturnType<typeof viewOf>;

/** Rounded to 0.1, the resolution of the sensors. */
export const tenth = (value: number): number => Math.round(value * 10) / 10;
