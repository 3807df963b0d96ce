import { unfitIssues } from '../../schedule/profile.ts';
import type { Issue } from '../../shared/issue.ts';
import { printable, wrapText } from '../terminalText.ts';
import type { BridgeInfo, RetainedSchedule, ScheduleName } from './retainedSchedules.ts';

/** A stored week, with the schedules that it fits and those that it does not fit. */
export type ProfileUse = {
  readonly name: string;
  /** As the settings have it. */
  readonly week: unknown;
  readonly fits: readonly (ScheduleName & { readonly active: boolean })[];
  readonly unfit: readonly (ScheduleName & { readonly errors: readonly Issue[] })[];
};

/** The profiles of the running bridge, each with the schedules that can have it and that have it now (`active`). */
export const profileUses = ({ profiles }: Pick<BridgeInfo, 'profiles'>, schedules: readonly RetainedSchedule[]): readonly ProfileUse[] =>
  profiles.map((profile) => {
    const writable = schedules.filter(({ isWritable }) => isWritable);
    const judged = writable.map((schedule) => ({ ...schedule, errors: unfitIssues(profile, schedule.constraints) }));
    return {
      name: profile.name,
      week: profile.written,
      fits: judged
        .filter(({ errors }) => errors.length === 0)
        .map(({ device, feature, profile: current }) => ({ device, feature, active: current === profile.name })),
      unfit: judged.filter(({ errors }) => errors.length > 0).map(({ device, feature, errors }) => ({ device, feature, errors })),
    };
  });

/** The profiles as lines of at most 80 columns. */
export const profileLines = (uses: readonly ProfileUse[]): readonly string[] =>
  uses.length === 0 ? wrapText('The bridge has no profiles: the setting schedules.profiles gives weeks a name.') : uses.flatMap(linesOf);

const linesOf = ({ name, week, fits, unfit }: ProfileUse): readonly string[] => [
  printable(name),
  ...wrapText(printable(typeof week === 'string' ? week : JSON.stringify(week)), '  week   '),
  ...fits.flatMap(({ device, feature, active }) => wrapText(printable(`${device} ${feature}${active ? ' (in force)' : ''}`), '  fits   ')),
  ...unfit.flatMap(({ device, feature, errors: [first] }) =>
    wrapText(printable(`${device} ${feature}: ${first?.message ?? ''}`), '  not    '),
  ),
];
