import { EventEmitter } from 'node:events';
import type { AnswerFacts } from '../../language/answers/answersDe.ts';
import type { Wish } from '../../schedule/plans/precedence.ts';
import { type Plan, type Planned, planHotWater } from '../../schedule/prices/planHotWater.ts';
import { type PriceMistake, readPrices } from '../../schedule/prices/readPrices.ts';
import { turnsAround } from '../../schedule/prices/window.ts';
import type { SeasonSetting } from '../../schedule/seasons/seasonSetting.ts';
import { printInstant } from '../../schedule/zone.ts';
import type { Clock } from '../../shared/clock.ts';
import { jsonObject } from '../../shared/json.ts';
import type { Log } from '../../shared/log.ts';
import type { Incoming } from '../../shared/message.ts';
import type { RefusalCode } from '../../topics/resultPayload.ts';
import type { KeyedStore } from '../ports.ts';
import { type Device, type DeviceState, entryNamed } from '../state/deviceState.ts';
import type { Ends } from '../writes/ends/ends.ts';
import { HOT_WATER_WEEK, type HotWater, hotWaterOf } from './hotWater.ts';
import { type PriceNote, PriceNotes } from './priceNotes.ts';
import { type PlanReport, type PriceReport, priceReport } from './priceReport.ts';
import type { PriceSettings } from './priceSettings.ts';

export type PricePlannerParts = {
  readonly states: ReadonlyMap<string, DeviceState>;
  readonly ends: Pick<Ends, 'lasting'>;
  /** The time zone of the schedules of a device. */
  readonly zone: (device: Device) => string;
  readonly store: KeyedStore;
  /** The schedules that follow the seasons: there a plan of every day would leave no moment for the week of a season. */
  readonly seasons: readonly Pick<SeasonSetting, 'device' | 'feature'>[];
  /** So many bytes a message with prices may have. */
  readonly maxPayload: number;
};

/** What a person is told of an order. */
type Ordered = {
  readonly status: 'applied' | 'rejected';
  readonly code?: RefusalCode;
  readonly message: string;
  readonly facts?: AnswerFacts;
};

/** Below this on a day, in the currency itself, nothing is proposed. */
const LEAST_SAVING = 0.05;
/** A clock that was set is noticed within this time. */
const LOOK_MS = 600_000;
/** Two days of quarters take a tenth of it. */
const MOST_REMEMBERED = 30;

/**
 * Plans the hot water of each device by prices: what it proposes, and what a person has ordered of that. It only wishes; the executor of plans
 * writes. Without prices that cover the day it wishes nothing, and what runs ends at its end.
 */
export class PricePlanner extends EventEmitter<{ planned: [wishes: readonly Wish[], report: PriceReport] }> {
  readonly #settings: PriceSettings;
  readonly #parts: PricePlannerParts;
  readonly #clock: Clock;
  readonly #log: Pick<Log, 'info' | 'warn'>;
  readonly #notes: PriceNotes;
  #mistake: { readonly mistake: PriceMistake; readonly names?: readonly string[] } | undefined;
  readonly #planned = new Map<string, Planned>();
  #woken = new AbortController();

  constructor(settings: PriceSettings, parts: PricePlannerParts, clock: Clock, log: Pick<Log, 'info' | 'warn'>) {
    super();
    this.#settings = settings;
    this.#parts = parts;
    this.#clock = clock;
    this.#log = log;
    this.#notes = new PriceNotes(parts.store);
  }

  /** Null where prices come by an address alone. */
  get topic(): string | null {
    return this.#settings.topic;
  }

  /** True for a message with prices, which was taken. */
  takes({ topic, payload }: Incoming): boolean {
    if (topic !== this.topic) return false;
    if (payload.length > 0) this.received(payload);
    return true;
  }

  /** Prices came, in any form that is read. What cannot be read changes nothing but the report. */
  received(payload: Uint8Array): void {
    const [first] = [...this.#parts.states.values()];
    const zone = first ? this.#parts.zone(first.device) : 'UTC';
    const read = readSafely(payload.length > this.#parts.maxPayload ? '' : new TextDecoder().decode(payload), zone, this.#settings.unit);
    const before = this.#mistake?.mistake;
    this.#mistake = read.ok ? undefined : { mistake: read.mistake, ...(read.names ? { names: read.names } : {}) };
    if (read.ok) this.#notes.keepPrices(read.prices);
    else if (read.mistake !== before) this.#log.warn({ topic: this.topic, mistake: read.mistake }, 'these prices cannot be read');
    this.wake();
  }

  /** Something has changed that plans depend on. */
  wake(): void {
    this.#woken.abort();
  }

  /** What a person orders: `once` (the proposed plan), `daily` or `off`, alone or as `mode` with the name of a `device`. */
  order(text: string): Ordered {
    const { device: name, mode = text.trim() } = jsonObject(text) ?? {};
    const all = [...this.#parts.states].filter(([, state]) => hotWaterOf(state, this.#parts.ends));
    const named = typeof name === 'string' ? entryNamed(this.#parts.states, name) : all.length === 1 ? all[0] : undefined;
    if (!named || !all.some(([key]) => key === named[0])) return refusal('unknown_device', 'plan_no_device');
    if (mode !== 'once' && mode !== 'daily' && mode !== 'off') return refusal('invalid', 'plan_modes');
    const [key, state] = named;
    if (mode === 'daily' && this.#followsSeasons(state)) return refusal('forbidden', 'plan_season');
    const nowMs = this.#clock.now();
    const proposed = mode === 'off' ? undefined : this.#proposalOf(key, state);
    // Nobody orders what nobody has seen.
    if (proposed && proposed.kind !== 'plan') return refusal('not_executable', 'plan_none');
    const note = this.#notes.of(key);
    const onceMs = mode === 'once' ? proposed?.startMs : undefined;
    // A daily plan is kept where one of its days is sent by hand.
    const kept = mode === 'once' && note.mode === 'daily' ? note.mode : mode;
    this.#notes.put(key, { ...note, mode: kept, orderedMs: nowMs, onceMs, running: mode === 'off' ? undefined : note.running });
    this.#log.info({ device: state.device.name, mode }, 'the price plan of the hot water was set');
    this.wake();
    const about = { once: 'plan_once', daily: 'plan_daily', off: 'plan_off' } as const;
    return { status: 'applied', message: SENTENCES[about[mode]], facts: { about: about[mode] } };
  }

  /** Plans again whenever it is woken, and when a day of a plan begins. Resolves when the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#woken = new AbortController();
      this.#look();
      const turns = [...this.#parts.states.values()].map((state) => this.#turns(state).nextMs - this.#clock.now());
      await this.#clock.sleep(Math.min(LOOK_MS, ...turns), AbortSignal.any([signal, this.#woken.signal])).catch(() => undefined);
    }
  }

  #look(): void {
    const found = [...this.#parts.states].map(([key, state]) => this.#lookAt(key, state));
    const plans = Object.fromEntries(found.flatMap(({ report }) => (report ? [report] : [])));
    const wishes = found.flatMap((one) => one.wishes);
    this.emit('planned', wishes, priceReport(this.#notes.prices, this.#mistake, this.#settings.currency, plans));
  }

  #lookAt(key: string, state: DeviceState): { readonly wishes: readonly Wish[]; readonly report?: readonly [string, PlanReport] } {
    const note = this.#begin(key, state);
    const { name } = state.device;
    const zone = this.#parts.zone(state.device);
    const water = hotWaterOf(state, this.#parts.ends);
    // What runs does not depend on what is read: a device that was not read yet goes on.
    if (!water) return { wishes: wishesOf(name, note, undefined, zone) };
    const proposed = this.#proposalOf(key, state);
    const next = note.mode === 'daily' && this.#followsSeasons(state) ? undefined : proposed;
    return { wishes: wishesOf(name, note, next, zone), report: [name, { note, proposed, water }] };
  }

  /** What is ordered, after what has begun or ended by now. */
  #begin(key: string, state: DeviceState): PriceNote {
    const nowMs = this.#clock.now();
    const kept = this.#notes.of(key);
    // Nobody ordered later than now, and nothing that runs begins later: the clock was set back.
    const note = { ...kept, orderedMs: Math.min(kept.orderedMs, nowMs) };
    const running = note.running && note.running.startMs <= nowMs && note.running.endMs > nowMs ? note.running : undefined;
    const { lastMs, nextMs } = this.#turns(state);
    const isOrdered = (note.mode === 'daily' && !this.#followsSeasons(state)) || note.onceMs === lastMs;
    const begun = running ?? (isOrdered ? this.#planFor(key, state, lastMs) : undefined);
    const isNew = begun?.kind === 'plan' && (begun === running || isAhead(begun, nowMs)) ? begun : undefined;
    const { onceMs = nextMs } = note;
    const isOver = (onceMs <= lastMs || onceMs > nextMs) && onceMs !== isNew?.startMs;
    const mode = isOver && note.mode === 'once' ? 'off' : note.mode;
    const last = isNew ? { endMs: isNew.endMs, releaseMs: isNew.blocks.at(-1)?.endMs ?? isNew.endMs } : note.last;
    const next: PriceNote = { ...note, mode, running: isNew, onceMs: isOver ? undefined : note.onceMs, last };
    const isSet = kept.orderedMs !== note.orderedMs;
    if (isSet || next.running !== note.running || next.mode !== note.mode || next.onceMs !== note.onceMs) this.#notes.put(key, next);
    return next;
  }

  /** The plan that can be ordered now: of the day that has begun where its first block is still ahead, else of the next. */
  #proposalOf(key: string, state: DeviceState): Planned {
    const { lastMs, nextMs } = this.#turns(state);
    const now = this.#notes.of(key).running ? undefined : this.#planFor(key, state, lastMs);
    return now?.kind === 'plan' && isAhead(now, this.#clock.now()) ? now : this.#planFor(key, state, nextMs);
  }

  #followsSeasons({ device }: DeviceState): boolean {
    return this.#parts.seasons.some((one) => one.device === device.name && one.feature === HOT_WATER_WEEK);
  }

  #turns({ device }: DeviceState): ReturnType<typeof turnsAround> {
    return turnsAround(this.#settings.windows, this.#clock.now(), this.#parts.zone(device));
  }

  #planFor(key: string, state: DeviceState, startMs: number): Planned {
    const water = hotWaterOf(state, this.#parts.ends);
    const slots = this.#notes.prices?.slots ?? [];
    if (!water || slots.length === 0) return { kind: 'refused', reason: 'no_prices' };
    const { last } = this.#notes.of(key);
    const lastReleaseMs = last?.endMs === startMs ? last.releaseMs : undefined;
    const leastPerKwh = LEAST_SAVING / water.kwh;
    const rest = { zone: this.#parts.zone(state.device), startMs, lastReleaseMs, leastPerKwh };
    const id = JSON.stringify([water, rest, this.#notes.prices]);
    const planned = this.#planned.get(id) ?? planHotWater({ ...plannable(water), ...rest, windows: this.#settings.windows, slots });
    if (this.#planned.size > MOST_REMEMBERED) this.#planned.clear();
    this.#planned.set(id, planned);
    return planned;
  }
}

/** Anyone may have written the text: what reading it throws is no prices either. */
const readSafely = (...asked: Parameters<typeof readPrices>): ReturnType<typeof readPrices> => {
  try {
    return readPrices(...asked);
  } catch {
    return { ok: false, mistake: 'none' };
  }
};

const plannable = ({ own, defaultMode, resolution, maxEntries, hygiene }: HotWater) => ({
  own,
  defaultMode,
  resolution,
  maxEntries,
  hygiene,
});

/** True while nothing of the plan is missed. */
const isAhead = ({ blocks }: Plan, nowMs: number): boolean => (blocks[0]?.startMs ?? 0) > nowMs;

/** What runs, and what is ordered to follow. A person who orders after a hand has acted wants the plan all the same. */
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
  plan_off: 'no plan is sent; what runs ends now',
  plan_none: 'there is no plan to send now; bridge/price_plan says why',
  plan_modes: 'write once, daily or off, or {"device":"<name>","mode":"daily"}',
  plan_season:
    'the hot water of this device follows the seasons (schedules.seasons), and a plan of every day would leave them no moment; order once, or remove that setting',
  plan_no_device: 'there is no such device whose hot water is made by electricity; with several, name one as device',
} as const;

const refusal = (code: RefusalCode, about: 'plan_none' | 'plan_modes' | 'plan_season' | 'plan_no_device'): Ordered => ({
  ...{ status: 'rejected', code, message: SENTENCES[about], facts: { about } },
});
