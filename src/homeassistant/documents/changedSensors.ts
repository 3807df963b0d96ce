import { jsonObject } from '../../shared/json.ts';
import type { Message } from '../../shared/message.ts';
import type { Shown, Steps } from './documentSteps.ts';
import { componentsOf, readDocumentTopic, withComponents } from './entityDocuments.ts';

type Text = Pick<Message, 'topic' | 'payload'>;
type Component = Readonly<Record<string, unknown>>;

/** The sensors of a document of either form, by key; a document of a single entity has its own topic as the key. */
const sensorsIn = ({ topic, payload }: Text): readonly (readonly [key: string, sensor: Component])[] => {
  const place = readDocumentTopic(topic);
  if (!place) return [];
  if (place.platform === undefined) return [...componentsOf(payload)].filter(([, { platform }]) => platform === 'sensor');
  const sensor = place.platform === 'sensor' ? jsonObject(payload) : undefined;
  return sensor ? [[topic, sensor]] : [];
};

const textsOf = (list: unknown): readonly string[] => (Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []);

/** The document with the former options of its sensors after the present ones. */
const withFormer = (document: Message, former: ReadonlyMap<unknown, readonly string[]>): Message => {
  const wider = sensorsIn(document).flatMap(([key, sensor]) => {
    const options = textsOf(sensor.options);
    const missing = (former.get(sensor.unique_id) ?? []).filter((option) => !options.includes(option));
    return options.length > 0 && missing.length > 0 ? [[key, { ...sensor, options: [...options, ...missing] }] as const] : [];
  });
  const [single] = wider;
  if (!single) return document;
  const payload = single[0] === document.topic ? JSON.stringify(single[1]) : withComponents(document.payload, wider);
  return { ...document, payload };
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
      payload === undefined || payload === now.get(topic)
        ? []
        : sensorsIn({ topic, payload }).map(([, sensor]) => [sensor.unique_id, sensor] as const),
    ),
  );
  if (former.size === 0) return { steps, topics: [] };
  const topics = wanted.flatMap((document) =>
    before.get(document.topic) === document.payload
      ? []
      : sensorsIn(document).flatMap(([, { unique_id: id, value_template: template, state_topic: topic }]) => {
          const known = former.get(id);
          return known && known.value_template !== template && typeof topic === 'string' ? [topic] : [];
        }),
  );
  if (topics.length === 0) return { steps, topics };
  const options = new Map([...former].map(([id, sensor]) => [id, textsOf(sensor.options)]));
  return { steps: [...steps.map((step) => step.map((document) => withFormer(document, options))), wanted], topics: [...new Set(topics)] };
};
