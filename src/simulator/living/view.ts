import type { House } from '../home/house.ts';
import type { Wall } from '../home/wallClock.ts';
import { modeAt } from '../home/week.ts';
import { isObject, type Json } from '../http/json.ts';

/** The house for its models: values by feature name, on any device. Writes to missing features are ignored. */
export class View {
  readonly #house: House;
  readonly #at: number;

  constructor(house: House, at: number) {
    this.#house = house;
    this.#at = at;
  }

  value(feature: string, property = 'value'): Json | undefined {
    return this.#house.find(feature)?.value(property);
  }

  number(feature: string, property = 'value'): number | undefined {
    const value = this.value(feature, property);
    return typeof value === 'number' ? value : undefined;
  }

  text(feature: string, property = 'value'): string | undefined {
    const value = this.value(feature, property);
    return typeof value === 'string' ? value : undefined;
  }

  isOn(feature: string): boolean {
    return this.value(feature, 'active') === true;
  }

  /** Writes a value, if the feature has one now (a disconnected sensor has none) and it is not held. */
  put(feature: string, property: string, value: Json): void {
    const record = this.#house.find(feature);
    if (record?.value(property) === undefined || this.#house.holds(record, property)) return;
    this.#house.put(record, property, value, this.#at);
  }

  /** A quantity that the models keep with more precision than a record shows; at first `start`. */
  inner(name: string, start: number): number {
    return this.#house.inner.get(name) ?? start;
  }

  setInner(name: string, value: number): void {
    this.#house.inner.set(name, value);
  }

  /** The mode of a schedule at this moment; outside all entries its default mode. */
  scheduled(feature: string, wall: Wall): string | undefined {
    const record = this.#house.find(feature);
    if (!record?.has('entries')) return undefined;
    const limits = record.commands.setSchedule?.params?.newSchedule?.constraints;
    const outside = isObject(limits) && typeof limits.defaultMode === 'string' ? limits.defaultMode : undefined;
    return modeAt(record.value('entries'), wall.day, wall.minute) ?? outside;
  }

  /** Moves an inner quantity towards a target, with a time constant in minutes, and returns it. */
  approach(name: string, start: number, target: number, constant: number, minutes: number): number {
    const old = this.inner(name, start);
    const value = target + (old - target) * Math.exp(-minutes / constant);
    this.setInner(name, value);
    return value;
  }
}

/** Rounded to 0.1, as sensors show it. */
export const tenth = (value: number): number => Math.round(value * 10) / 10;
