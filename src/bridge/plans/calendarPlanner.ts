import { EventEmitter } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import type { AnswerFacts } from '../../language/answers/answersDe.ts';
import { type Agenda, agendaOf } from '../../schedule/calendar/agenda.ts';
import { type CalendarEvent, MOST_EVENTS, readEvents, spanOf } from '../../schedule/calendar/events.ts';
import type { Rule } from '../../schedule/calendar/rules.ts';
import type { Wish } from '../../schedule/plans/precedence.ts';
import type { Clock } from '../../shared/clock.ts';
import { sha1 } from '../../shared/message.ts';
import { readEnveloped } from '../../topics/commandPayload.ts';
import type { KeyedStore } from '../ports.ts';
import type { DeviceState } from '../state/deviceState.ts';
import type { Place } from '../writes/write/writeLog.ts';
import { agendaReport } from './calendarReport.ts';
import { type TargetSettings, targetsOf } from './calendarTargets.ts';

const DAY_MS = 86_400_000;
/** So far ahead events are planned and shown. */
const AHEAD_MS = 14 * DAY_MS;
/** Nothing begins by a copy of a calendar that is older. */
const STALE_MS = 2 * DAY_MS;
const LOOK_MS = 5 * 60_000;
const CLOCKS_APART_MS = 5 * 60_000;
const MOST_CALENDARS = 20;
/** As of one title: it is a part of what a schedule shows. */
const LONGEST_REASON = 255;
/** Of all calendars together: planning them takes the whole bridge. */
const MOST_NEAR = 1000;
/** A rule may begin a week before its event, and go on until a day and a gap of one after it. */
const [BEFORE_MS, AFTER_MS] = [7 * DAY_MS, 3 * DAY_MS];

const EVENT = z.object({ title: z.string(), start: z.string(), end: z.optional(z.string()) });
const CALENDAR = z.object({ atMs: z.number(), events: z.readonly(z.array(EVENT)), skipped: z.number() });
const APPROVED = z.object({ key: z.string() });

/** A calendar as it was last heard of. `skipped`: events that made no sense. */
type Calendar = { readonly atMs: number; readonly events: readonly CalendarEvent[]; readonly skipped: number };

/** The answer to a command. */
export type PlanReport = {
  readonly status: 'applied' | 'unchanged' | 'rejected';
  readonly code?: string;
  readonly message: string;
  readonly facts?: AnswerFacts;
};

const STORED = 'calendar ';
/** No calendar is kept by it, whatever its name. */
const APPROVED_KEY = 'approved calendar';
const NO_AGENDA: Agenda = { entries: [], unmatched: [], without: [] };

/**
 * What events of calendars do, by the rules of the settings: the preview of 14 days, and the wishes for the executor, which there are only
 * after a person has approved the preview of these rules.
 */
export class CalendarPlanner extends EventEmitter<{ planned: [] }> {
  readonly #rules: readonly Rule[];
  readonly #targets: TargetSettings;
  readonly #states: ReadonlyMap<string, DeviceState>;
  readonly #store: KeyedStore;
  readonly #clock: Clock;
  readonly #calendars = new Map<string, Calendar>();
  #approved: string | undefined;
  #agenda: Agenda = NO_AGENDA;
  #hasPlanned = false;
  /** By the key of a device: the features that the last plan knew of. */
  #looked: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  /** By calendar: events that are too many. */
  #leftOut: ReadonlyMap<string, readonly unknown[]> = new Map();
  /** Why a calendar of an address was not read last. */
  readonly #unread = new Map<string, string>();
  /** What was told last. */
  #shown: { readonly agenda: Agenda; readonly report: object | undefined } | undefined;
  #digest: string | undefined;
  #woken = new AbortController();

  constructor(rules: readonly Rule[], targets: TargetSettings, states: ReadonlyMap<string, DeviceState>, store: KeyedStore, clock: Clock) {
    super();
    this.#rules = rules;
    this.#targets = targets;
    this.#states = states;
    this.#store = store;
    this.#clock = clock;
    for (const [key, value] of store.read()) {
      if (key === APPROVED_KEY) this.#approved = APPROVED.safeParse(value).data?.key;
      else if (key.startsWith(STORED)) {
        const read = CALENDAR.safeParse(value).data as Calendar | undefined;
        if (read) this.#calendars.set(key.slice(STORED.length), read);
      }
    }
  }

  /** False where the settings have no rules: then there is nothing to see. */
  get isConfigured(): boolean {
    return this.#rules.length > 0;
  }

  /** The rules, as a person approves them. A digest costs time, which a start without rules need not take. */
  get #key(): string {
    this.#digest ??= sha1(JSON.stringify(this.#rules.map(({ text }) => text)), 'hex').slice(0, 8);
    return this.#digest;
  }

  get #zone(): string {
    const [first] = this.#states.values();
    return first ? this.#targets.zone(first.device) : 'UTC';
  }

  get #isOn(): boolean {
    return this.isConfigured && this.#approved === this.#key;
  }

  /** Takes the events of a calendar as JSON, in the place of those that it had. */
  takeEvents(name: string, text: string): PlanReport {
    const json = readEnveloped(text);
    const read = json.ok ? readEvents(json.value.value, this.#clock.now() - AFTER_MS) : undefined;
    if (!read) return refused('invalid', NO_EVENTS, { about: 'no_events' });
    if (!this.#calendars.has(name) && this.#calendars.size >= MOST_CALENDARS && !this.#freePlace())
      return refused('invalid', `there are ${MOST_CALENDARS} calendars already`, { about: 'calendars_full', most: MOST_CALENDARS });
    this.put(name, read);
    const { length: count } = read.events;
    const { skipped } = read;
    const message = `${count} events of the calendar are kept${skipped > 0 ? `, ${skipped} make no sense and are left out` : ''}`;
    return { status: 'applied', message, facts: { about: 'events_kept', count, skipped } };
  }

  /** The place of a calendar without events is given to another one; false where there is none. */
  #freePlace(): boolean {
    const [name] = [...this.#calendars].find(([one, { events }]) => events.length === 0 && !isAddress(one)) ?? [];
    if (name === undefined) return false;
    this.#remove(name);
    return true;
  }

  #remove(name: string): void {
    this.#calendars.delete(name);
    this.#store.write(`${STORED}${name}`, undefined);
  }

  /** Keeps the events of a calendar. One that has ended lately, which calendars no longer tell, stays: guests leave on the day after, and others may come. */
  put(name: string, { events, skipped }: Omit<Calendar, 'atMs'>): void {
    this.#unread.delete(name);
    const nowMs = this.#clock.now();
    const hasEnded = (event: CalendarEvent): boolean => {
      const endMs = spanOf(event, this.#zone)?.endMs ?? 0;
      return endMs <= nowMs + CLOCKS_APART_MS && endMs > nowMs - 2 * DAY_MS;
    };
    const textOf = ({ title, start, end }: CalendarEvent): string => JSON.stringify([title, start, end]);
    const told = new Set(events.map(textOf));
    const known = this.#calendars.get(name)?.events ?? [];
    const ended = known.filter((one) => hasEnded(one) && !told.has(textOf(one)));
    const calendar = { atMs: nowMs, events: [...ended.slice(-MOST_EVENTS), ...events], skipped };
    this.#calendars.set(name, calendar);
    this.#store.write(`${STORED}${name}`, calendar);
    this.look();
  }

  /** A calendar could not be read by its address. It is read again. */
  failed(name: string, why: string): void {
    this.#unread.set(name, why);
    this.look();
  }

  /** The events of a calendar are as they were. */
  heard(name: string): void {
    this.#unread.delete(name);
    const known = this.#calendars.get(name);
    if (!known) return;
    const calendar = { ...known, atMs: this.#clock.now() };
    this.#calendars.set(name, calendar);
    this.#store.write(`${STORED}${name}`, calendar);
  }

  /** Removes calendars that were read by addresses of former settings. */
  keepAddresses(names: readonly string[]): void {
    for (const name of this.#calendars.keys()) if (isAddress(name) && !names.includes(name)) this.#remove(name);
  }

  /** A person has seen the preview and names its key, or switches the calendar off. */
  approve(text: string): PlanReport {
    const json = readEnveloped(text);
    const value = json.ok ? json.value.value : undefined;
    // A key such as 12345e67 is a number to JSON.
    const isWanted = (word: string): boolean => text.trim() === word || (typeof value !== 'object' && String(value) === word);
    if (!this.isConfigured) return refused('forbidden', 'the setting calendar.rules has no rules', { about: 'no_rules' });
    if (isWanted('off')) {
      const status = this.#approved === undefined ? 'unchanged' : 'applied';
      this.#approve(undefined);
      return { status, message: 'the calendar is off; what it has changed comes back now', facts: { about: 'calendar_off' } };
    }
    if (!isWanted(this.#key))
      return refused('conflict', 'this is not the key of the preview as it is now; look at it again', { about: 'other_preview' });
    const status = this.#isOn ? 'unchanged' : 'applied';
    this.#approve(this.#key);
    return { status, message: 'the calendar is on', facts: { about: 'calendar_on' } };
  }

  #approve(key: string | undefined): void {
    this.#approved = key;
    this.#store.write(APPROVED_KEY, key === undefined ? undefined : { key });
    this.emit('planned');
  }

  /** Plans anew, and tells where another plan comes out. */
  look(): void {
    if (!this.isConfigured) return;
    const fromMs = this.#clock.now();
    const targets = targetsOf(this.#states.values(), this.#targets);
    // Before anything was read nothing is known to end.
    if (targets.length === 0) return;
    const events = this.#nearEvents(fromMs);
    const agenda = agendaOf(events, this.#rules, targets, { fromMs, toMs: fromMs + AHEAD_MS });
    this.#agenda = agenda;
    this.#hasPlanned = true;
    this.#looked = new Map([...this.#states].map(([key, { features }]) => [key, new Set(features.keys())]));
    const shown = { agenda, report: this.report() };
    if (isDeepStrictEqual(shown, this.#shown)) return;
    this.#shown = shown;
    this.emit('planned');
  }

  /** The events of all calendars that can matter now, the first ones where they are too many. */
  #nearEvents(nowMs: number): readonly CalendarEvent[] {
    const near = [...this.#calendars].flatMap(([name, calendar]) =>
      this.#freshEvents(calendar, nowMs).flatMap((event) => {
        const span = spanOf(event, this.#zone);
        const isNear = span && span.endMs > nowMs - AFTER_MS && span.beginMs < nowMs + AHEAD_MS + BEFORE_MS;
        return isNear ? [{ name, event, beginMs: span.beginMs }] : [];
      }),
    );
    const sorted = near.length > MOST_NEAR ? near.toSorted((a, b) => a.beginMs - b.beginMs) : near;
    this.#leftOut = Map.groupBy(sorted.slice(MOST_NEAR), ({ name }) => name);
    return sorted.slice(0, MOST_NEAR).map(({ event }) => event);
  }

  #freshEvents({ atMs, events }: Calendar, nowMs: number): readonly CalendarEvent[] {
    if (nowMs - atMs <= STALE_MS) return events;
    return events.filter((event) => (spanOf(event, this.#zone)?.beginMs ?? Number.POSITIVE_INFINITY) <= atMs + STALE_MS);
  }

  /** Devices, their features or events have changed. */
  wake(): void {
    this.#woken.abort();
  }

  /** Plans now and then, as days pass. Resolves when the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.isConfigured) {
      this.#woken = new AbortController();
      this.look();
      await this.#clock.sleep(LOOK_MS, AbortSignal.any([signal, this.#woken.signal])).catch(() => undefined);
    }
  }

  /** What the executor shall do; undefined while that is not known, after a start. */
  wishes(): readonly Wish[] | undefined {
    if (!this.#isOn) return [];
    if (!this.#hasPlanned) return undefined;
    return this.#agenda.entries.map(({ device, feature, beginMs, untilMs, command, titles }) => ({
      ...{ owner: 'calendar', device, feature, beginMs, untilMs, command },
      reason: titles.join(', ').slice(0, LONGEST_REASON),
    }));
  }

  /** Whether the wishes say all of this feature: it was known when they were made, or there are none as the calendar is off. */
  hasLookedAt({ device, feature }: Place): boolean {
    return !this.#isOn || this.#looked.get(device)?.has(feature) === true;
  }

  /** What `bridge/calendar` shows (docs/calendar.md); undefined without rules. */
  report(): object | undefined {
    if (!this.isConfigured) return undefined;
    const nowMs = this.#clock.now();
    const calendars = [...this.#calendars].map(([name, { events, skipped, atMs }]) => ({
      ...{ name, events: events.length, skipped: skipped + (this.#leftOut.get(name)?.length ?? 0) },
      ...(nowMs - atMs > STALE_MS ? { stale: true } : {}),
    }));
    const unheard = [...this.#unread.keys()].filter((name) => !this.#calendars.has(name));
    return {
      state: this.#isOn ? 'on' : this.#approved === undefined ? 'off' : 'changed',
      key: this.#key,
      rules: this.#rules.map(({ text }) => text),
      calendars: [...calendars, ...unheard.map((name) => ({ name, events: 0, skipped: 0 }))].map((one) => {
        const unread = this.#unread.get(one.name);
        return unread === undefined ? one : { ...one, unread };
      }),
      ...agendaReport(this.#agenda, this.#states, this.#targets),
    };
  }
}

/** True for the name of a calendar that is read by its address. */
const isAddress = (name: string): boolean => name.includes('/…');

const NO_EVENTS =
  'this is no calendar: send what calendar.get_events of Home Assistant answers, or a list of events with summary, start and end';

const refused = (code: string, message: string, facts: AnswerFacts): PlanReport => ({ status: 'rejected', code, message, facts });
