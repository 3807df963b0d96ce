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

/** What the bridge takes of the settings. */
export type BridgeSettings = ReadSettings & {
  readonly base: string;
  readonly version: string;
  readonly maxPayload: number;
  /** Those named in the settings; empty where they are found (`Dependencies.discovery`). */
  readonly devices: readonly Device[];
  readonly poll: PollSettings & { readonly gone_after_h: number };
  readonly commands: Rules & { readonly settle_ms: number; readonly fresh_s: number; readonly confirm_s: readonly number[] };
  readonly discovery: { readonly mode: 'device' | 'off'; readonly prefix: string; readonly statusTopic: string; readonly page?: string };
  readonly account?: AccountName;
  /** The language of names, states of sensors and answers. */
  readonly language: Language;
  /** The setting (`auto`, or a zone), and the zone of the machine. */
  readonly timeZone: { readonly setting: string; readonly machine: string };
  /** Minutes from one read of events to the next; 0 or absent: none. */
  readonly eventMinutes?: number;
  /** For so many days numeric values are kept. */
  readonly historyDays?: number;
  /** For cost and CO₂; absent: none. */
  readonly prices?: Prices;
  /** Schedules that follow the seasons, as they are written. */
  readonly seasons?: readonly string[];
  /** Absent where no prices come. */
  readonly pricePlan?: PriceSettings | undefined;
  /** Stored weeks in their order. */
  readonly profiles: readonly Profile[];
  /** What events of calendars do, as it is written. */
  readonly calendarRules?: readonly string[];
  /** The allowance of a day where it is the default, which the platform may correct. */
  readonly defaultPerDay?: number;
  /** Shown in `bridge/info`; holds no secret. */
  readonly shown: object;
};

/** What is kept over restarts (`storage/storage.ts`). */
export type Stores = {
  readonly publishedTopics: PublishedTopics;
  readonly deviceStates: DeviceStateStore;
  readonly writes: WriteStore;
  readonly composites: KeyedStore;
  /** Of energy and gas. */
  readonly runningTotals: KeyedStore;
  readonly documents: KeyedStore;
  /** To writes of schedules. */
  readonly lastAnswers: KeyedStore;
  readonly accountRefusals: KeyedStore;
  readonly faults: KeyedStore;
  readonly seasons: KeyedStore;
  readonly performance: PerformanceStore;
  /** What was used before the bridge counted. */
  readonly past: KeyedStore;
  readonly plans: KeyedStore;
  readonly frozen: Parameters<typeof frozenStore>[0];
};

/** What the bridge is given by app.ts. */
export type Dependencies = {
  readonly platform: Platform;
  readonly connection: Connection;
  readonly stores: Stores;
  /** Calendars that are read by their addresses. */
  readonly calendars?: readonly CalendarSource[];
  /** Prices that are read by their address. */
  readonly priceSource?: PriceSource | undefined;
  /** Absent where the platform has no events. */
  readonly events?: EventHistory;
  /** Absent where the platform has no such call. */
  readonly restarts?: GatewayRestart;
  /** Absent where no values over time are kept. */
  readonly series?: SeriesStore;
  readonly quota: RateLimiter;
  readonly auth: () => AuthReport;
  /** Absent where the settings allow no login over MQTT. */
  readonly finishLogin?: FinishLogin;
  /** Uses a login that was stored since the last look at it, also where the one before still counts. */
  readonly takeUpLogin?: () => void;
  readonly clock: Clock;
  readonly log: Log;
  /** Present where devices are found by asking. */
  readonly discovery?: DeviceDiscovery;
};
