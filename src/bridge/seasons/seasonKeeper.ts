import { celsius, OUTSIDE } from '../../features/outside.ts';
import { changed, outsideMean, SEASON_STATE, type SeasonState, seasonBy, stepSeason } from '../../schedule/seasons/season.ts';
import { DAYS_TO_KEEP, type SeasonPlan } from '../../schedule/seasons/seasonSetting.ts';
import { printInstant } from '../../schedule/zone.ts';
import { type Clock, DAY_MS, growingMs, isWaiting } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { Message } from '../../shared/message.ts';
import type { Answer } from '../../topics/resultPayload.ts';
import { bridgeTopic, featureTopic, propertyTopic } from '../../topics/topicNames.ts';
import type { KeyedStore, Point } from '../ports.ts';
import { type Device, type DeviceState, entryNamed } from '../state/deviceState.ts';
import { keptValues } from '../state/keptValues.ts';
import type { Ends } from '../writes/ends/ends.ts';
import type { LocalCommand } from '../writes/intake/commandReceiver.ts';
import type { Place, WriteLog } from '../writes/write/writeLog.ts';

const LOOK_MS = 10 * 60_000;
/** Wait after the first refusal; it doubles up to `LONGEST_RETRY_MS`. */
const RETRY_MS = 6 * 3_600_000;
const LONGEST_RETRY_MS = DAY_MS;
const SERIES_MS = DAYS_TO_KEEP * DAY_MS;

/**
 * Why a season waits. `approval`: a person has not approved the preview. `temporary`: a temporary write runs (of
 * a person or a plan). `unknown`: the device does not exist. `outside`: three days of outside temperatures are
 * missing. `calls`: the day's calls without a person are spent. `refused`: the week was refused or ignored, and is
 * sent again.
 */
type Waits = 'approval' | 'temporary' | 'unknown' | 'outside' | 'calls' | 'refused';

export type SeasonParts = {
  readonly base: string;
  readonly plans: readonly SeasonPlan[];
  readonly approval: { isOn(): boolean; report(): object };
  readonly states: ReadonlyMap<string, DeviceState>;
  readonly store: KeyedStore;
  readonly zone: (device: Device) => string;
  readonly ends: Pick<Ends, 'running'>;
  readonly writes: Pick<WriteLog, 'at'>;
  readonly series: { of(topic: string, sinceMs: number): readonly Point[] };
  readonly calls: { write(): ((answer: Answer) => void) | undefined };
  readonly submit: (command: LocalCommand) => void;
  readonly publisher: { assign(owner: string, messages: readonly Message[]): void };
};

/**
 * Writes the week of a season when it begins, never over a temporary write; announces it a day before. Nothing
 * is sent before a person has approved the seasons and their weeks.
 */
export const seasonKeeper = (
  { base, plans, approval, states, store, zone: zoneOf, ends, writes, series, calls, submit, publisher }: SeasonParts,
  clock: Clock,
  log: Pick<Log, 'info'>,
) => {
  const kept = keptValues(store, SEASON_STATE);
  const underWay = new Set<string>();

  const look = (): void => {
    const payload = JSON.stringify({ ...approval.report(), schedules: plans.map(lookAt) });
    // Without plans, what an earlier run has published is cleared.
    publisher.assign('bridge seasons', plans.length === 0 ? [] : [{ topic: bridgeTopic(base, 'seasons'), payload, retain: true }]);
  };

  const lookAt = (plan: SeasonPlan): object => {
    const { device, feature, rule, profiles, weeks } = plan;
    const nowMs = clock.now();
    const key = `${device} ${feature}`;
    const [id, found] = entryNamed(states, device) ?? [];
    const before: SeasonState = kept.all.get(key) ?? {};
    const days = rule.by === 'dates' ? { from: rule.from, to: rule.to } : {};
    const report = (more: object) => ({ device, feature, profiles, weeks, by: rule.by, ...days, season: before.season ?? null, ...more });
    if (id === undefined || !found) return report({ waits: 'unknown' satisfies Waits });
    const zone = zoneOf(found.device);
    const points = rule.by === 'outside' ? series.of(propertyTopic(base, device, OUTSIDE, 'value'), nowMs - SERIES_MS) : [];
    const mean = rule.by === 'outside' ? outsideMean(points, nowMs, zone) : undefined;
    const meanC = mean === undefined ? undefined : celsius(found.features.get(OUTSIDE)?.truth, mean);
    const wanted = seasonBy(rule, { nowMs, zone, meanC, present: before.season });
    const { state, isDue } = stepSeason(before, wanted, nowMs);
    kept.put(key, state);
    if (approval.isOn() && state.announced && state.announced.atMs !== before.announced?.atMs)
      log.info({ device, feature, season: wanted, at: printInstant(state.announced.atMs, zone) }, 'the season of this schedule changes');
    const noMean = rule.by === 'outside' && meanC === undefined;
    const waits = isDue ? write(plan, key, { device: id, feature }, state) : noMean ? 'outside' : approval.isOn() ? undefined : 'approval';
    const { announced } = state;
    return report({
      ...(rule.by === 'outside' ? { limit: rule.limitC, mean: meanC === undefined ? null : Math.round(meanC * 10) / 10 } : {}),
      ...(announced ? { next: announced.season, next_at: printInstant(announced.atMs, zone) } : {}),
      ...(waits === undefined ? {} : { waits }),
    });
  };

  /** Sends the announced week, or returns why it waits. A try counts before sending, so a kill adds none. */
  const write = ({ device, feature, profiles }: SeasonPlan, key: string, place: Place, state: SeasonState): Waits | undefined => {
    const { announced } = state;
    if (announced === undefined || underWay.has(key)) return undefined;
    if (!approval.isOn()) return 'approval';
    const { season, tries: { count, retryMs } = { count: 0, retryMs: 0 } } = announced;
    const nowMs = clock.now();
    if (isWaiting(retryMs, nowMs, LONGEST_RETRY_MS)) return 'refused';
    // A write that is not carried out yet may be temporary too.
    if (ends.running(place) || writes.at(place).some(({ outcome }) => !outcome)) return 'temporary';
    const answered = calls.write();
    if (!answered) return 'calls';
    const waitMs = growingMs(RETRY_MS, count, LONGEST_RETRY_MS);
    kept.put(key, { ...state, announced: { ...announced, tries: { count: count + 1, retryMs: nowMs + waitMs } } });
    underWay.add(key);
    submit({
      topic: featureTopic(base, device, feature, 'profile/set'),
      payload: new TextEncoder().encode(profiles[season]),
      by: { kind: 'season' },
      onAnswer: (answer) => {
        answered(answer);
        const { status, code } = answer;
        if (status === 'accepted') return;
        underWay.delete(key);
        if (status !== 'rejected' && status !== 'failed' && code !== 'not_shown') kept.put(key, changed(season, clock.now()));
        // A refusal can come at once, before the look that wrote it is told.
        queueMicrotask(look);
      },
    });
    return undefined;
  };

  return {
    look,
    /** Looks at the seasons every ten minutes. */
    run: async (signal: AbortSignal): Promise<void> => {
      if (plans.length === 0) look();
      while (plans.length > 0 && !signal.aborted) {
        look();
        await clock.sleep(LOOK_MS, signal).catch(() => undefined);
      }
    },
  };
};
