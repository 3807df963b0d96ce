import { type Profile, unfitIssues } from '../../schedule/profile.ts';
import type { Log } from '../../shared/log.ts';
import { schedulePropertyOf } from '../../topics/featureState.ts';
import { constraintsOf } from '../../topics/scheduleCommand.ts';
import type { FeatureStore } from '../devices/featureStore.ts';
import type { PlannedReads } from '../polling/plannedReads.ts';

export type ProfileCheckParts = {
  readonly profiles: readonly Profile[];
  readonly store: FeatureStore;
  readonly reads: PlannedReads;
  readonly log: Log;
};

/** Warns once of each profile that fits none of the schedules that there are. */
export class ProfileCheck {
  readonly #parts: ProfileCheckParts;
  readonly #logged = new Set<string>();

  constructor(parts: ProfileCheckParts) {
    this.#parts = parts;
  }

  /** Looks at the schedules once all that is to be read has been read; before that another could still come that a profile fits. */
  run(): void {
    const { profiles, store, reads, log } = this.#parts;
    const states = [...store.states.values()];
    if (profiles.length === this.#logged.size || !states.every((state) => reads.areComplete(state))) return;
    const schedules = states.flatMap((state) =>
      [...state.features.values()].flatMap(({ truth }) => (schedulePropertyOf(truth) === undefined ? [] : [constraintsOf(truth)])),
    );
    if (schedules.length === 0) return;
    for (const profile of profiles) {
      if (this.#logged.has(profile.name)) continue;
      const unfit = schedules.map((constraints) => unfitIssues(profile, constraints));
      const [least] = unfit.toSorted((a, b) => a.length - b.length);
      const [first] = least ?? [];
      if (!first) continue;
      this.#logged.add(profile.name);
      const { rule, path, message } = first;
      log.warn({ profile: profile.name, rule, place: path, why: message }, 'this profile fits no schedule, so it can be chosen for none');
    }
  }
}
