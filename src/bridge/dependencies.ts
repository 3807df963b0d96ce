import type { Prices } from '../features/performance/dayRow.ts';
import type { AccountName } from '../language/accounts/loginHelp.ts';
import type { Language } from '../language/language.ts';
import type { Profile } from '../schedule/profile.ts';
import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import type { PriceSettings } from './plans/pricePlanner.ts';
import type {
  AuthReport,
  CalendarSource,
  Connection,
  DeviceStateStore,
  EventHistory,
  FinishLogin,
  GatewayRestart,
  KeyedStore,
  PerformanceStore,
  Platform,
  PriceSource,
  PublishedTopics,
  SeriesStore,
  WriteStore,
} from './ports.ts';
import type { DeviceDiscovery } from './reads/deviceDiscovery.ts';
import type { ReadSettings } from './reads/plannedReads.ts';
import type { PollSettings } from './reads/poller.ts';
import type { RateLimiter } from './reads/rateLimiter.ts';
import type { Device } from './state/deviceState.ts';
import type { frozenStore } from './state/frozen/frozenStore.ts';
import type { Rules } from './writes/parse/evaluate.ts';

/** The settings that the bridge uses. */
export type BridgeSettings = ReadSettings & {
  readonly base: string;
  readonly version: string;
  readonly maxPayload: number;
  /** The devices named in the settings; empty if they are discovered (`Dependencies.discovery`). */
  readonly devices: readonly Device[];
  readonly poll: PollSettings & { readonly gone_after_h: number };
  readonly commands: Rules & { readonly settle_ms: number; readonly fresh_s: number; readonly confirm_s: readonly number[] };
  readonly discovery: { readonly mode: 'device' | 'off'; readonly prefix: string; readonly statusTopic: string; readonly page?: string };
  readonly account?: AccountName;
  /** The language of names, states of sensors and answers. */
  readonly language: Language;
  /** The setting (`auto` or a zone), and the machine's zone. */
  readonly timeZone: { readonly setting: string; readonly machine: string };
  /** Minutes between reads of events; 0 or absent: none. */
  readonly eventMinutes?: number;
  /** How many days numeric values are kept. */
  readonly historyDays?: number;
  /** For cost and CO₂; absent: none. */
  readonly prices?: Prices;
  /** Schedules that follow the seasons, as written in the settings. */
  readonly seasons?: readonly string[];
  /** Absent if there are no prices. */
  readonly pricePlan?: PriceSettings | undefined;
  /** Stored weeks in order. */
  readonly profiles: readonly Profile[];
  /** The rules for calendar events, as written in the settings. */
  readonly calendarRules?: readonly string[];
  /** The default daily allowance, which the platform may correct; absent if the setting is explicit. */
  readonly defaultPerDay?: number;
  /** Shown in `bridge/info`; contains no secret. */
  readonly shown: object;
};

/** Data kept over restarts (`storage/storage.ts`). */
export type Stores = {
  readonly publishedTopics: PublishedTopics;
  readonly deviceStates: DeviceStateStore;
  readonly writes: WriteStore;
  readonly composites: KeyedStore;
  /** For energy and gas. */
  readonly runningTotals: KeyedStore;
  readonly documents: KeyedStore;
  /** Answers to schedule writes. */
  readonly lastAnswers: KeyedStore;
  readonly accountRefusals: KeyedStore;
  readonly faults: KeyedStore;
  readonly seasons: KeyedStore;
  readonly performance: PerformanceStore;
  /** Consumption before the bridge counted. */
  readonly past: KeyedStore;
  readonly plans: KeyedStore;
  readonly frozen: Parameters<typeof frozenStore>[0];
};

/** The dependencies that app.ts provides. */
export type Dependencies = {
  readonly platform: Platform;
  readonly connection: Connection;
  readonly stores: Stores;
  /** Calendars read from their addresses. */
  readonly calendars?: readonly CalendarSource[];
  /** Prices read from an address. */
  readonly priceSource?: PriceSource | undefined;
  /** Absent if the platform has no events. */
  readonly events?: EventHistory;
  /** Absent if the platform has no such call. */
  readonly restarts?: GatewayRestart;
  /** Absent if no time series are kept. */
  readonly series?: SeriesStore;
  readonly quota: RateLimiter;
  readonly auth: () => AuthReport;
  /** Absent if the settings do not allow a login over MQTT. */
  readonly finishLogin?: FinishLogin;
  /** Uses a newly stored login, even if the previous one is still valid. */
  readonly takeUpLogin?: () => void;
  readonly clock: Clock;
  readonly log: Log;
  /** Present if devices are discovered. */
  readonly discovery?: DeviceDiscovery;
};
