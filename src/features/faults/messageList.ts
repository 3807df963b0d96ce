import * as z from 'zod/mini';
import { isRecord } from '../../shared/json.ts';
import type { Feature } from '../feature.ts';
import { CODE } from './faultEvent.ts';
import type { FaultSource } from './faultKind.ts';

/** The content of a message list of a device. */
export type MessageList = {
  readonly source: FaultSource;
  /** True if the list contains active messages and drops ended ones. Other lists are logs. */
  readonly isOpen: boolean;
  /** Each code once; `clock` is the time from the heating's clock. */
  readonly entries: readonly { readonly code: string; readonly clock?: string | undefined }[];
};

/** Further entries of a longer list are ignored. */
const MOST_ENTRIES = 200;
const ENTRY = z.object({
  errorCode: CODE,
  timestamp: z.catch(z.optional(z.string()), undefined),
});
/** An error without a readable code, as in an event. */
const NO_CODE = 'device-error';
const SOURCES: ReadonlyMap<string, FaultSource> = new Map([
  ['errors', 'error'],
  ['service', 'service'],
  ['info', 'info'],
  ['status', 'status'],
]);

/** The kind of a list by its name; undefined for other features and logs without codes (`…logbook`). */
const listKindOf = (feature: string): Pick<MessageList, 'source' | 'isOpen'> | undefined => {
  const list = /^device\.messages\.(.+)\.raw$/.exec(feature)?.[1];
  const source = SOURCES.get(list ?? '') ?? 'unknown';
  return list === undefined ? undefined : { source, isOpen: source === 'error' || source === 'service' };
};

const isNothing = (value: unknown): boolean => value === null || value === '';
/** True for a place of the list without an entry. */
const isEmpty = (raw: unknown): boolean => (isRecord(raw) ? Object.values(raw).every(isNothing) : isNothing(raw));

/** The message list in a record, recognized by its form; undefined for any other record. */
export const messageListOf = (feature: Feature): MessageList | undefined => {
  const kind = listKindOf(feature.name);
  const all = feature.properties.get('entries')?.value;
  if (!kind || !Array.isArray(all)) return undefined;
  const entries = new Map<string, MessageList['entries'][number]>();
  for (const raw of all.slice(0, MOST_ENTRIES)) {
    const { data } = ENTRY.safeParse(raw);
    const code = data?.errorCode || (kind.source === 'error' && !isEmpty(raw) ? NO_CODE : '');
    // The newest entry comes first.
    if (code !== '' && !entries.has(code)) entries.set(code, { code, clock: data?.timestamp });
  }
  return { ...kind, entries: [...entries.values()] };
};
