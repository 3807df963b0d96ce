import { unfitIssues } from '../../schedule/profile.ts';
import { printable, wrapText } from '../terminal/terminalText.ts';
import type { BridgeInfo, RetainedSchedule } from './retainedSchedules.ts';

type ProfileUse = ReturnType<typeof profileUses>[number];

/** The profiles of the bridge, each with the schedules that it fits (`active`: that have it now), and those that it does not fit. */
export const profileUses = ({ profiles }: Pick<BridgeInfo, 'profiles'>, schedules: readonly RetainedSchedule[]) =>
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
