import { readRule } from '../schedule/calendar/rules.ts';
import { readSeasonSetting } from '../schedule/seasons/seasonSetting.ts';
import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import { bridgeTopic } from '../topics/topicNames.ts';
import { composePrices } from './composePrices.ts';
import type { BridgeSettings, Dependencies } from './dependencies.ts';
import { followAddress } from './plans/addressReader.ts';
import { CalendarPlanner } from './plans/calendarPlanner.ts';
import type { TargetSettings } from './plans/calendarTargets.ts';
import { PlanCalls, type PlanCallsParts } from './plans/planCalls.ts';
import { PlanExecutor, type PlanExecutorParts } from './plans/planExecutor.ts';
import { PlanOwners } from './plans/planOwners.ts';
import { PricePlanner } from './plans/pricePlanner.ts';
import type { Connection } from './ports.ts';
import type { MqttSession } from './publish/broker/mqttSession.ts';
import type { RetainedPublisher } from './publish/broker/retainedPublisher.ts';
import type { DeviceTopics } from './publish/devices/deviceTopics.ts';
import { deviceKey } from './state/deviceState.ts';
import type { FeatureStore } from './state/featureStore.ts';
import type { Ends } from './writes/ends/ends.ts';
import type { CommandSender } from './writes/send/commandSender.ts';
import { chargeOf } from './writes/undo/surplusCharge.ts';
import type { WriteLog } from './writes/write/writeLog.ts';

type PlannerSettings = Pick<BridgeSettings, 'base' | 'maxPayload' | 'seasons' | 'calendarRules' | 'pricePlan' | 'profiles' | 'commands'>;

const DAY_MS = 86_400_000;

/** What the planners and the executor share. */
type Shared = Pick<PlanExecutorParts, 'states' | 'store'> & {
  readonly quota: PlanExecutorParts['quota'] & PlanCallsParts['quota'];
  readonly writes: WriteLog;
  readonly publisher: RetainedPublisher;
  readonly features: FeatureStore;
  readonly ends: Ends;
  readonly session: MqttSession;
  readonly connection: Connection;
};

/** The planners, which take commands, and who has what; `composePlans` connects them to what carries their wishes out. */
export const createPlanners = (
  { base, maxPayload, seasons = [], calendarRules = [], pricePlan, profiles, commands }: PlannerSettings,
  targets: Omit<TargetSettings, 'profiles'>,
  shared: Shared,
  clock: Clock,
  log: Log,
) => {
  const rules = calendarRules.map(readRule).filter((rule) => typeof rule !== 'string');
  const calendar = new CalendarPlanner(rules, { ...targets, profiles }, shared.states, shared.store, clock);
  const { states, ends, store } = shared;
  const following = seasons.map(readSeasonSetting).filter((one) => typeof one !== 'string');
  const parts = { states, ends, zone: targets.zone, store, seasons: following, maxPayload };
  const price = pricePlan && new PricePlanner(pricePlan, parts, clock, log);
  const calls = new PlanCalls({ ...shared, confirmS: commands.confirm_s }, clock);
  return { ...shared, base, calls, owners: new PlanOwners(), calendar, price };
};

type Writing = Pick<PlanExecutorParts, 'submit'> & {
  readonly sender: CommandSender;
  readonly topics: Pick<DeviceTopics, 'showFeature'>;
};

/** Of a calendar so much is read: what is planned, and what has ended lately. */
const windowAt = (nowMs: number) => ({ fromMs: nowMs - 2 * DAY_MS, toMs: nowMs + 15 * DAY_MS });

/** Creates the executor of plans, and connects it and the planners to what they follow; gives the task that carries plans out. */
export const composePlans = (
  planners: ReturnType<typeof createPlanners>,
  writing: Writing,
  { calendars: sources = [], priceSource }: Pick<Dependencies, 'calendars' | 'priceSource'>,
  clock: Clock,
  log: Log,
) => {
  const { base, states, features, owners, publisher, calendar, calls, writes } = planners;
  const { sender, topics } = writing;
  const following = { clock, log, chance: Math.random };
  const executor = new PlanExecutor({ ...planners, ...writing }, clock, log);
  writes.on('endChanged', () => executor.wake());
  sender.on('sent', (sent) => {
    const charge = chargeOf(sent);
    if (charge) calls.charged({ device: deviceKey(sent.state.device), feature: sent.feature }, charge.isSurplus);
  });
  sender.on('accepted', ({ state, feature, shares }) => {
    const kinds = shares.map(({ request }) => request.by?.kind);
    executor.accepted({ device: deviceKey(state.device), feature }, kinds);
  });
  owners.on('changed', ({ device, feature }) => {
    const state = states.get(device);
    if (state) topics.showFeature(state, feature);
  });
  const runPrices = composePrices({ ...planners, executor, source: priceSource }, following);
  const showCalendar = (): void => {
    const report = calendar.report();
    const messages = report ? [{ topic: bridgeTopic(base, 'calendar'), payload: JSON.stringify(report), retain: true }] : [];
    publisher.assign('bridge calendar', messages);
  };
  const wishOfCalendar = (): void => {
    const wishes = calendar.wishes();
    if (wishes) executor.wish('calendar', wishes, (place) => calendar.hasLookedAt(place));
  };
  calendar.on('planned', () => {
    wishOfCalendar();
    showCalendar();
  });
  features.on('featuresListed', () => calendar.wake());
  features.on('devicesChanged', () => calendar.wake());
  features.on('firstRoundEnded', () => calendar.wake());
  return async (signal: AbortSignal): Promise<void> => {
    calendar.keepAddresses(sources.map(({ name }) => name));
    showCalendar();
    wishOfCalendar();
    const reading = (calendar.isConfigured ? sources : []).map((source) =>
      followAddress(
        { calendar: source.name },
        async () => {
          const read = await source.read(windowAt(clock.now()), signal);
          if (read) calendar.put(source.name, read);
          else calendar.heard(source.name);
        },
        following,
        signal,
      ),
    );
    await Promise.all([executor.run(signal), calendar.run(signal), runPrices(signal), ...reading]);
  };
};
