import * as z from 'zod/mini';
import { isRecord } from '../../shared/json.ts';
import type { Feature } from '../feature.ts';
import { CODE } from './faultEvent.ts';
import { type FaultSource, NO_FAULT } from './faultKind.ts';

/** The content of a message list of a device. */
export type MessageList = {
  readonly source: FaultSource;
  /** True if the list contains active messages and drops ended ones. Other lists are logs. */
  readonly isOpen: boolean;
  /** True if it shows every fault of the device: an empty one proves that there is none. */
  readonly isComplete: boolean;
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
export const NO_CODE = 'device-error';
const SOURCES: ReadonlyMap<string, FaultSource> = new Map([
  ['errors', 'error'],
  ['service', 'service'],
  ['info', 'info'],
  ['status', 'status'],
]);

/** The kind of a list by its name; undefined for other features and logs without codes (`…logbook`). */
const listKindOf = (feature: string): Omit<MessageList, 'entries'> | undefined => {
  const list = /^device\.messages\.(.+)\.raw$/.exec(feature)?.[1];
  const source = SOURCES.get(list ?? '') ?? 'unknown';
  const isComplete = source === 'error';
  return list === undefined ? undefined : { source, isOpen: isComplete || source === 'service', isComplete };
};

/** How a part without an error may be. The code may then be an old one. */
const NO_ERROR = /^(?:ok|on|off|standby|inactive|(?:not)?connected)$/iu;

/**
 * The present error of one part (`heating.burners.0.errorStatus`), by its form: a list of at most one entry.
 * Its `errorDetails` are "error" even while all is well.
 */
const errorStatusOf = ({ properties }: Feature): MessageList | undefined => {
  const status = properties.get('status')?.value;
  const { data: code } = CODE.safeParse(properties.get('errorCode')?.value);
  if (typeof status !== 'string' || code === undefined) return undefined;
  const hasCode = code !== '' && !NO_FAULT.test(code);
  const isFault = !NO_ERROR.test(status) && (hasCode || status === 'error');
  return { source: 'error', isOpen: true, isComplete: false, entries: isFault ? [{ code: hasCode ? code : NO_CODE }] : [] };
};

const isNothing = (value: unknown): boolean => value === null || value === '';
/** True for a place of the list without an entry. */
const isEmpty = (raw: unknown): boolean => (isRecord(raw) ? Object.values(raw).every(isNothing) : isNothing(raw));

/** The message list in a record, recognized by its form; undefined for any other record. */
export const messageListOf = (feature: Feature): MessageList | undefined => {
  const kind = listKindOf(feature.name);
  const all = feature.properties.get('entries')?.value;
  if (!kind || !Array.isArray(all)) return errorStatusOf(feature);
  const entries = new Map<string, MessageList['entries'][number]>();
  for (const raw of all.slice(0, MOST_ENTRIES)) {
    const { data } = ENTRY.safeParse(raw);
    const code = data?.errorCode || (kind.source === 'error' && !isEmpty(raw) ? NO_CODE : '');
    // The newest entry comes first.
    if (code !== '' && !entries.has(code)) entries.set(code, { code, clock: data?.timestamp });
  }
  return { ...kind, entries: [...entries.values()] };
};
