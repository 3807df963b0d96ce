import type { Feature, Json } from '../../features/feature.ts';
import { printWeek } from '../../schedule/text/weekText.ts';
import { type Day, readWeek } from '../../schedule/week.ts';
import { schedulePropertyOf } from '../../topics/featureState.ts';
import type { Said } from '../execution/resultPublisher.ts';

/** What a dry run is answered that found nothing wrong: the week as it would be sent, also as text, and the days that would change. */
export const valid = (
  feature: Feature,
  { args = {}, changed = [] }: { readonly args?: Readonly<Record<string, Json>>; readonly changed?: readonly Day[] } = {},
): Said => {
  const week = Object.values(args)[0] ?? feature.properties.get(schedulePropertyOf(feature) ?? '')?.value;
  const read = readWeek(week);
  const text = read.ok ? printWeek(read.value) : undefined;
  return { status: 'valid', ...(read.ok ? { week: read.value } : {}), ...(text === undefined ? {} : { text }), changed };
};
