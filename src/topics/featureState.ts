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

/** The retained messages of a feature, and its properties without a topic of their own, because their name is reserved. */
export type FeatureState = { readonly messages: readonly Message[]; readonly withoutTopic: readonly string[] };

/** The property with the feature's week: the first of type Schedule by name. */
export const schedulePropertyOf = ({ properties }: Feature): string | undefined => {
  let first: string | undefined;
  for (const [name, { type }] of properties) if (type === 'Schedule' && (first === undefined || name < first)) first = name;
  return first;
};

/** The week that a feature shows; undefined without a readable one. */
export const weekOn = (feature: Feature): Week | undefined => {
  const property = schedulePropertyOf(feature);
  const read = property === undefined ? undefined : readWeek(feature.properties.get(property)?.value);
  return read?.ok ? read.value : undefined;
};

/** True for a last level of a schedule whose `set` writes its week: `entries`, `text`, `mon` … `sun`, `profile`, `undo`. */
export const isScheduleLeaf = (leaf: string): boolean => SCHEDULE_LEAVES.has(leaf);

const SCHEDULE_LEAVES: ReadonlySet<string> = new Set(['entries', 'text', ...DAYS, 'profile', 'undo']);

/**
 * Every retained topic of a feature with its payload (docs/topics.md). A property without a value has none; a feature without properties
 * and commands has none at all. `device` is the device's name in topics.
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
  const payloads: [leaf: string, payload: string | undefined][] = [];
  const withoutTopic: string[] = [];
  const week = schedulePropertyOf(feature);
  for (const name of [...feature.properties.keys()].sort()) {
    const payload = payloadOf(orderedValue(feature.properties.get(name)));
    if (RESERVED.has(encodeLevel(name))) withoutTopic.push(name);
    else payloads.push([encodeLevel(name), payload]);
    // A week is also on `entries`, unless another property has that name.
    if (name === week && !feature.properties.has('entries')) payloads.push(['entries', payload]);
  }
  const record = recordPayload(feature, withoutTopic);
  const all = [...payloads, ...schedulePayloads(feature, profiles), ['record', record] as const];
  const messages = retainedMessages(featureTopic(base, device, feature.name, ''), all);
  if (moments) messages.push(...momentMessages(base, device, feature.name, moments));
  messages.push(...draftMessages(base, device, feature, draft));
  return { messages, withoutTopic };
};

/** What waits on a feature for other values of its command. */
type Draft = { readonly values: Readonly<Record<string, Json>> };

/** What waits, and what the fields of the feature show. */
const draftMessages = (base: string, device: string, feature: Feature, draft: Draft | undefined): readonly Message[] => {
  const fields = fieldsOf(feature).filter((name) => feature.properties.has(name) && !RESERVED.has(encodeLevel(name)));
  // A cleared topic would be unknown in hubs, also where the heating says that there is nothing.
  const nothing = (name: string): string => (typeof feature.properties.get(name)?.value === 'string' ? EMPTY_FIELD : '');
  const payloads = fields.map((name): [string, string] => [
    fieldTopicOf(encodeLevel(name)),
    payloadOf(fieldValue(feature, name, draft?.values)) || nothing(name),
  ]);
  const all: readonly (readonly [string, string])[] = [...payloads, ...(draft ? [['waiting', JSON.stringify(draft)] as const] : [])];
  return retainedMessages(featureTopic(base, device, feature.name, ''), all);
};

/** Sums of numbers like 0.1 have noise behind the digits that the platform counts. */
const withoutNoise = (total: number): number => Math.round(total * 1e6) / 1e6;

/** The message with what a feature has counted since the bridge first saw it. */
export const totalMessage = (base: string, device: string, feature: string, total: number): Message => ({
  topic: featureTopic(base, device, feature, RUNNING_TOTAL),
  payload: plainNumber(withoutNoise(total)),
  retain: true,
});

/** The text, days and profile of a schedule; nothing of an unreadable week, and no text where a week has none. */
const schedulePayloads = (
  feature: Feature,
  profiles: readonly Profile[],
): readonly (readonly [leaf: string, payload: string | undefined])[] => {
  const week = weekOn(feature);
  if (!week) return [];
  return [
    ['text', printWeek(week)],
    ...DAYS.map((day) => [day, printDay(week[day])] as const),
    ['profile', profileOf(week, profiles, constraintsOf(feature))],
  ];
};

/** The retained topics of a climate or water heater; a part without a value has none. */
export const compositeMessages = (base: string, device: string, { name, parts }: Composite): Message[] =>
  retainedMessages(
    featureTopic(base, device, name, ''),
    [...parts].map(([part, value]) => [part, payloadOf(value)] as const),
  );
