import type { Feature, Json } from '../../../features/feature.ts';
import { writingsOf } from '../../../features/writings.ts';
import { DAYS } from '../../../schedule/week.ts';
import { isRecord } from '../../../shared/json.ts';
import { schedulePropertyOf } from '../../../topics/featureState.ts';
import { schedulerOf } from '../../../topics/scheduleCommand.ts';
import { featureTopic, propertyTopic } from '../../../topics/topicNames.ts';
import { isSameValue, partValue } from '../../state/valueParts.ts';

/** Why a change cannot be taken back: nothing was changed, it is so again, what was before is not known, the feature is gone, no command writes it. */
export type NoUndo = 'nothing' | 'is_so' | 'unknown' | 'gone' | 'not_writable';

/** The message that writes what was before a change, or why there is none. */
export type Undo = { readonly topic: string; readonly payload: string } | { readonly why: NoUndo };

/** How the bridge's own commands may be used. */
export type UndoRules = { readonly base: string; readonly mayRun: (feature: string, command: string) => boolean };

type Made = { readonly device: string; readonly before?: Readonly<Record<string, Json>> | undefined; readonly status: string };

/** How a change is taken back by an ordinary write; `feature` as it is shown now. */
export const undoOf = ({ device, before, status }: Made, feature: Feature | undefined, { base, mayRun }: UndoRules): Undo => {
  if (status === 'failed') return { why: 'nothing' };
  if (!before || Object.keys(before).length === 0) return { why: 'unknown' };
  if (!feature) return { why: 'gone' };
  const week = schedulePropertyOf(feature);
  const days = week === undefined ? undefined : before[week];
  if (days !== undefined) {
    const property = week ?? '';
    const all = isRecord(days) ? days : {};
    const named = DAYS.filter((day) => all[day] !== undefined);
    if (named.every((day) => isSameValue({ property, day }, partValue(feature, { property, day }), all[day] as Json)))
      return { why: 'is_so' };
    const command = schedulerOf(feature)?.command;
    if (command === undefined || !mayRun(feature.name, command)) return { why: 'not_writable' };
    return { topic: featureTopic(base, device, feature.name, 'set'), payload: JSON.stringify(days) };
  }
  const values = Object.entries(before);
  if (values.every(([property, value]) => isSameValue({ property }, partValue(feature, { property }), value))) return { why: 'is_so' };
  const writable = new Set(writingsOf(feature).flatMap((one) => (mayRun(feature.name, one.command.name) ? [one.property] : [])));
  const [first, ...others] = values.filter(([property]) => writable.has(property));
  if (!first) return { why: 'not_writable' };
  if (others.length > 0)
    return {
      topic: featureTopic(base, device, feature.name, 'set'),
      payload: JSON.stringify(Object.fromEntries(values.filter(([property]) => writable.has(property)))),
    };
  const [property, value] = first;
  return { topic: `${propertyTopic(base, device, feature.name, property)}/set`, payload: JSON.stringify({ value }) };
};
