import { isProblem } from '../../../features/faults/faultKind.ts';
import type { Life } from '../../../features/faults/lives.ts';
import type { Feature } from '../../../features/feature.ts';
import type { AccountName } from '../../../language/accounts/loginHelp.ts';
import type { Language } from '../../../language/language.ts';
import type { Profile } from '../../../schedule/profile.ts';
import type { Log } from '../../../shared/log.ts';
import type { Message } from '../../../shared/message.ts';
import { featureState, schedulePropertyOf, totalMessage } from '../../../topics/featureState.ts';
import type { Answer } from '../../../topics/resultPayload.ts';
import { overviewMessages } from '../../../topics/scheduleOverview.ts';
import { deviceTopic } from '../../../topics/topicNames.ts';
import type { Moments } from '../../../topics/transitionPayloads.ts';
import type { PlanOwners } from '../../plans/planOwners.ts';
import { type Device, type DeviceState, deviceKey, entryNamed } from '../../state/deviceState.ts';
import type { FaultStore } from '../../state/faults/faultStore.ts';
import type { FeatureStore } from '../../state/featureStore.ts';
import type { FrozenStore } from '../../state/frozen/frozenStore.ts';
import type { RunningTotals } from '../../state/runningTotals.ts';
import type { Ends } from '../../writes/ends/ends.ts';
import type { WaitingWrites } from '../../writes/send/waiting.ts';
import { nameOf } from '../../writes/write/end.ts';
import { placeOf } from '../../writes/write/writeLog.ts';
import { LogOnce } from '../broker/logOnce.ts';
import type { RetainedPublisher } from '../broker/retainedPublisher.ts';
import { featureOwner } from '../broker/topicOwnership.ts';
import { identityOf } from '../discovery/deviceDocuments.ts';
import { conflictProblems, deviceProblems, faultProblems, staleProblems, type Wording } from '../status/problems.ts';
import type { LastAnswers } from './lastAnswers.ts';
import type { ScheduleTimer } from './scheduleTimer.ts';
import type { UntilTopics } from './untilTopics.ts';

export type DeviceTopicsSettings = {
  readonly base: string;
  readonly profiles: readonly Profile[];
  readonly language: Language;
  readonly account?: AccountName;
  /** Whether the settings allow this command. */
  readonly isAllowed: (feature: string, command: string) => boolean;
};

/** Data beside the records. */
type Told = {
  readonly totals: Pick<RunningTotals, 'of'>;
  readonly answers: Pick<LastAnswers, 'of'>;
  readonly faults: Pick<FaultStore, 'of'>;
  readonly frozen: Pick<FrozenStore, 'of' | 'canRestart'>;
  readonly owners: Pick<PlanOwners, 'of'>;
  readonly refusals: { refusesDevice(device: Device): boolean };
};

/** Publishes a device's features, its availability, its problems and its `info`. */
export const deviceTopics = (
  settings: DeviceTopicsSettings,
  store: FeatureStore,
  timer: ScheduleTimer,
  waiting: Pick<WaitingWrites, 'shown'>,
  ends: Pick<Ends, 'contested' | 'conflicts'>,
  untilTopics: Pick<UntilTopics, 'textOf'>,
  told: Told,
  publisher: RetainedPublisher,
  log: Log,
) => {
  const logged = new LogOnce();

  const showFeature = (state: DeviceState, name: string): void => {
    const feature = state.shown(name);
    if (!feature) return;
    const { base, profiles } = settings;
    const { device } = state;
    const week = schedulePropertyOf(feature);
    const moments = week === undefined ? undefined : timer.moments(state, feature, week);
    const { messages, withoutTopic } = featureState(base, device.name, feature, profiles, moments, waiting.shown(state, name));
    for (const property of withoutTopic)
      if (logged.isFirst(`${featureOwner(state.device, name)} ${property}`))
        log.warn(
          { device: state.device.name, feature: name, property },
          'the name of this property is reserved in topics; its value is only in the record',
        );
    const total = messages.length > 0 ? told.totals.of(deviceKey(device), name) : undefined;
    if (total !== undefined) messages.push(totalMessage(base, device.name, name, total));
    // Most features have no schedule: skip the rest for them.
    if (week !== undefined) messages.push(...overviewOf(device, feature, moments));
    publisher.assign(featureOwner(device, name), messages);
  };

  const overviewOf = (device: Device, feature: Feature, moments: Moments | undefined): readonly Message[] => {
    const { base, profiles, isAllowed } = settings;
    return overviewMessages(base, device.name, feature, {
      profiles,
      mayRun: isAllowed,
      zone: timer.zone(device)?.name,
      moments,
      until: untilTopics.textOf(device, feature.name),
      contested: ends.contested(placeOf(device, feature.name)).map(nameOf),
      owned: told.owners.of(placeOf(device, feature.name)),
      answers: told.answers.of(device, feature.name),
    });
  };

  /** By device and feature: answers that are not shown yet. */
  const answered = new Map<string, Answer>();

  /** Shows the answer in the schedule overview and the device's problems, once for answers given together. */
  const showAnswer = (answer: Answer): void => {
    if (answered.size === 0) queueMicrotask(showAnswers);
    answered.set(`${answer.device} ${answer.feature}`, answer);
  };

  const showAnswers = (): void => {
    const all = [...answered.values()];
    answered.clear();
    for (const { device, feature = '' } of all) {
      const [, state] = entryNamed(store.states, device) ?? [];
      if (!state) continue;
      // The answer may have ended a conflict.
      showDevice(state);
      if (told.answers.of(state.device, feature).length > 0) showFeature(state, feature);
    }
  };

  const clearFeatures = (state: DeviceState, names: readonly string[]): void => {
    for (const name of names) publisher.assign(featureOwner(state.device, name), []);
  };

  const showDevice = (state: DeviceState): void => {
    const availability = store.availability(state);
    if (availability === undefined) return;
    showLeaf(state, 'availability', availability);
    showLeaf(state, 'problems', JSON.stringify(problemsOf(state, availability === 'offline')));
    if (!store.isFirstRound) showLeaf(state, 'info', JSON.stringify(identityOf(state)));
  };

  const faultsOf = (state: DeviceState): readonly Life[] => told.faults.of(state).active.filter(({ kind }) => isProblem(kind));

  const wordingOf = ({ device }: DeviceState): Wording => {
    const { language, account } = settings;
    return { language, account, zone: timer.zone(device)?.name ?? timer.homeZone };
  };

  /** The message for active faults and warnings; undefined if there are none. */
  const faultMessage = (state: DeviceState): string | undefined => faultProblems(faultsOf(state), wordingOf(state)).fault?.message;

  const problemsOf = (state: DeviceState, isOffline: boolean): object => {
    const conflicts = ends.conflicts(state.device);
    const faults = faultsOf(state);
    // An offline device is not expected to send new values.
    const stale = isOffline ? undefined : told.frozen.of(deviceKey(state.device));
    if (!isOffline && conflicts.length === 0 && faults.length === 0 && !stale) return {};
    const wording = wordingOf(state);
    const { isReportedOffline } = state.availability;
    const isRefused = told.refusals.refusesDevice(state.device);
    const lastRead = { isOffline, isReportedOffline, isRefused, ...store.lastGoodRead(state) };
    return {
      ...deviceProblems(lastRead, wording),
      ...conflictProblems(conflicts, state.truths, wording),
      ...faultProblems(faults, wording),
      ...staleProblems(stale, told.frozen.canRestart(state.device), wording),
    };
  };

  const showLeaf = ({ device }: DeviceState, leaf: 'availability' | 'problems' | 'info', payload: string): void => {
    const topic = deviceTopic(settings.base, device.name, leaf);
    publisher.assign(`${leaf} ${deviceKey(device)}`, [{ topic, payload, retain: true }]);
  };

  return { showFeature, showAnswer, clearFeatures, showDevice, faultMessage };
};
