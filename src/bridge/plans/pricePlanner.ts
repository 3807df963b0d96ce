import { EventEmitter } from 'node:events';
import type { Wish } from '../../schedule/plans/precedence.ts';
import { type Plan, type Planned, planHotWater } from '../../schedule/prices/planHotWater.ts';
import { type PlanReport, type PriceReport, priceReport } from '../../schedule/prices/priceReport.ts';
import type { PriceUnit } from '../../schedule/prices/priceUnit.ts';
import { type PriceMistake, readPrices } from '../../schedule/prices/readPrices.ts';
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
import { type Device, type DeviceState, entryNamed } from '../state/deviceState.ts';
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
  /** Maximum size of a message with prices, in bytes. */
  readonly maxPayload: number;
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
  { states, ends, zone, store, seasons, maxPayload }: PricePlannerParts,
  clock: Clock,
  log: Pick<Log, 'info' | 'warn'>,
) => {
  const events = new EventEmitter<{ planned: [wishes: readonly Wish[], report: PriceReport] }>();
  const loop = wakeLoop(clock);
  const notes = priceNotes(store);
  const { topic } = settings;
  const plans = new Map<string, Planned>();
  let mistake: { readonly mistake: PriceMistake; readonly names?: readonly string[] } | undefined;

  /** Takes prices in any supported form. Unreadable prices change only the report. */
  const received = (payload: Uint8Array): void => {
    const [first] = [...states.values()];
    const text = payload.length > maxPayload ? '' : new TextDecoder().decode(payload);
    const read = readPrices(text, first ? zone(first.device) : 'UTC', settings.unit);
    const before = mistake?.mistake;
    mistake = read.ok ? undefined : { mistake: read.mistake, ...(read.names ? { names: read.names } : {}) };
    if (read.ok) notes.keepPrices(read.prices);
    else if (read.mistake !== before) log.warn({ topic, mistake: read.mistake }, 'these prices cannot be read');
    loop.wake();
  };

  /** Takes an order: `once` (the proposed plan), `daily` or `off`, bare or as `mode` with a `device` name. */
  const order = (text: string): CommandResult => {
    const json = readEnveloped(text);
    const value = json.ok ? json.value.value : text.trim();
    const { device: name, mode } = isRecord(value) ? value : { device: undefined, mode: value };
    // An order can be ended even while the hot water is not shown, as in an outage.
    const all = [...states].filter(([key, state]) => hotWaterOf(state, ends) || notes.of(key).mode !== 'off');
    const named = typeof name === 'string' ? entryNamed(states, name) : all.length === 1 ? all[0] : undefined;
    if (!named || !all.some(([key]) => key === named[0])) return refusal('unknown_device', 'plan_no_device');
    if (mode !== 'once' && mode !== 'daily' && mode !== 'off') return refusal('invalid', 'plan_modes');
    const [key, state] = named;
    if (mode === 'daily' && followsSeasons(state)) return refusal('forbidden', 'plan_season');
    const nowMs = clock.now();
    const proposed = mode === 'off' ? undefined : proposalOf(key, state);
    // Only a plan that is shown can be ordered.
    if (proposed && proposed.kind !== 'plan') return refusal('not_executable', 'plan_none');
    const note = notes.of(key);
    const onceMs = mode === 'once' ? proposed?.startMs : undefined;
    // Sending one day by hand does not end a daily plan.
    const kept = mode === 'once' && note.mode === 'daily' ? note.mode : mode;
    notes.put(key, { ...note, mode: kept, orderedMs: nowMs, onceMs, running: mode === 'off' ? undefined : note.running });
    log.info({ device: state.device.name, mode }, 'the price plan of the hot water was set');
    loop.wake();
    const about = { once: 'plan_once', daily: 'plan_daily', off: 'plan_off' } as const;
    return { status: 'applied', message: SENTENCES[about[mode]], facts: { about: about[mode] } };
  };

  /** Plans again when woken and when a plan's day begins. Resolves when the signal is aborted. */
  const run = (signal: AbortSignal): Promise<void> =>
    loop.run(signal, () => {
      const found = [...states].map(([key, state]) => lookAt(key, state));
      const shown = Object.fromEntries(found.flatMap(({ report }) => (report ? [report] : [])));
      const wishes = found.flatMap((one) => one.wishes);
      events.emit('planned', wishes, priceReport(notes.prices(), mistake, settings.currency, shown));
      return Math.min(LOOK_MS, ...[...states.values()].map((state) => turns(state).nextMs - clock.now()));
    });

  const lookAt = (
    key: string,
    state: DeviceState,
  ): { readonly wishes: readonly Wish[]; readonly report?: readonly [string, PlanReport] } => {
    const note = begin(key, state);
    const { name } = state.device;
    const here = zone(state.device);
    const water = hotWaterOf(state, ends);
    // A running plan does not depend on reads: it continues before the device is read.
    if (!water) return { wishes: wishesOf(name, note, undefined, here) };
    const proposed = proposalOf(key, state);
    const next = note.mode === 'daily' && followsSeasons(state) ? undefined : proposed;
    return { wishes: wishesOf(name, note, next, here), report: [name, { note, proposed, water }] };
  };

  /** Updates the note by what has begun or ended by now. */
  const begin = (key: string, state: DeviceState): PriceNote => {
    const nowMs = clock.now();
    const kept = notes.of(key);
    // An order in the future, or a running plan that begins in the future, means that the clock was set back.
    const note = { ...kept, orderedMs: Math.min(kept.orderedMs, nowMs) };
    const running = note.running && note.running.startMs <= nowMs && note.running.endMs > nowMs ? note.running : undefined;
    const water = hotWaterOf(state, ends);
    const { lastMs, nextMs } = turns(state, water);
    const isOrdered = (note.mode === 'daily' && !followsSeasons(state)) || note.onceMs === lastMs;
    const begun = running ?? (isOrdered ? planFor(key, state, lastMs) : undefined);
    const isNew = begun?.kind === 'plan' && (begun === running || isAhead(begun, nowMs)) ? begun : undefined;
    const { onceMs = nextMs } = note;
    // Without the schedule its steps are unknown, and with them the exact turns.
    const isOver = water !== undefined && (onceMs <= lastMs || onceMs > nextMs) && onceMs !== isNew?.startMs;
    const mode = isOver && note.mode === 'once' ? 'off' : note.mode;
    const last = isNew ? { endMs: isNew.endMs, releaseMs: isNew.blocks.at(-1)?.endMs ?? isNew.endMs } : note.last;
    const next: PriceNote = { ...note, mode, running: isNew, onceMs: isOver ? undefined : note.onceMs, last };
    const isSet = kept.orderedMs !== note.orderedMs;
    if (isSet || next.running !== note.running || next.mode !== note.mode || next.onceMs !== note.onceMs) notes.put(key, next);
    return next;
  };

  /**
   * The plan that can be ordered: of the present day while its first block is ahead, else of the next day.
   */
  const proposalOf = (key: string, state: DeviceState): Planned => {
    const { lastMs, nextMs } = turns(state);
    const now = notes.of(key).running ? undefined : planFor(key, state, lastMs);
    return now?.kind === 'plan' && isAhead(now, clock.now()) ? now : planFor(key, state, nextMs);
  };

  const followsSeasons = ({ device }: DeviceState): boolean =>
    seasons.some((one) => one.device === device.name && one.feature === HOT_WATER_WEEK);

  const turns = (state: DeviceState, water = hotWaterOf(state, ends)): ReturnType<typeof turnsAround> =>
    turnsAround(settings.windows, clock.now(), zone(state.device), water?.resolution);

  const planFor = (key: string, state: DeviceState, startMs: number): Planned => {
    const water = hotWaterOf(state, ends);
    const prices = notes.prices();
    const slots = prices?.slots ?? [];
    if (!water || slots.length === 0) return { kind: 'refused', reason: 'no_prices' };
    const { last } = notes.of(key);
    const lastReleaseMs = last?.endMs === startMs ? last.releaseMs : undefined;
    const leastPerKwh = LEAST_SAVING / water.kwh;
    const rest = { zone: zone(state.device), startMs, lastReleaseMs, leastPerKwh };
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
    /** Called when something that plans depend on has changed. */
    wake: loop.wake,
    order,
    run,
  });
};

/** True while the first block of the plan is still ahead. */
const isAhead = ({ blocks }: Plan, nowMs: number): boolean => (blocks[0]?.startMs ?? 0) > nowMs;

/** The running plan and the ordered next one. An order made after a manual change still counts. */
const wishesOf = (
  device: string,
  { mode, onceMs, orderedMs, running }: PriceNote,
  proposed: Planned | undefined,
  zone: string,
): readonly Wish[] => {
  const isOrdered = proposed?.kind === 'plan' && (mode === 'daily' || onceMs === proposed.startMs);
  const plans = [...(running ? [running] : []), ...(isOrdered && proposed.startMs !== running?.startMs ? [proposed] : [])];
  return plans.map(({ startMs, endMs, days, blocks }) => ({
    ...{ owner: 'price', device, feature: HOT_WATER_WEEK },
    beginMs: Math.max(startMs, Math.min(orderedMs, endMs - 1)),
    untilMs: endMs,
    writeByMs: blocks[0]?.startMs ?? endMs,
    command: { value: JSON.parse(JSON.stringify(days)) },
    reason: blocks.map((block) => `${timeOf(block.startMs, zone)}-${timeOf(block.endMs, zone)}`).join(', '),
  }));
};

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
