import type { FaultEvent } from './faultEvent.ts';
import { type FaultKind, OPEN_KINDS, weightiest } from './faultKind.ts';

/** One fault from its begin to its end. Instants are epoch milliseconds. */
export type Life = Pick<FaultEvent, 'gateway' | 'device' | 'code' | 'text' | 'clock'> & {
  readonly kind: FaultKind;
  /** Undefined for one of which only the end was seen. */
  readonly since?: number | undefined;
  /** Undefined while it lasts. */
  readonly until?: number | undefined;
  /** What gives `since`: the platform's events, or the first sight in a list of the device. */
  readonly source: FaultEvent['from'];
  /** Keys of the events that it began with: two lives that share one are the same. */
  readonly begins: readonly string[];
};

/** An event and the first sight in a list are the same fault within this time. */
const JOINS_MS = 90 * 60_000;

/** True for what is shown as active now. */
export const isActive = ({ kind, since, until }: Life): boolean => until === undefined && since !== undefined && OPEN_KINDS.has(kind);

/** When a life is placed in an order. */
export const momentOf = ({ since, until }: Life): number => since ?? until ?? 0;

/** The lives that these events make, the newest first: the same for the same events in any order, and however often each is there. */
export const livesOf = (events: Iterable<FaultEvent>): readonly Life[] => {
  const once = new Map<string, FaultEvent>();
  for (const event of events) if (event.at < (once.get(event.key)?.at ?? Number.POSITIVE_INFINITY)) once.set(event.key, event);
  const groups = Map.groupBy(once.values(), ({ gateway, device, code }) => JSON.stringify([gateway, device, code]));
  const lives = [...groups.values()].flatMap((own) => {
    const [told, seen] = (['events', 'messages'] as const).map((from) => runsOf(own.filter((event) => event.from === from)));
    return joined(told ?? [], seen ?? []);
  });
  return lives.sort((a, b) => momentOf(b) - momentOf(a) || (a.begins.join() < b.begins.join() ? -1 : 1));
};

/** A begin comes before an end of the same second: they are a pair. */
const inOrder = (a: FaultEvent, b: FaultEvent): number =>
  a.at - b.at || Number(b.active ?? false) - Number(a.active ?? false) || (a.key < b.key ? -1 : 1);

/**
 * The lives of one code by one source. A begin in a life and an end soon after one change nothing; any other end is that of a fault whose begin
 * was not told, as of older boilers, which tell the ends alone.
 */
const runsOf = (events: readonly FaultEvent[]): readonly Life[] => {
  const runs: Life[] = [];
  let open: FaultEvent[] = [];
  const close = (end: FaultEvent | undefined): void => {
    const [first] = open;
    if (first) runs.push(lifeOf(end ? [...open, end] : open, open, end?.at));
    open = [];
  };
  for (const event of events.toSorted(inOrder)) {
    if (event.active === undefined) runs.push(lifeOf([event], [event], event.at));
    else if (event.active) open.push(event);
    else if (open.length > 0) close(event);
    else if (isAnother(runs.at(-1), event)) runs.push({ ...lifeOf([event], [], event.at), begins: [event.key] });
  }
  close(undefined);
  return runs;
};

const isAnother = (last: Life | undefined, { at }: FaultEvent): boolean => !last || at - (last.until ?? at) > JOINS_MS;

const lifeOf = (all: readonly FaultEvent[], begins: readonly FaultEvent[], until: number | undefined): Life => {
  const [{ gateway, device, code, from } = NOTHING] = all;
  return {
    ...{ gateway, device, code, kind: weightiest(all.map(({ kind }) => kind)), source: from, begins: begins.map(({ key }) => key) },
    ...{ since: begins[0]?.at, until, text: last(all, 'text'), clock: last(begins, 'clock') },
  };
};

const NOTHING = { gateway: '', device: '', code: '', from: 'events' } as const;

const last = <Name extends 'text' | 'clock'>(events: readonly FaultEvent[], name: Name): string | undefined =>
  events.findLast((event) => event[name] !== undefined)?.[name];

/** Joins what events told with what lists showed: the event gives the begin, the list is the proof that it still lasts. */
const joined = (told: readonly Life[], seen: readonly Life[]): readonly Life[] => {
  const partners = new Map<Life, Life[]>();
  const alone: Life[] = [];
  for (const sight of seen) {
    // What the list has once more after it had ended there is another one, of which the events come later, unless they tell one for all of it.
    const spans = ({ until }: Life): boolean => until !== undefined && momentOf(sight) <= until;
    const possible = told.filter((life) => spans(life) || !partners.get(life)?.some((one) => isOver(one, sight)));
    const partner = partnerOf(sight, possible);
    if (partner) partners.set(partner, [...(partners.get(partner) ?? []), sight]);
    else alone.push(sight);
  }
  return [...told.map((life) => joinedWith(life, partners.get(life) ?? [])), ...alone];
};

/** True where the list no longer had it before it was in it once more. An entry of a log is a moment, and ends nothing. */
const isOver = ({ since, until }: Life, later: Life): boolean => until !== undefined && until !== since && until < momentOf(later);

const partnerOf = ({ since: seen }: Life, told: readonly Life[]): Life | undefined => {
  if (seen === undefined) return undefined;
  const near = told.flatMap((life) => {
    const { since, until = Number.POSITIVE_INFINITY } = life;
    const isNear = since !== undefined && seen >= since - JOINS_MS && seen <= Math.max(until, since + JOINS_MS);
    return isNear ? [{ life, apart: Math.abs(seen - since) }] : [];
  });
  return near.reduce<(typeof near)[number] | undefined>((best, one) => (best && best.apart <= one.apart ? best : one), undefined)?.life;
};

const joinedWith = (life: Life, sights: readonly Life[]): Life => {
  const [latest, ...others] = [...sights].sort((a, b) => momentOf(b) - momentOf(a));
  if (!latest) return life;
  const all = [latest, ...others];
  // An entry of a log is a moment, and ends nothing.
  const [lasting] = all.filter(({ since, until }) => until === undefined || until !== since);
  return {
    ...life,
    kind: weightiest([life, ...all].map(({ kind }) => kind)),
    begins: [...life.begins, ...all.flatMap(({ begins }) => begins)],
    until: lasting && lasting.until === undefined ? undefined : (life.until ?? lasting?.until),
    ...{ text: life.text ?? latest.text, clock: life.clock ?? latest.clock },
  };
};

/** The begins and ends that make the second lives of the first, the oldest first. */
export const differences = (before: readonly Life[], after: readonly Life[]): readonly { what: 'began' | 'ended'; life: Life }[] => {
  const left = new Set(before);
  const byBegin = new Map(before.flatMap((life) => life.begins.map((key) => [key, life] as const)));
  return after.toReversed().flatMap((life) => {
    if (!OPEN_KINDS.has(life.kind) || life.since === undefined) return [];
    const shared = life.begins.flatMap((key) => byBegin.get(key) ?? []).filter((one) => left.has(one));
    const same = shared.find(({ until }) => until === undefined) ?? shared[0];
    if (same) left.delete(same);
    const wasOpen = same !== undefined && same.until === undefined;
    const began = same === undefined || (!wasOpen && life.until === undefined) ? [{ what: 'began' as const, life }] : [];
    const ended = life.until !== undefined && (wasOpen || same === undefined) ? [{ what: 'ended' as const, life }] : [];
    return [...began, ...ended];
  });
};
