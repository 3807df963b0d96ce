import type { Message } from '../../shared/message.ts';
import type { DocumentsByTopic, Steps } from './documentSteps.ts';
import { type Component, componentsOf, MIGRATE, withComponents, withMoreComponents } from './publishedDocument.ts';

/** By platform, the topic, template and list of entities with a list of words or a limited number. */
const WORDS: Readonly<Record<string, readonly [topic: string, template: string, words: string]>> = {
  number: ['state_topic', 'value_template', ''],
  sensor: ['state_topic', 'value_template', 'options'],
  select: ['state_topic', 'value_template', 'options'],
  climate: ['preset_mode_state_topic', 'preset_mode_value_template', 'preset_modes'],
};

const textsOf = (list: unknown): readonly string[] => (Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []);

/** The document with its entities' present options, followed by the former ones. */
const withFormer = (document: Message, former: ReadonlyMap<unknown, readonly string[]>): Message => {
  const wider = [...componentsOf(document.payload)].flatMap(([key, entity]) => {
    const options = textsOf(entity.options);
    const missing = (former.get(entity.unique_id) ?? []).filter((option) => !options.includes(option));
    return options.length > 0 && missing.length > 0 ? [[key, { ...entity, options: [...options, ...missing] }] as const] : [];
  });
  return wider.length === 0 ? document : { ...document, payload: withMoreComponents(document.payload, wider) };
};

/** The topic of the value that an entity now shows differently, if any. */
const topicOfChanged = (entity: Component, before: Component | undefined): string | undefined => {
  const [topic = '', template = '', words = ''] = WORDS[entity.platform] ?? [];
  const value = entity[topic];
  if (!before || before[template] === entity[template] || typeof value !== 'string') return undefined;
  // A list that only grew shows its earlier values as before.
  const [former, present] = [textsOf(before[words]), textsOf(entity[words])];
  return former.length > 0 && former.every((word) => present.includes(word)) ? undefined : value;
};

const LOWER_LIMIT = /^min(?:_temp)?$/;
const UPPER_LIMIT = /^max(?:_temp)?$/;

/** The value topics of an entity with a longer list of words or wider limits. */
const topicsOfWider = (entity: Component, before: Component | undefined): readonly string[] => {
  const isWider = Object.entries(entity).some(([key, now]) => {
    const words = textsOf(before?.[key]);
    if (words.length > 0) return textsOf(now).some((word) => !words.includes(word));
    const [limit, former] = [Number(now), Number(before?.[key])];
    return (LOWER_LIMIT.test(key) && limit < former) || (UPPER_LIMIT.test(key) && limit > former);
  });
  return isWider ? Object.entries(entity).flatMap(([key, topic]) => (key.endsWith('state_topic') ? String(topic) : [])) : [];
};

/**
 * The thermostats of this document that were not in `former` or changed since. Home Assistant compares a component
 * together with what all components of its document share, such as the device and the origin.
 */
const changedThermostats = ({ payload }: Message, former = ''): readonly Component[] => {
  const before = withComponents(former, []) === withComponents(payload, []) ? componentsOf(former) : new Map<string, Component>();
  return [...componentsOf(payload)].flatMap(([key, entity]) =>
    entity.platform === 'climate' && JSON.stringify(entity) !== JSON.stringify(before.get(key)) ? [entity] : [],
  );
};

/**
 * Handles entities that show their values differently, for example after a language change. Home Assistant
 * 2026.11 keeps the shown state until the next message and fails if an enum's options lack it, so the steps
 * keep the former options until the values of `topics` are published again, after the last step but one. It
 * drops a word missing from its list, for example a new profile, and a number outside its limits: the values
 * of `wider` are published again after the last step. When it takes a changed thermostat, it sets its preset
 * to `none`: those of `presets` are published again when it has taken the last step.
 */
export const followWords = (
  steps: Steps,
  before: DocumentsByTopic,
  wanted: readonly Message[],
): Readonly<Record<'topics' | 'wider' | 'presets', readonly string[]>> & { readonly steps: Steps } => {
  const now = new Map(wanted.map(({ topic, payload }) => [topic, payload]));
  const entitiesIn = (payload: string): readonly Component[] => [...componentsOf(payload).values()];
  const former = new Map(
    [...before].flatMap(([topic, payload]) =>
      payload === now.get(topic) ? [] : entitiesIn(payload).map((entity) => [entity.unique_id, entity] as const),
    ),
  );
  const changed = former.size === 0 ? [] : wanted.filter(({ topic, payload }) => before.get(topic) !== payload);
  const entities = changed.flatMap(({ payload }) => entitiesIn(payload));
  const topics = [...new Set(entities.flatMap((entity) => topicOfChanged(entity, former.get(entity.unique_id)) ?? []))];
  const wider = entities.flatMap((entity) => topicsOfWider(entity, former.get(entity.unique_id)));
  const others = wider.filter((topic) => !topics.includes(topic));
  const released = new Set(steps.flatMap((step) => step.flatMap(({ topic, payload }) => (payload === MIGRATE ? [topic] : []))));
  const presets = changed
    .flatMap((one) => changedThermostats(one, released.has(one.topic) ? undefined : before.get(one.topic)))
    .flatMap(({ unique_id: id, preset_mode_state_topic: topic }) => (former.has(id) && typeof topic === 'string' ? [topic] : []));
  if (topics.length === 0) return { steps, topics, wider: others, presets };
  const options = new Map([...former].map(([id, entity]) => [id, textsOf(entity.options)]));
  return { steps: [...steps.map((step) => step.map((document) => withFormer(document, options))), wanted], topics, wider: others, presets };
};
