import { EventEmitter } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { type Agenda, agendaOf } from '../../schedule/calendar/agenda.ts';
import { type CalendarEvent, readEvents, spanOf } from '../../schedule/calendar/events.ts';
import type { Rule } from '../../schedule/calendar/rules.ts';
import type { Wish } from '../../schedule/plans/precedence.ts';
import { printInstant } from '../../schedule/zone.ts';
import { type Clock, DAY_MS, wakeLoop } from '../../shared/clock.ts';
import { readEnveloped } from '../../topics/commandPayload.ts';
import type { KeyedStore } from '../ports.ts';
import { type DeviceState, entryNamed } from '../state/deviceState.ts';
import { keptValues } from '../state/keptValues.ts';
import { rejected } from '../writes/answers/results.ts';
import type { CommandResult } from '../writes/request/commandRequest.ts';
import type { Place } from '../writes/write/writeLog.ts';
import type { Approval } from './approval.ts';
import { type TargetSettings, targetsOf } from './calendarTargets.ts';

/** How far ahead events are planned and shown. */
const AHEAD_MS = 14 * DAY_MS;
/** Maximum age of a copy of a calendar for an event to begin by it. */
const STALE_MS = 2 * DAY_MS;
const LOOK_MS = 5 * 60_000;
const CLOCKS_APART_MS = 5 * 60_000;
const MOST_CALENDARS = 20;
/** Maximum number of plan entries, and of titles without an effect, in the report. */
const MOST_SHOWN = 200;
/** Maximum number of ended events that one calendar keeps after it no longer lists them. */
const MOST_ENDED = 500;
/** Maximum number of events of all calendars together: planning them blocks the whole bridge. */
const MOST_NEAR = 1000;
/** A rule may begin a week before its event and end up to a day, plus a gap of a day, after it. */
const [BEFORE_MS, AFTER_MS] = [7 * DAY_MS, 3 * DAY_MS];

const EVENT = z.object({ title: z.string(), start: z.string(), end: z.optional(z.string()) });
const CALENDAR = z.object({ atMs: z.number(), events: z.readonly(z.array(EVENT)), skipped: z.number() });

/** The last received copy of a calendar. `skipped`: number of events that cannot be read. */
type Calendar = Readonly<z.infer<typeof CALENDAR>>;

/**
 * Plans what events of calendars do, by the rules of the settings: a preview of 14 days, and wishes for the
 * executor. There are wishes only after a person has approved the preview of these rules and addresses.
 */
export const calendarPlanner = (
  rules: readonly Rule[],
  targets: TargetSettings,
  approval: Pick<Approval, 'isConfigured' | 'isOn' | 'report'>,
  states: ReadonlyMap<string, DeviceState>,
  store: KeyedStore,
  clock: Clock,
) => {
  const events = new EventEmitter<{ planned: [] }>();
  const loop = wakeLoop(clock);
  const calendars = keptValues(store, CALENDAR, 'calendar ');
  let agenda: Agenda = { entries: [], unmatched: [], without: [] };
  /** By device key: the features that the last plan knew. */
  let looked: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  /** By calendar: the events above `MOST_NEAR`. */
  let leftOut: ReadonlyMap<string, readonly unknown[]> = new Map();
  /** By calendar: why the last read of its address failed. */
  const unread = new Map<string, string>();
  /** The last published agenda and report. */
  let shown: { readonly agenda: Agenda; readonly report: object | undefined } | undefined;
  const { isConfigured, isOn } = approval;

  const zoneOf = (state: DeviceState | undefined): string => (state ? targets.zone(state.device) : 'UTC');

  /** The time zone of the first device. */
  const zone = (): string => zoneOf([...states.values()][0]);

  /** Takes the events of a calendar as JSON; they replace its former events. */
  const takeEvents = (name: string, text: string): CommandResult => {
    const json = readEnveloped(text);
    const read = json.ok ? readEvents(json.value.value) : undefined;
    if (!read) return rejected('invalid', NO_EVENTS, { about: 'no_events' });
    if (!calendars.all.has(name) && calendars.all.size >= MOST_CALENDARS && !freePlace())
      return rejected('invalid', `there are already ${MOST_CALENDARS} calendars, the maximum`, {
        about: 'calendars_full',
        most: MOST_CALENDARS,
      });
    put(name, read);
    const { length: count } = read.events;
    const { skipped } = read;
    const message = `${count} events of the calendar are stored${skipped > 0 ? `, ${skipped} are invalid and are ignored` : ''}`;
    return { status: 'applied', message, facts: { about: 'events_kept', count, skipped } };
  };

  /** Removes a calendar without events to make room for another; false where there is none. */
  const freePlace = (): boolean => {
    const [name] = [...calendars.all].find(([one, { events }]) => events.length === 0 && !isAddress(one)) ?? [];
    if (name === undefined) return false;
    calendars.put(name, undefined);
    return true;
  };

  /**
   * Keeps events of a calendar, with recently ended ones that it no longer lists: guests leave a day later.
   */
  const put = (name: string, { events, skipped }: Omit<Calendar, 'atMs'>): void => {
    unread.delete(name);
    const nowMs = clock.now();
    const hasEnded = (event: CalendarEvent): boolean => {
      const endMs = spanOf(event, zone())?.endMs ?? 0;
      return endMs <= nowMs + CLOCKS_APART_MS && endMs > nowMs - 2 * DAY_MS;
    };
    const textOf = ({ title, start, end }: CalendarEvent): string => JSON.stringify([title, start, end]);
    const told = new Set(events.map(textOf));
    const known = calendars.all.get(name)?.events ?? [];
    const ended = known.filter((one) => hasEnded(one) && !told.has(textOf(one)));
    calendars.put(name, { atMs: nowMs, events: [...ended.slice(-MOST_ENDED), ...events], skipped });
    look();
  };

  /** Notes that a calendar could not be read by its address. It is read again later. */
  const failed = (name: string, why: string): void => {
    unread.set(name, why);
    look();
  };

  /** Removes calendars of addresses that the settings no longer name. */
  const keepAddresses = (names: readonly string[]): void => {
    for (const name of calendars.all.keys()) if (isAddress(name) && !names.includes(name)) calendars.put(name, undefined);
  };

  /** Plans again, and emits `planned` where the plan or the report differs. */
  const look = (): void => {
    if (!isConfigured) return;
    const fromMs = clock.now();
    const targetsNow = targetsOf(states.values(), targets);
    // Before the first read no device is known, so no event can be said to end.
    if (targetsNow.length === 0) return;
    agenda = agendaOf(nearEvents(fromMs), rules, targetsNow, { fromMs, toMs: fromMs + AHEAD_MS });
    looked = new Map([...states].map(([key, { features }]) => [key, new Set(features.keys())]));
    const now = { agenda, report: report() };
    if (isDeepStrictEqual(now, shown)) return;
    shown = now;
    events.emit('planned');
  };

  /** The events of all calendars that can matter now; the earliest ones where they are too many. */
  const nearEvents = (nowMs: number): readonly CalendarEvent[] => {
    const near = [...calendars.all].flatMap(([name, calendar]) =>
      freshEvents(calendar, nowMs).flatMap((event) => {
        const span = spanOf(event, zone());
        const isNear = span && span.endMs > nowMs - AFTER_MS && span.beginMs < nowMs + AHEAD_MS + BEFORE_MS;
        return isNear ? [{ name, event, beginMs: span.beginMs }] : [];
      }),
    );
    const sorted = near.length > MOST_NEAR ? near.toSorted((a, b) => a.beginMs - b.beginMs) : near;
    leftOut = Map.groupBy(sorted.slice(MOST_NEAR), ({ name }) => name);
    return sorted.slice(0, MOST_NEAR).map(({ event }) => event);
  };

  const freshEvents = ({ atMs, events }: Calendar, nowMs: number): readonly CalendarEvent[] => {
    if (nowMs - atMs <= STALE_MS) return events;
    return events.filter((event) => (spanOf(event, zone())?.beginMs ?? Number.POSITIVE_INFINITY) <= atMs + STALE_MS);
  };

  /** Plans again regularly, as days pass. Resolves when the signal is aborted. */
  const run = async (signal: AbortSignal): Promise<void> => {
    if (!isConfigured) return;
    await loop.run(signal, () => {
      look();
      return LOOK_MS;
    });
  };

  /** The wishes for the executor; undefined after a start until the first plan. */
  const wishes = (): readonly Wish[] | undefined => {
    if (!isOn()) return [];
    if (!shown) return undefined;
    return agenda.entries.map(({ device, feature, beginMs, untilMs, command, titles }) => {
      return { owner: 'calendar', device, feature, beginMs, untilMs, command, reason: titles.join(', ') };
    });
  };

  /** True where the wishes are complete for this feature: the plan knew it, or the calendar is off. */
  const hasLookedAt = ({ device, feature }: Place): boolean => !isOn() || looked.get(device)?.has(feature) === true;

  /** The payload of `bridge/calendar` (docs/calendar.md); undefined without rules. */
  const report = (): object | undefined => {
    if (!isConfigured) return undefined;
    const nowMs = clock.now();
    const told = [...new Set([...calendars.all.keys(), ...unread.keys()])].map((name) => {
      const { events, skipped, atMs } = calendars.all.get(name) ?? { events: [], skipped: 0, atMs: nowMs };
      return {
        ...{ name, events: events.length, skipped: skipped + (leftOut.get(name)?.length ?? 0) },
        ...(nowMs - atMs > STALE_MS ? { stale: true } : {}),
        ...(unread.has(name) ? { unread: unread.get(name) } : {}),
      };
    });
    return {
      ...approval.report(),
      rules: rules.map(({ text }) => text),
      calendars: told,
      ...agendaReport(agenda, (name) => zoneOf(entryNamed(states, name)?.[1])),
    };
  };

  return Object.assign(events, {
    isConfigured,
    takeEvents,
    put,
    failed,
    keepAddresses,
    /** Called when devices, their features or events have changed. */
    wake: loop.wake,
    run,
    wishes,
    hasLookedAt,
    report,
  });
};

/** True for the name of a calendar that is read by an address. */
const isAddress = (name: string): boolean => name.includes('/…');

const NO_EVENTS =
  'this is not a calendar: send the response of calendar.get_events of Home Assistant, or a list of events with summary, start and end';

/** What the events do, in the local time of each device. */
const agendaReport = ({ entries, unmatched, without }: Agenda, zoneOf: (device: string) => string): object => ({
  plan: entries.slice(0, MOST_SHOWN).map(({ device, feature, beginMs, untilMs, titles, rule, effect, command, insteadOf }) => ({
    begin: printInstant(beginMs, zoneOf(device)),
    until: printInstant(untilMs, zoneOf(device)),
    ...{ device, feature, titles },
    does: 'name' in effect ? { [effect.kind]: effect.name } : { [effect.kind]: command.value },
    rule,
    ...(insteadOf.length === 0 ? {} : { instead_of: insteadOf }),
  })),
  unmatched: unmatched.slice(0, MOST_SHOWN),
  without_target: without.slice(0, MOST_SHOWN),
});
