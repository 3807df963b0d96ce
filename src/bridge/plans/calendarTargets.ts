import type { Command, Feature } from '../../features/feature.ts';
import type { Target } from '../../schedule/calendar/agenda.ts';
import { fittingProfiles, type Profile } from '../../schedule/profile.ts';
import { schedulePropertyOf } from '../../topics/featureState.ts';
import { constraintsOf, schedulerOf } from '../../topics/scheduleCommand.ts';
import type { Device, DeviceState } from '../state/deviceState.ts';

export type TargetSettings = {
  readonly profiles: readonly Profile[];
  /** True where the settings allow this command. */
  readonly mayRun: (feature: string, command: string) => boolean;
  /** The time zone of a device's schedules. */
  readonly zone: (device: Device) => string;
};

const PROGRAM = /\.operating\.programs\.(\w+)$/u;

/** The features that events can change: schedules with profiles, programs with a switch, dated holidays. */
export const targetsOf = (states: Iterable<DeviceState>, { profiles, mayRun, zone }: TargetSettings): readonly Target[] =>
  [...states].flatMap((state) => {
    const { device } = state;
    return [...state.features.keys()].flatMap((name): readonly Target[] => {
      const feature = state.shown(name);
      const place = { device: device.name, feature: name, zone: zone(device) };
      const command = (which: string): Command | undefined => (mayRun(name, which) ? feature?.commands.get(which) : undefined);
      const scheduler = feature && schedulePropertyOf(feature) !== undefined ? schedulerOf(feature) : undefined;
      if (feature && scheduler && command(scheduler.command))
        return [{ ...place, kind: 'schedule', profiles: fittingProfiles(profiles, constraintsOf(feature)).map((one) => one.name) }];
      const program = PROGRAM.exec(name)?.[1];
      if (!feature || program === undefined) return [];
      return programTarget(feature, program, command, place);
    });
  });

const programTarget = (
  feature: Feature,
  program: string,
  command: (name: string) => Command | undefined,
  place: Pick<Target, 'device' | 'feature' | 'zone'>,
): readonly Target[] => {
  if (program === 'holiday' || program === 'holidayAtHome') {
    const schedule = command('schedule');
    if (!schedule?.params.has('start') || !schedule.params.has('end') || !command('unschedule')) return [];
    const isOneDayAllowed = schedule.params.get('end')?.constraints['sameDayAllowed'] !== false;
    return [{ ...place, kind: program, cancel: 'unschedule', isOneDayAllowed }];
  }
  const isSwitch = feature.properties.has('active') && command('activate') && command('deactivate');
  return isSwitch ? [{ ...place, kind: 'program', program }] : [];
};
