import { unfitIssues } from '../../schedule/profile.ts';
import type { Issue } from '../../shared/issue.ts';
import { printable, wrapText } from '../terminalText.ts';
import type { BridgeSaid, Found } from './retainedSchedules.ts';

type Place = { readonly device: string; readonly feature: string };

/** A stored week, with the schedules that it fits and those that it does not. */
export type ProfileUse = {
  readonly name: string;
  /** As the settings have it. */
  readonly week: unknown;
  readonly fits: readonly (Place & { readonly active: boolean })[];
  readonly unfit: readonly (Place & { readonly errors: readonly Issue[] })[];
};

/** Where the profiles of the running bridge fit, and which is in force where. */
export const profileUses = ({ profiles }: Pick<BridgeSaid, 'profiles'>, schedules: readonly Found[]): readonly ProfileUse[] =>
  profiles.map((profile) => {
    const judged = schedules
      .filter(({ isWritable }) => isWritable)
      .map(({ device, feature, constraints, profile: inForce }) => ({
        place: { device, feature },
        active: inForce === profile.name,
        errors: unfitIssues(profile, constraints),
      }));
    return {
      name: profile.name,
      week: profile.written,
      fits: judged.flatMap(({ place, active, errors }) => (errors.length === 0 ? [{ ...place, active }] : [])),
      unfit: judged.flatMap(({ place, errors }) => (errors.length > 0 ? [{ ...place, errors }] : [])),
    };
  });

/** The same for people, as lines of at most 80 columns. */
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
