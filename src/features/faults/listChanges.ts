import type { Feature } from '../feature.ts';
import type { FaultEvent } from './faultEvent.ts';
import { kindOf } from './faultKind.ts';
import { listKindOf, type MessageList } from './messageList.ts';

type Place = Pick<FaultEvent, 'gateway' | 'device'>;

/** The changes of a list: begins and ends for a list of active messages, else new entries. */
export const listChanges = (
  device: Place,
  feature: Pick<Feature, 'name' | 'timestamp'>,
  { source, isOpen, entries }: MessageList,
  known: ReadonlyMap<string, FaultEvent>,
  nowMs: number,
): readonly FaultEvent[] => {
  // Status lists contain the entries since the last start of the heating, with its own clock.
  if (source === 'status') return [];
  const at = Math.min(nowMs, Date.parse(feature.timestamp ?? '') || nowMs);
  const latest = latestOf(known.values());
  const fresh = entries.flatMap(({ code, clock }) => {
    const kind = kindOf(code, source);
    // A message that ended with its list may reappear with its old time. Then it starts now.
    const since = isOpen && at <= (latest.get(code)?.at ?? 0) ? nowMs : at;
    const id = isOpen ? `${feature.name} ${since}` : `${feature.name} ${clock}`;
    const event = seen(device, { code, kind, from: 'messages', at: since, ...(isOpen ? { active: true } : {}) }, id, clock);
    return known.has(event.key) || (isOpen && latest.get(code)?.active) ? [] : [event];
  });
  const listed = new Set(entries.map(({ code }) => code));
  const ended = [...(isOpen ? latest.values() : [])].flatMap(({ code, kind, active, at: since, key }) =>
    active && key.includes(`"${feature.name} `) && !listed.has(code)
      ? [seen(device, { code, kind, from: 'messages', at: Math.max(at, since), active: false }, `${feature.name} ${at}`)]
      : [],
  );
  return [...fresh, ...ended];
};

/** The ends of all entries of a list that the platform no longer has. */
export const endOfList = (device: Place, name: string, known: ReadonlyMap<string, FaultEvent>, nowMs: number): readonly FaultEvent[] => {
  const kind = listKindOf(name);
  const ends = kind ? listChanges(device, { name }, { ...kind, entries: [] }, known, nowMs) : [];
  return ends.map((end) => seen(device, end, `gone ${nowMs}`));
};

type Sight = Pick<FaultEvent, 'code' | 'kind' | 'from' | 'at' | 'active'>;

/** An event that the bridge itself saw. */
export const seen = ({ gateway, device }: Place, sight: Sight, id: string, clock?: string): FaultEvent => ({
  key: JSON.stringify([gateway, device, id, sight.code, sight.active, sight.from]),
  ...{ gateway, device, ...sight, clock },
});

/** The last list event of each code (of two at once, the end). Logs have neither begin nor end. */
const latestOf = (events: Iterable<FaultEvent>): ReadonlyMap<string, FaultEvent> => {
  const latest = new Map<string, FaultEvent>();
  for (const event of events) {
    const best = latest.get(event.code);
    const isLater = best === undefined || event.at > best.at || (event.at === best.at && event.active === false);
    if (event.from === 'messages' && event.active !== undefined && isLater) latest.set(event.code, event);
  }
  return latest;
};
