import { EventEmitter } from 'node:events';
import type { Wish } from '../../schedule/plans/precedence.ts';
import { type Plan, type Planned, planHotWater } from '../../schedule/prices/planHotWater.ts';
import { type PlanReport, type PriceReport, priceReport, type Unread } from '../../schedule/prices/priceReport.ts';
import type { PriceUnit } from '../../schedule/prices/priceUnit.ts';
import { MOST_PRICE_BYTES, type PriceMistake, readPrices, withEarlier } from '../../schedule/prices/readPrices.ts';
import { turnsAround, type Window } from '../../schedule/prices/window.ts';
import type { SeasonSetting } from '../../schedule/seasons/seasonSetting.ts';
import { printInstant } from '../../schedule/zone.ts';
import { type Clock, wakeLoop } from '../../shared/clock.ts';
import { isRecord } from '../../shared/json.ts';
import type { Log } from '../../shared/log.ts';
import type { Incoming } from '../../shared/message.ts';
import { readEnveloped } from '../../topics/commandPayload.ts';
import type { RefusalCode } from '../../topics/resultPayload.ts';
import type { KeyedStore } from '../ports.ts';
import type { Device, DeviceState } from '../state/deviceState.ts';
import { rejected } from '../writes/answers/results.ts';
import type { Ends } from '../writes/ends/ends.ts';
import type { CommandResult } from '../writes/request/commandRequest.ts';
import { HOT_WATER_WEEK, hotWaterOf } from './hotWater.ts';
import { type PriceNote, priceNotes } from './priceNotes.ts';

/** `topic`: null where prices come only from an address. `unit`: of the numbers, if set by a person. */
export type PriceSettings = {
  readonly topic: string | null;
  readonly unit?: PriceUnit | undefined;
  readonly currency: string;
  readonly windows: readonly Window[];
};

type PricePlannerParts = {
  readonly states: ReadonlyMap<string, DeviceState>;
  readonly ends: Pick<Ends, 'lasting'>;
  /** The time zone of a device's schedules. */
  readonly zone: (device: Device) => string;
  readonly store: KeyedStore;
  /** Schedules that follow seasons: a daily plan would leave no time for the week of a season. */
  readonly seasons: readonly Pick<SeasonSetting, 'device' | 'feature'>[];
};

/** Minimum saving per day, in units of the currency, for a plan to be proposed. */
const LEAST_SAVING = 0.05;
/** A changed clock is noticed within this time. */
const LOOK_MS = 600_000;
/** Maximum number of remembered plans. Two days of 15-minute prices need a tenth of it. */
const MOST_REMEMBERED = 30;

/**
 * Plans the hot water of each device by prices: a proposal, and what a person has ordered of it. It only
 * makes wishes; the executor of plans writes. Without prices for the whole day it wishes nothing, and a
 * running plan ends at its end.
 */
export const pricePlanner = (
  settings: PriceSettings,
  { states, ends, zone, store, seasons }: PricePlannerParts,
  clock: Clock,
  log: Pick<Log, 'info' | 'warn'>,
) => {
  const events = new EventEmitter<{ planned: [wishes: readonly Wish[], report: PriceReport] }>();
  const loop = wakeLoop(clock);
  const notes = priceNotes(store);
  const { topic } = settings;
  const plans = new Map<string, Planned>();
  let mistake: { readonly mistake: PriceMistake; readonly names?: readonly string[] } | undefined;
  let unread: Unread | undefined;

  /** Takes prices in any supported form. Unreadable prices change only the report. */
  const received = (payload: Uint8Array): void => {
    const [first] = [...states.values()];
    const text = payload.length > MOST_PRICE_BYTES ? '' : new TextDecoder().decode(payload);
    const read = readPrices(text, first ? zone(first.device) : 'UTC', settings.unit);
    const before = mistake?.mistake;
    mistake = read.ok ? undefined : { mistake: read.mistake, ...(read.names ? { names: read.names } : {}) };
    const sinceMs = Math.min(clock.now(), ...[...states].map((one) => homeOf(one).lastMs));
    if (read.ok) notes.keepPrices(withEarlier(notes.prices(), read.prices, sinceMs));
    else if (read.mistake !== before) log.warn({ topic, mistake: read.mistake }, 'these prices cannot be read');
    loop.wake();
  };

  /** Notes why the address of the prices could not be read; undefined: it was read. */
  const addressFailed = (why: string | undefined): void => {
    unread = why === undefined ? undefined : { unread: why, unread_since: unread?.unread_since ?? new Date(clock.now()).toISOString() };
    loop.wake();
  };

  /** A device with its hot water, where electricity makes it, and the turns around now. */
  const homeOf = ([key, state]: readonly [string, DeviceState]) => {
    const { name } = state.device;
    const water = hotWaterOf(state, ends);
    const here = zone(state.device);
    const followsSeasons = seasons.some((one) => one.device === name && one.feature === HOT_WATER_WEEK);
    return { key, name, water, zone: here, followsSeasons, ...turnsAround(settings.windows, clock.now(), here, water?.resolution) };
  };
  type Home = ReturnType<typeof homeOf>;

  /** Takes an order: `once` (the proposed plan), `daily` or `off`, bare or as `mode` with a `device` name. */
  const order = (text: string): CommandResult => {
    const json = readEnveloped(text);
    const value = json.ok ? json.value.value : text.trim();
    const { device, mode } = isRecord(value) ? value : { device: undefined, mode: value };
    // An order can be ended even while the hot water is not shown, as in an outage.
    const all = [...states].map(homeOf).filter(({ key, water }) => water || notes.of(key).mode !== 'off');
    const home = typeof device === 'string' ? all.find(({ name }) => name === device) : all.length === 1 ? all[0] : undefined;
    if (!home) return refusal('unknown_device', 'plan_no_device');
    if (mode !== 'once' && mode !== 'daily' && mode !== 'off') return refusal('invalid', 'plan_modes');
    const { key, name, followsSeasons } = home;
    if (mode === 'daily' && followsSeasons) return refusal('forbidden', 'plan_season');
    const proposed = mode === 'off' ? undefined : proposalOf(home);
    // Only a plan that is shown can be ordered.
    if (proposed && proposed.kind !== 'plan') return refusal('not_executable', 'plan_none');
    const note = notes.of(key);
    const onceMs = mode === 'once' ? proposed?.startMs : undefined;
    // Sending one day by hand does not end a daily plan.
    const kept = mode === 'once' && note.mode === 'daily' ? note.mode : mode;
    notes.put(key, { ...note, mode: kept, orderedMs: clock.now(), onceMs, running: mode === 'off' ? undefined : note.running });
    log.info({ device: name, mode }, 'the price plan of the hot water was set');
    loop.wake();
    const about = { once: 'plan_once', daily: 'plan_daily', off: 'plan_off' } as const;
    return { status: 'applied', message: SENTENCES[about[mode]], facts: { about: about[mode] } };
  };

  /** Plans again when woken and when a plan's day begins. Resolves when the signal is aborted. */
  const run = (signal: AbortSignal): Promise<void> =>
    loop.run(signal, () => {
      const homes = [...states].map(homeOf);
      const begun = homes.map((home) => ({ home, note: begin(home) }));
      // A running plan does not depend on reads: it continues before the device is read.
      const wishes = begun.flatMap(({ home, note }) => (note.running ? [wishOf(home.name, note.running, note.orderedMs, home.zone)] : []));
      const shown = begun.flatMap(({ home, note }): (readonly [string, PlanReport])[] =>
        home.water ? [[home.name, { note, proposed: proposalOf(home), water: home.water }]] : [],
      );
      events.emit('planned', wishes, priceReport(notes.prices(), { ...mistake, ...unread }, settings.currency, Object.fromEntries(shown)));
      return Math.min(LOOK_MS, ...homes.map(({ nextMs }) => nextMs - clock.now()));
    });

  /** Updates the note by what has begun or ended by now. */
  const begin = (home: Home): PriceNote => {
    const { key, water, followsSeasons, lastMs, nextMs } = home;
    const nowMs = clock.now();
    const kept = notes.of(key);
    // An order in the future, or a running plan that begins in the future, means that the clock was set back.
    const note = { ...kept, orderedMs: Math.min(kept.orderedMs, nowMs) };
    const running = note.running && note.running.startMs <= nowMs && note.running.endMs > nowMs ? note.running : undefined;
    const isOrdered = (note.mode === 'daily' && !followsSeasons) || note.onceMs === lastMs;
    const begun = running ?? (isOrdered ? planFor(home, lastMs) : undefined);
    const isNew = begun?.kind === 'plan' && (begun === running || isAhead(begun, nowMs)) ? begun : undefined;
    const { onceMs = nextMs } = note;
    // Without the schedule its steps are unknown, and with them the exact turns.
    const isOver = water !== undefined && (onceMs <= lastMs || onceMs > nextMs) && onceMs !== isNew?.startMs;
    const mode = isOver && note.mode === 'once' ? 'off' : note.mode;
    const last = isNew ? { endMs: isNew.endMs, releaseMs: isNew.blocks.at(-1)?.endMs ?? isNew.endMs } : note.last;
    const next: PriceNote = { ...note, mode, running: isNew, onceMs: isOver ? undefined : note.onceMs, last };
    notes.put(key, next);
    return next;
  };

  /**
   * The plan that can be ordered: of the present day while its first block is ahead, else of the next day.
   */
  const proposalOf = (home: Home): Planned => {
    const now = notes.of(home.key).running ? undefined : planFor(home, home.lastMs);
    return now?.kind === 'plan' && isAhead(now, clock.now()) ? now : planFor(home, home.nextMs);
  };

  const planFor = ({ key, water, zone: here }: Home, startMs: number): Planned => {
    const prices = notes.prices();
    const slots = prices?.slots ?? [];
    if (!water || slots.length === 0) return { kind: 'refused', reason: 'no_prices' };
    const { last } = notes.of(key);
    const lastReleaseMs = last?.endMs === startMs ? last.releaseMs : undefined;
    const leastPerKwh = LEAST_SAVING / water.kwh;
    const rest = { zone: here, startMs, lastReleaseMs, leastPerKwh };
    const id = JSON.stringify([water, rest, prices]);
    const plan = plans.get(id) ?? planHotWater({ ...water, ...rest, windows: settings.windows, slots });
    if (plans.size > MOST_REMEMBERED) plans.clear();
    plans.set(id, plan);
    return plan;
  };

  return Object.assign(events, {
    /** Null where prices come only from an address. */
    topic,
    /** Takes a message with prices; false for any other message. */
    takes: (message: Incoming): boolean => {
      if (message.topic !== topic) return false;
      if (message.payload.length > 0) received(message.payload);
      return true;
    },
    received,
    addressFailed,
    /** Called when something that plans depend on has changed. */
    wake: loop.wake,
    order,
    run,
  });
};

/** True while the first block of the plan is still ahead. */
const isAhead = ({ blocks }: Plan, nowMs: number): boolean => (blocks[0]?.startMs ?? 0) > nowMs;

/** The running plan. An order made after a manual change still counts. */
const wishOf = (device: string, { startMs, endMs, days, blocks }: Plan, orderedMs: number, zone: string): Wish => ({
  ...{ owner: 'price', device, feature: HOT_WATER_WEEK },
  beginMs: Math.max(startMs, Math.min(orderedMs, endMs - 1)),
  untilMs: endMs,
  writeByMs: blocks[0]?.startMs ?? endMs,
  command: { value: JSON.parse(JSON.stringify(days)) },
  reason: blocks.map((block) => `${timeOf(block.startMs, zone)}-${timeOf(block.endMs, zone)}`).join(', '),
});

const timeOf = (ms: number, zone: string): string => printInstant(ms, zone).slice(11, 16);

const SENTENCES = {
  plan_once: 'this plan is sent when it begins',
  plan_daily: 'each plan is sent when it begins, from now on',
  plan_off: 'no plan is sent; a running plan ends now',
  plan_none: 'there is no plan to send now; bridge/price_plan says why',
  plan_modes: 'send once, daily or off, or {"device":"<name>","mode":"daily"}',
  plan_season:
    'the hot water of this device follows the seasons (schedules.seasons), and a daily plan would leave no time to change the season; send once, or remove that setting',
  plan_no_device: 'there is no device with this name that heats hot water with electricity; if there are several, name one as device',
} as const;

const refusal = (code: RefusalCode, about: 'plan_none' | 'plan_modes' | 'plan_season' | 'plan_no_device'): CommandResult =>
  rejected(code, SENTENCES[about], { about });
