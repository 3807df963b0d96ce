import * as z from 'zod/mini';
import type { Feature } from '../feature.ts';
import { CODE } from './faultEvent.ts';
import type { FaultSource } from './faultKind.ts';

/** What a list of a device tells. */
export type MessageList = {
  readonly source: FaultSource;
  /** True where the list holds what is active now, and loses what has ended; the others are logs. */
  readonly isOpen: boolean;
  /** Each code once; `clock` is the moment by the heating's clock. */
  readonly entries: readonly { readonly code: string; readonly clock?: string | undefined }[];
};

/** Of a longer list the rest is left out. */
const MOST_ENTRIES = 200;
const ENTRY = z.object({
  errorCode: CODE,
  timestamp: z.catch(z.optional(z.string()), undefined),
});
const SOURCES: ReadonlyMap<string, FaultSource> = new Map([
  ['errors', 'error'],
  ['service', 'service'],
  ['info', 'info'],
  ['status', 'status'],
]);

/** What the list of this name is; undefined for any other feature, also for a log without codes (`…logbook`). */
export const listKindOf = (feature: string): Pick<MessageList, 'source' | 'isOpen'> | undefined => {
  const list = /^device\.messages\.(.+)\.raw$/.exec(feature)?.[1];
  const source = SOURCES.get(list ?? '') ?? 'unknown';
  return list === undefined ? undefined : { source, isOpen: source === 'error' || source === 'service' };
};

/** The list in a record of messages, known by its form; undefined for any other record. */
export const messageListOf = (feature: Feature): MessageList | undefined => {
  const kind = listKindOf(feature.name);
  const all = feature.properties.get('entries')?.value;
  if (!kind || !Array.isArray(all)) return undefined;
  const entries = new Map<string, MessageList['entries'][number]>();
  for (const raw of all.slice(0, MOST_ENTRIES)) {
    const { data } = ENTRY.safeParse(raw);
    // The newest comes first.
    if (!data?.errorCode || entries.has(data.errorCode)) continue;
    entries.set(data.errorCode, { code: data.errorCode, clock: data.timestamp });
  }
  return { ...kind, entries: [...entries.values()] };
};
