import type { Message } from '../../shared/message.ts';
import type { Shown, Steps } from './documentSteps.ts';
import { type Component, componentsOf, withMoreComponents } from './publishedDocument.ts';

const sensorsIn = (payload: string): readonly (readonly [key: string, sensor: Component])[] =>
  [...componentsOf(payload)].filter(([, { platform }]) => platform === 'sensor');

const textsOf = (list: unknown): readonly string[] => (Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []);

/** The document with the former options of its sensors after the present ones. */
const withFormer = (document: Message, former: ReadonlyMap<unknown, readonly string[]>): Message => {
  const wider = sensorsIn(document.payload).flatMap(([key, sensor]) => {
    const options = textsOf(sensor.options);
    const missing = (former.get(sensor.unique_id) ?? []).filter((option) => !options.includes(option));
    return options.length > 0 && missing.length > 0 ? [[key, { ...sensor, options: [...options, ...missing] }] as const] : [];
  });
  return wider.length === 0 ? document : { ...document, payload: withMoreComponents(document.payload, wider) };
};

/**
 * What has to be done where sensors show their values otherwise than before, as after a change of the language. Home Assistant 2026.11 keeps
 * the state that it shows until the next message, and fails where the options of an enum no longer have it: so the steps keep the former
 * options until the values of `topics` were published once more, after the last step but one.
 */
export const followSensors = (
  steps: Steps,
  before: Shown,
  wanted: readonly Message[],
): { readonly steps: Steps; readonly topics: readonly string[] } => {
  const now = new Map(wanted.map(({ topic, payload }) => [topic, payload]));
  const former = new Map(
    [...before].flatMap(([topic, payload]) =>
      payload === now.get(topic) ? [] : sensorsIn(payload).map(([, sensor]) => [sensor.unique_id, sensor] as const),
    ),
  );
  const changed = former.size === 0 ? [] : wanted.filter(({ topic, payload }) => before.get(topic) !== payload);
  const topics = changed.flatMap(({ payload }) =>
    sensorsIn(payload).flatMap(([, { unique_id: id, value_template: template, state_topic: topic }]) => {
      const known = former.get(id);
      return known && known.value_template !== template && typeof topic === 'string' ? [topic] : [];
    }),
  );
  if (topics.length === 0) return { steps, topics };
  const options = new Map([...former].map(([id, sensor]) => [id, textsOf(sensor.options)]));
  return { steps: [...steps.map((step) => step.map((document) => withFormer(document, options))), wanted], topics: [...new Set(topics)] };
};
