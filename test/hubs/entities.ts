import { anyOf, lastFaultTemplate } from '../../src/homeassistant/entities/faultEntities.ts';
import * as template from '../../src/homeassistant/templates.ts';
import { shownBy } from '../support/devices/shownStates.ts';
import type { State } from './home-assistant-hub.ts';

/** One component of a discovery document. */
export type Component = Readonly<Record<string, unknown>> & {
  readonly platform: string;
  readonly unique_id: string;
  readonly default_entity_id: string;
};

/** The components of a document as it lies on the broker. */
export const componentsIn = (document: string): readonly Component[] => {
  const { components }: { readonly components: Readonly<Record<string, Component>> } = JSON.parse(document);
  return Object.values(components);
};

const UNKNOWN = 'unknown';
const inUtc = (instant: string): string => `${new Date(instant).toISOString().slice(0, 19)}+00:00`;
const shortened = (text: string): string => (text.length > 255 ? `${text.slice(0, 254)}…` : text);

const sizeOf = (payload: string): number => {
  const value: unknown = JSON.parse(payload);
  return Array.isArray(value) ? value.length : Object.keys(Object(value)).length;
};

const withoutNoise = (amount: number): string => String(Number(amount.toFixed(6)));

const newestOf = (payload: string): string => {
  const [newest]: readonly unknown[] = JSON.parse(payload);
  return typeof newest === 'number' ? withoutNoise(newest) : UNKNOWN;
};

const isActive = (payload: string, ...kinds: readonly string[]): string => {
  const { active }: { readonly active: readonly { readonly kind: string }[] } = JSON.parse(payload);
  return active.some(({ kind }) => kinds.includes(kind)) ? 'on' : 'off';
};

const lastFault = (payload: string, none: string): string => {
  const { last }: { readonly last?: { readonly code: string; readonly text?: string } } = JSON.parse(payload);
  return last === undefined ? none : `${last.code} ${last.text ?? ''}`.trim().slice(0, 255);
};

/** What becomes of a payload, by the template that is laid over it; thought out without Jinja. */
const SHOWN: ReadonlyMap<unknown, (payload: string) => string> = new Map<unknown, (payload: string) => string>([
  [template.VALUE, (payload) => ({ true: 'on', false: 'off' })[payload] ?? payload],
  [template.AMOUNT, (payload) => withoutNoise(Number(payload))],
  [template.TEXT, shortened],
  [template.CUT, shortened],
  [template.FIELD, (payload) => shownBy(template.FIELD, payload)],
  [template.CHOICE, (payload) => payload],
  [template.ON_OFF, (payload) => (/^o(?:n|ff)$/.test(payload) ? payload : UNKNOWN)],
  [template.ALWAYS_AUTO, () => 'auto'],
  [template.INSTANT, (payload) => (/T.*(?:Z|[+-]\d\d:\d\d)$/.test(payload) ? inUtc(payload) : UNKNOWN)],
  [template.DAY, (payload) => (/^\d{4}-\d\d-\d\d$/.test(payload) ? payload : UNKNOWN)],
  [template.COUNT, (payload) => String(sizeOf(payload))],
  [template.NEWEST, newestOf],
  [anyOf('fault', 'warning'), (payload) => isActive(payload, 'fault', 'warning')],
  [anyOf('service'), (payload) => isActive(payload, 'service')],
  [lastFaultTemplate('en'), (payload) => lastFault(payload, 'No fault')],
  [lastFaultTemplate('de'), (payload) => lastFault(payload, 'Keine Störung')],
  ...(['connection', 'conflict', 'fault', 'stale'] as const).map(
    (name) => [template.hasMember(name), (payload: string) => (Object.hasOwn(JSON.parse(payload), name) ? 'on' : 'off')] as const,
  ),
]);

const expected = (payload: string | undefined, by: unknown): string => {
  const words = String(by);
  const shown = SHOWN.get(by) ?? (words.includes('.get(value') ? (text: string) => shownBy(words, text) : undefined);
  if (!shown) throw new Error(`There is no row for the template ${String(by)}.`);
  return payload === undefined ? UNKNOWN : shown(payload);
};

// Home Assistant rounds the temperatures of a climate and a water heater to their precision, 0.1.
const same = (shown: unknown, wanted: string, tolerance: number): boolean =>
  String(shown ?? UNKNOWN) === wanted || (wanted !== '' && Math.abs(Number(shown ?? Number.NaN) - Number(wanted)) <= tolerance);

/** Where a climate or a water heater shows its parts beside its state: attribute, topic, template. */
const PARTS = [
  ['temperature', 'temperature_state_topic', 'temperature_state_template'],
  ['current_temperature', 'current_temperature_topic', 'current_temperature_template'],
  ['current_humidity', 'current_humidity_topic', 'current_humidity_template'],
  ['preset_mode', 'preset_mode_state_topic', 'preset_mode_value_template'],
  ['hvac_action', 'action_topic', 'action_template'],
] as const;

/** What an entity shows otherwise than the retained topics say; empty where all is right. Buttons and events have no topic to compare with. */
export const differences = (component: Component, state: State | undefined, kept: ReadonlyMap<string, string>): string[] => {
  const { platform, unique_id: id } = component;
  if (state === undefined) return [`${id} is not there`];
  if (platform === 'button' || platform === 'event') return state.state === 'unavailable' ? [`${id} is unavailable`] : [];
  const rows = [
    [
      'state',
      state.state,
      component['state_topic'] ?? component['mode_state_topic'],
      component['value_template'] ?? component['mode_state_template'],
    ],
    ...PARTS.map(([name, topic, by]) => [name, state.attributes[name], component[topic], component[by]]),
  ];
  return rows.flatMap(([name, shown, topic, by]) => {
    if (topic === undefined) return [];
    const wanted = expected(kept.get(String(topic)), by);
    // A text that was cleared is empty: it can never become unknown again.
    const isCleared = platform === 'text' && wanted === UNKNOWN && shown === '';
    return isCleared || same(shown, wanted, name === 'state' ? 1e-9 : 0.05)
      ? []
      : [`${id} ${String(name)}: ${String(shown)} in place of ${wanted}`];
  });
};
