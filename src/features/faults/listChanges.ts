import type { Feature } from '../feature.ts';
import { type FaultEvent, wasGone } from './faultEvent.ts';
import { kindOf } from './faultKind.ts';
import { listKindOf, type MessageList } from './messageList.ts';

type Place = Pick<FaultEvent, 'gateway' | 'device'>;

/** The lists of a device that hold what is active, by the names of their features, with their codes. */
export type OpenLists = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * What a list shows other than before: begins and ends where it holds what is active, else entries that were never in it. A code ends when none of
 * the `open` lists has it.
 */
export const listChanges = (
  device: Place,
  feature: Pick<Feature, 'name' | 'timestamp'>,
  { source, isOpen, entries }: MessageList,
  known: ReadonlyMap<string, FaultEvent>,
  nowMs: number,
  open: OpenLists,
): readonly FaultEvent[] => {
  // The lists of states hold what was since the last start of the heating, by its own clock.
  if (source === 'status') return [];
  const at = Math.min(nowMs, Date.parse(feature.timestamp ?? '') || nowMs);
  const latest = latestOf(known.values());
  const begunBy = (code: string, lists: readonly string[]): FaultEvent | undefined => {
    const event = latest.get(code);
    return event?.active && lists.some((list) => event.key.includes(`"${list} `)) ? event : undefined;
  };
  const fresh = entries.flatMap(({ code, clock }) => {
    const kind = kindOf(code, source);
    // What ended with its list or device lasts, where the list still has it when it comes back.
    const since = isOpen && wasGone(latest.get(code)) ? nowMs : at;
    const id = isOpen ? `${feature.name} ${since}` : `${feature.name} ${clock}`;
    const event = seen(device, { code, kind, from: 'messages', at: since, ...(isOpen ? { active: true } : {}) }, id, clock);
    return known.has(event.key) || (isOpen && begunBy(code, [feature.name])) ? [] : [event];
  });
  const others = [...open].filter(([name]) => name !== feature.name);
  const listed = new Set([...entries.map(({ code }) => code), ...others.flatMap(([, codes]) => [...codes])]);
  const ended = [...(isOpen ? latest.keys() : [])].flatMap((code) => {
    const begin = listed.has(code) ? undefined : begunBy(code, [feature.name, ...others.map(([name]) => name)]);
    if (!begin) return [];
    return [seen(device, { code, kind: begin.kind, from: 'messages', at: Math.max(at, begin.at), active: false }, `${feature.name} ${at}`)];
  });
  return [...fresh, ...ended];
};

/** The ends of what a list held that the platform no longer has. */
export const endOfList = (
  device: Place,
  name: string,
  known: ReadonlyMap<string, FaultEvent>,
  nowMs: number,
  open: OpenLists,
): readonly FaultEvent[] => {
  const kind = listKindOf(name);
  const ends = kind ? listChanges(device, { name }, { ...kind, entries: [] }, known, nowMs, open) : [];
  return ends.map((end) => seen(device, end, `gone ${nowMs}`));
};

type Sight = Pick<FaultEvent, 'code' | 'kind' | 'from' | 'at' | 'active'>;

/** An event that the bridge has seen itself. */
export const seen = ({ gateway, device }: Place, sight: Sight, id: string, clock?: string): FaultEvent => ({
  key: JSON.stringify([gateway, device, id, sight.code, sight.active, sight.from]),
  ...{ gateway, device, ...sight, clock },
});

/** The last change of each code by the lists; of two at once the end. */
const latestOf = (events: Iterable<FaultEvent>): ReadonlyMap<string, FaultEvent> => {
  const latest = new Map<string, FaultEvent>();
  for (const event of events) {
    const best = latest.get(event.code);
    const isLater = best === undefined || event.at > best.at || (event.at === best.at && event.active === false);
    if (event.from === 'messages' && isLater) latest.set(event.code, event);
  }
  return latest;
};
