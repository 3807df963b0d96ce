import { type Profile, unfitIssues } from '../../../schedule/profile.ts';
import type { Log } from '../../../shared/log.ts';
import { schedulePropertyOf } from '../../../topics/featureState.ts';
import { constraintsOf } from '../../../topics/scheduleCommand.ts';
import type { FeatureStore } from '../../state/featureStore.ts';
import type { Completeness } from '../../state/readTarget.ts';

/**
 * Returns the function that warns once about each profile that fits no schedule. It waits until all reads
 * have results: before that, a schedule that fits could still arrive.
 */
export const profileCheck = (profiles: readonly Profile[], store: FeatureStore, reads: Completeness, log: Log): (() => void) => {
  const open = new Set(profiles);
  return () => {
    const states = [...store.states.values()];
    if (open.size === 0 || !states.every((state) => reads.areComplete(state))) return;
    const schedules = states.flatMap((state) =>
      [...state.features.values()].flatMap(({ truth }) => (schedulePropertyOf(truth) === undefined ? [] : [constraintsOf(truth)])),
    );
    for (const profile of schedules.length > 0 ? open : []) {
      const unfit = schedules.map((constraints) => unfitIssues(profile, constraints));
      const [least] = unfit.toSorted((a, b) => a.length - b.length);
      const [first] = least ?? [];
      if (!first) continue;
      open.delete(profile);
      const { rule, path, message } = first;
      log.warn(
        { profile: profile.name, rule, place: path, why: message },
        'this profile fits none of the schedules, so it cannot be chosen',
      );
    }
  };
};
