import type { Feature } from '../feature.ts';
import type { FaultEvent } from './faultEvent.ts';
import { kindOf } from './faultKind.ts';
import type { MessageList } from './messageList.ts';

type Place = Pick<FaultEvent, 'gateway' | 'device'>;

/** The new entries of a list: begins for a list of active messages. */
export const newEntries = (
  device: Place,
  feature: Pick<Feature, 'name' | 'timestamp'>,
  { source, isOpen, entries }: MessageList,
  known: ReadonlyMap<string, FaultEvent>,
  nowMs: number,
): readonly FaultEvent[] => {
  // Status lists contain the entries since the last start of the heating, with its own clock.
  if (source === 'status') return [];
  const at = listedAt(feature, nowMs);
  const latest = latestOf(known.values());
  return entries.flatMap(({ code, clock }) => {
    const kind = kindOf(code, source);
    // A message that ended with its list may reappear with its old time. Then it starts now.
    const since = isOpen && at <= (latest.get(code)?.at ?? 0) ? nowMs : at;
    const id = isOpen ? `${feature.name} ${since}` : `${feature.name} ${clock}`;
    const event = seen(device, { code, kind, from: 'messages', at: since, ...(isOpen ? { active: true } : {}) }, id, clock);
    return known.has(event.key) || (isOpen && latest.get(code)?.active) ? [] : [event];
  });
};

/** The time of a list by the platform, never in the future. */
export const listedAt = ({ timestamp = '' }: Pick<Feature, 'timestamp'>, nowMs: number): number =>
  Math.min(nowMs, Date.parse(timestamp) || nowMs);

/** The ends at `at` of what began in these lists and is in no list of active messages (`listed`) any more. */
export const listEnds = (
  device: Place,
  lists: readonly string[],
  listed: ReadonlySet<string>,
  known: ReadonlyMap<string, FaultEvent>,
  at: number,
): readonly FaultEvent[] =>
  [...latestOf(known.values()).values()].flatMap(({ code, kind, active, at: since, key }) => {
    const isOver = active && !listed.has(code) && lists.some((name) => key.includes(`"${name} `));
    const until = Math.max(at, since);
    return isOver ? [seen(device, { code, kind, from: 'messages', at: until, active: false }, `gone ${until}`)] : [];
  });

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
