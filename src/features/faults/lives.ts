import type { FaultEvent } from './faultEvent.ts';
import { type FaultKind, mostSevere, OPEN_KINDS } from './faultKind.ts';
import { NO_CODE } from './messageList.ts';

/** One fault from begin to end. Instants are epoch milliseconds. */
export type Life = Pick<FaultEvent, 'gateway' | 'device' | 'code' | 'text' | 'clock'> & {
  readonly kind: FaultKind;
  /** Undefined if only the end was seen. */
  readonly since?: number | undefined;
  /** Undefined while it lasts. */
  readonly until?: number | undefined;
  /** The source of `since`: the platform's events, or the first sight in a list of the device. */
  readonly source: FaultEvent['from'];
  /** The keys of its begin events. Two lives with a common key are the same. */
  readonly begins: readonly string[];
};

/** An event and the first sight in a list within this time are the same fault. */
const JOINS_MS = 90 * 60_000;
/** The same where the fault has ended: the list is at most this late, and a later sight is the next fault. */
const ENDED_JOINS_MS = 15 * 60_000;

/** True if it is shown as active now. */
export const isActive = ({ kind, since, until }: Life): boolean => until === undefined && since !== undefined && OPEN_KINDS.has(kind);

/** The instant for sorting. */
export const momentOf = ({ since, until }: Life): number => since ?? until ?? 0;

/** The lives from these events, newest first. Independent of the order and of duplicates. */
export const livesOf = (events: Iterable<FaultEvent>): readonly Life[] => {
  const once = new Map<string, FaultEvent>();
  for (const event of events) if (event.at < (once.get(event.key)?.at ?? Number.POSITIVE_INFINITY)) once.set(event.key, event);
  const groups = Map.groupBy(once.values(), ({ gateway, device, code }) => JSON.stringify([gateway, device, code]));
  const lives = [...groups.values()].flatMap((own) => {
    const [told, seen] = (['events', 'messages'] as const).map((from) => runsOf(own.filter((event) => event.from === from)));
    const text = own.reduce<FaultEvent | undefined>(laterText, undefined)?.text;
    const isTextless = (life: Life): boolean => !life.text && life.source === 'messages' && life.code !== NO_CODE;
    return joined(told ?? [], seen ?? []).map((life) => (isTextless(life) ? { ...life, text } : life));
  });
  return lives.sort((a, b) => momentOf(b) - momentOf(a) || (a.begins.join() < b.begins.join() ? -1 : 1));
};

/** The later of two events that has a text: a list tells the code alone, and is read before the events are. */
const laterText = (best: FaultEvent | undefined, event: FaultEvent): FaultEvent | undefined =>
  event.text !== undefined && (best === undefined || inOrder(best, event) < 0) ? event : best;

/** A begin sorts before an end of the same second: they are a pair. */
const inOrder = (a: FaultEvent, b: FaultEvent): number =>
  a.at - b.at || Number(b.active ?? false) - Number(a.active ?? false) || (a.key < b.key ? -1 : 1);

/**
 * The lives of one code from one source. A begin inside a life and an end shortly after one have no effect.
 * Any other end belongs to a fault without a reported begin: older boilers report only ends.
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
    ...{ gateway, device, code, kind: mostSevere(all.map(({ kind }) => kind)), source: from, begins: begins.map(({ key }) => key) },
    ...{ since: begins[0]?.at, until, text: last(all, 'text'), clock: last(begins, 'clock') },
  };
};

const NOTHING = { gateway: '', device: '', code: '', from: 'events' } as const;

const last = <Name extends 'text' | 'clock'>(events: readonly FaultEvent[], name: Name): string | undefined =>
  events.findLast((event) => event[name] !== undefined)?.[name];

/** Joins events with list sights: the event gives the begin, the list proves that it lasts. */
const joined = (told: readonly Life[], seen: readonly Life[]): readonly Life[] => {
  const partners = new Map<Life, Life[]>();
  const alone: Life[] = [];
  for (const sight of seen) {
    // A code that returns to the list after its end is a new fault, unless one event life spans both.
    const spans = ({ until }: Life): boolean => until !== undefined && momentOf(sight) <= until;
    const possible = told.filter((life) => spans(life) || !partners.get(life)?.some((one) => isOver(one, sight)));
    const first = partnerOf(sight, possible);
    const partner = first && told.findLast((life) => life === first || isAgain(life, first, sight));
    if (partner) partners.set(partner, [...(partners.get(partner) ?? []), sight]);
    else alone.push(sight);
  }
  return [...told.map((life) => joinedWith(life, partners.get(life) ?? [])), ...alone];
};

/** True if it left the list before it appeared again. A log entry is a moment and ends nothing. */
const isOver = ({ since, until }: Life, later: Life): boolean => until !== undefined && until !== since && until < momentOf(later);

/** True if it began after the end of `first`, while the list still had the code: the list then proves that this one lasts. */
const isAgain = ({ since = 0, until }: Life, first: Life, sight: Life): boolean =>
  since !== until && since > (first.until ?? since) && since <= (sight.until ?? since);

const partnerOf = ({ since: seen }: Life, told: readonly Life[]): Life | undefined => {
  if (seen === undefined) return undefined;
  const near = told.flatMap((life) => {
    const { since, until = Number.POSITIVE_INFINITY } = life;
    if (since === undefined) return [];
    // A moment ends nothing.
    const isNear = seen >= since - JOINS_MS && seen <= Math.max(until, since + (since === until ? JOINS_MS : ENDED_JOINS_MS));
    return isNear ? [{ life, apart: Math.abs(seen - since) }] : [];
  });
  return near.reduce<(typeof near)[number] | undefined>((best, one) => (best && best.apart <= one.apart ? best : one), undefined)?.life;
};

const joinedWith = (life: Life, sights: readonly Life[]): Life => {
  const [latest, ...others] = [...sights].sort((a, b) => momentOf(b) - momentOf(a));
  if (!latest) return life;
  const all = [latest, ...others];
  // A log entry is a moment and ends nothing.
  const [lasting] = all.filter(({ since, until }) => until === undefined || until !== since);
  return {
    ...life,
    kind: mostSevere([life, ...all].map(({ kind }) => kind)),
    begins: [...life.begins, ...all.flatMap(({ begins }) => begins)],
    until: lasting && lasting.until === undefined ? undefined : (life.until ?? lasting?.until),
    ...{ text: life.text ?? latest.text, clock: life.clock ?? latest.clock },
  };
};

/** The begins and ends that lead from the first lives to the second, oldest first. */
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
