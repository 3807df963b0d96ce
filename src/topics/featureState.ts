import type { Composite } from '../features/composites/composite.ts';
import type { Feature, Json } from '../features/feature.ts';
import { fieldsOf, fieldValue } from '../features/fields.ts';
import { type Profile, profileOf } from '../schedule/profile.ts';
import { readWeek } from '../schedule/readWeek.ts';
import { printDay, printWeek } from '../schedule/text/weekText.ts';
import { DAYS, type Week } from '../schedule/week.ts';
import type { Message } from '../shared/message.ts';
import { orderedValue, recordPayload } from './recordPayload.ts';
import { constraintsOf } from './scheduleCommand.ts';
import { EMPTY_FIELD, encodeLevel, featureTopic, fieldTopicOf, RESERVED, RUNNING_TOTAL } from './topicNames.ts';
import { type Moments, momentMessages } from './transitionPayloads.ts';
import { payloadOf, plainNumber, retainedMessages } from './valuePayload.ts';

/** The retained messages of a feature, and its properties without a topic (reserved names). */
export type FeatureState = { readonly messages: Message[]; readonly withoutTopic: readonly string[] };

/** The property with the feature's week: the first one of type Schedule by name. */
export const schedulePropertyOf = ({ properties }: Feature): string | undefined => {
  let first: string | undefined;
  for (const [name, { type }] of properties) if (type === 'Schedule' && (first === undefined || name < first)) first = name;
  return first;
};

/** The week of a feature; undefined if there is no readable one. */
export const weekOn = (feature: Feature): Week | undefined => {
  const property = schedulePropertyOf(feature);
  const read = property === undefined ? undefined : readWeek(feature.properties.get(property)?.value);
  return read?.ok ? read.value : undefined;
};

/** True for a last level whose `set` writes the week: `entries`, `text`, `mon` … `sun`, `profile`, `undo`. */
export const isScheduleLeaf = (leaf: string): boolean => SCHEDULE_LEAVES.has(leaf);

const SCHEDULE_LEAVES: ReadonlySet<string> = new Set(['entries', 'text', ...DAYS, 'profile', 'undo']);

/**
 * Every retained topic of a feature with its payload (docs/topics.md). A property without a value has no
 * topic; a feature without properties and commands has no topics. `device` is its name in topics.
 */
export const featureState = (
  base: string,
  device: string,
  feature: Feature,
  profiles: readonly Profile[] = [],
  moments?: Moments,
  draft?: Draft,
): FeatureState => {
  if (feature.properties.size === 0 && feature.commands.size === 0) return { messages: [], withoutTopic: [] };
  const messages: Message[] = [];
  const withoutTopic: string[] = [];
  const prefix = featureTopic(base, device, feature.name, '');
  const show = (leaf: string, payload: string | undefined): void => {
    if (payload) messages.push({ topic: prefix + leaf, payload, retain: true });
  };
  const week = schedulePropertyOf(feature);
  for (const name of [...feature.properties.keys()].sort()) {
    const payload = payloadOf(orderedValue(feature.properties.get(name)));
    if (RESERVED.has(encodeLevel(name))) withoutTopic.push(name);
    else show(encodeLevel(name), payload);
    // The week is also on `entries`, unless another property has that name.
    if (name === week && !feature.properties.has('entries')) show('entries', payload);
  }
  const shown = week === undefined ? undefined : weekOn(feature);
  if (shown) {
    show('text', printWeek(shown));
    for (const day of DAYS) show(day, printDay(shown[day]));
    show('profile', profileOf(shown, profiles, constraintsOf(feature)));
  }
  show('record', recordPayload(feature, withoutTopic));
  if (moments) messages.push(...momentMessages(base, device, feature.name, moments));
  for (const name of fieldsOf(feature)) {
    const property = feature.properties.get(name);
    if (!property || RESERVED.has(encodeLevel(name))) continue;
    // Hubs show a cleared topic as unknown, even if the heating reports an empty value.
    const nothing = typeof property.value === 'string' ? EMPTY_FIELD : '';
    show(fieldTopicOf(encodeLevel(name)), payloadOf(fieldValue(feature, name, draft?.values)) || nothing);
  }
  if (draft) show('waiting', JSON.stringify(draft));
  return { messages, withoutTopic };
};

/** A pending write of a feature that needs more values for its command. */
type Draft = { readonly values: Readonly<Record<string, Json>> };

/** Floating-point sums have noise after the digits that the platform counts. */
const withoutNoise = (total: number): number => Math.round(total * 1e6) / 1e6;

/** The message with the feature's running total since the bridge first saw it. */
export const totalMessage = (base: string, device: string, feature: string, total: number): Message => ({
  topic: featureTopic(base, device, feature, RUNNING_TOTAL),
  payload: plainNumber(withoutNoise(total)),
  retain: true,
});

/** The retained topics of a climate or water heater; a part without a value has no topic. */
export const compositeMessages = (base: string, device: string, { name, parts }: Composite): Message[] =>
  retainedMessages(
    featureTopic(base, device, name, ''),
    [...parts].map(([part, value]) => [part, payloadOf(value)] as const),
  );
