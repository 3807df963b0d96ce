import type { Component } from './entities.ts';
import type { State } from './home-assistant-hub.ts';

/** A call of a service of Home Assistant's, and the topic on which the write must arrive. */
export type ServiceCall = { readonly service: string; readonly data: Readonly<Record<string, unknown>>; readonly topic: string };

type Way = (component: Component, state: State, modes: readonly string[]) => Omit<ServiceCall, 'topic'> | undefined;

const numberIn = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);
const others = (all: unknown, but: unknown): readonly string[] => (Array.isArray(all) ? all.map(String).filter((one) => one !== but) : []);

/** The next step up, or down from the top. */
const nextTo = (value: number, min: number, max: number, step: number): number =>
  Number((value + step <= max ? Math.max(value + step, min) : value - step).toFixed(3));

const choose = (service: string, key: string, options: readonly string[]): Omit<ServiceCall, 'topic'> | undefined =>
  options[0] === undefined ? undefined : { service, data: { [key]: options[0] } };

const numeric: Way = ({ min, max, step }, { state }) => {
  const [low, high] = [numberIn(min, 0), numberIn(max, 100)];
  const value = Number.isFinite(Number(state)) ? nextTo(Number(state), low, high, numberIn(step, 1)) : low;
  return { service: 'number.set_value', data: { value } };
};

const textual: Way = ({ unique_id: id, state_topic: topic }, { state }, [mode]) => {
  const write = (value: string) => ({ service: 'text.set_value', data: { value } });
  // A date of a holiday, which waits for the other one.
  if (String(topic).endsWith('/field')) return write(id.endsWith('_start') ? '2030-12-21' : '2031-01-04');
  if (!/_(?:mon|tue|wed|thu|fri|sat|sun|text)$/.test(id) || mode === undefined) return write(state);
  const day = state.includes(`07:00-20:00 ${mode}`) ? `07:00-21:00 ${mode}` : `07:00-20:00 ${mode}`;
  return write(id.endsWith('_text') ? `mon-sun ${day}` : day);
};

/** Another temperature; what a range does not say is one of these. */
const temperature =
  (service: string, present: number, low: number, high: number): Way =>
  ({ min_temp: min, max_temp: max, temp_step: step }, { attributes }) => {
    const value = nextTo(numberIn(attributes['temperature'], present), numberIn(min, low), numberIn(max, high), numberIn(step, 1));
    return { service, data: { temperature: value } };
  };

/** How each kind of command topic is written, with another value than the present one. `modes` are those of a schedule. */
const WAYS: Readonly<Record<string, Readonly<Record<string, Way>>>> = {
  number: { command_topic: numeric },
  select: { command_topic: ({ options }, { state }) => choose('select.select_option', 'option', others(options, state)) },
  switch: { command_topic: (_, { state }) => ({ service: state === 'on' ? 'switch.turn_off' : 'switch.turn_on', data: {} }) },
  button: { command_topic: () => ({ service: 'button.press', data: {} }) },
  text: { command_topic: textual },
  climate: {
    temperature_command_topic: temperature('climate.set_temperature', 20, 7, 35),
    mode_command_topic: ({ modes }, { state }) => choose('climate.set_hvac_mode', 'hvac_mode', others(modes, state)),
    preset_mode_command_topic: ({ preset_modes: presets }, { attributes: { preset_mode: preset } }) =>
      choose('climate.set_preset_mode', 'preset_mode', others(presets, preset)),
  },
  water_heater: {
    temperature_command_topic: temperature('water_heater.set_temperature', 50, 10, 60),
    mode_command_topic: ({ modes }, { state }) => choose('water_heater.set_operation_mode', 'operation_mode', others(modes, state)),
  },
};

/** Every way in which an entity can be written from Home Assistant, each with a value other than the present one. */
export const writesOf = (component: Component, state: State, modes: readonly string[] = []): readonly ServiceCall[] =>
  Object.entries(WAYS[component.platform] ?? {}).flatMap(([key, way]) => {
    const topic = component[key];
    const call = topic === undefined ? undefined : way(component, state, modes);
    return call ? [{ ...call, data: { entity_id: state.entity_id, ...call.data }, topic: String(topic) }] : [];
  });
